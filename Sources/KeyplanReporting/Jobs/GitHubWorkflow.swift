/// The workflow for GitHub Actions: plans pull requests, applies on main what was read there, and checks each day for drift. It is that of
/// `examples/gitops`.
struct GitHubWorkflow {
  let file: JobFile

  private var project: JobProject { file.project }

  var text: String {
    """
    # Plans keys on pull requests, applies on main exactly the plan that was read
    # there, and checks each day for drift. Printed by: keyplan ci github
    #
    # What jobs get is set outside of the checkout, which a pull request changes.
    # Explained in: docs/pull-requests.md of keyplan
    \(project.environmentComment ?? "")\(file.comments(kinds))
    name: \(project.slug)

    on:
      pull_request:
        paths:
    \(paths)
      push:
        branches: [main]
        paths:
    \(paths)
      schedule:
        - cron: "17 6 * * *"
      workflow_dispatch:
        inputs:
          id:
            description: The id of the plan to apply; empty to plan only
            required: false
            type: string

    permissions: {}

    \(variables)defaults:
      run:
        shell: bash # with -e and -o pipefail

    jobs:
      # Everybody's pull requests, forks included: no secret, no store, a throwaway
      # machine.
      validate:
        if: github.event_name == 'pull_request'
        runs-on: ubuntu-24.04
        timeout-minutes: 5
        permissions:
          contents: read
        concurrency:
          group: \(project.slug)-validate-${{ github.ref }}
          cancel-in-progress: true
        steps:
    \(setup)
          - name: Validate
            run: keyplan validate --format github

      # Pull requests of this repository's own branches. The identity is that of a
      # recipient that can only plan.
      plan:
        if: >-
          (github.event_name == 'pull_request'
          && github.event.pull_request.head.repo.full_name == github.repository)
          || (github.event_name == 'workflow_dispatch' && inputs.id == '')
        runs-on: \(runner)
        timeout-minutes: 10
        permissions:
          contents: read
          pull-requests: write # the comment
        concurrency:
          group: \(project.slug)-plan-${{ github.ref }}
          cancel-in-progress: true
        steps:
    \(setup)
          - id: plan
            uses: \(action("plan"))
    \(inputs)        env:
    \(reading)
          - name: Keep the id
            env:
              ID: ${{ steps.plan.outputs.id }}
              PLAN: ${{ steps.plan.outputs.plan }}
            run: |
              mkdir "$RUNNER_TEMP/plan"
              cp "$PLAN" "$RUNNER_TEMP/plan/plan.kp"
              echo "$ID" > "$RUNNER_TEMP/plan/id"
          # A plan holds no secret, and cannot be altered unseen: whoever may read
          # the repository may read it.
          - uses: actions/upload-artifact@330a01c490aca151604b8cf639adc76d48f6c5d4 # v5.0.0
            with:
              name: \(artifact)
              path: ${{ runner.temp }}/plan
              retention-days: 30

      # After the merge: the plan with the id that was read, or nothing.
      apply:
        if: >-
          github.ref == 'refs/heads/main'
          && (github.event_name == 'push'
          || (github.event_name == 'workflow_dispatch' && inputs.id != ''))
        runs-on: \(runner)
        timeout-minutes: 20
        # It has the secrets that apply. Restrict it to the branch main; reviewers
        # and a wait can be set there, too.
        environment: \(YAMLScalar.quoted(project.deployment))
        permissions:
          contents: read
          actions: read # the pull request's artefact
          pull-requests: read # which pull request it was
        concurrency:
          group: \(project.slug)-apply
          cancel-in-progress: false
        steps:
    \(setup)
          - name: Find the plan that was read
            if: ${{ github.event_name == 'push' }}
            env:
              GH_TOKEN: ${{ github.token }}
              GH_REPO: ${{ github.repository }}
            run: |
              head=$(gh api "repos/$GH_REPO/commits/$GITHUB_SHA/pulls" \\
                --jq '.[0].head.sha')
              run=$(gh run list --workflow \(project.slug).yml --event pull_request \\
                --status success --commit "$head" --limit 1 \\
                --json databaseId --jq '.[0].databaseId')
              gh run download "$run" --name \(artifact) --dir "$RUNNER_TEMP/read"
          - name: Apply
            env:
              ID: ${{ inputs.id }}
    \(writing)
            run: |
              keyplan apply --lock-timeout 5m \\
                --expect "${ID:-$(cat "$RUNNER_TEMP/read/id")}"
          - name: Show what would be applied now
            if: ${{ failure() }}
            env:
    \(writing)
            run: keyplan plan --format github
          - name: See that keyplan.lock is as in git
            run: git diff --exit-code -- '*keyplan.lock'

      # Each day, on the default branch. Only what was merged runs here, so that the
      # checkout is trusted. It changes nothing.
      drift:
        if: github.event_name == 'schedule'
        runs-on: \(runner)
        timeout-minutes: 10
        permissions:
          contents: read
        concurrency:
          group: \(project.slug)-drift
          cancel-in-progress: false
        steps:
    \(setup)
          - name: Check for drift
            env:
              KEYPLAN_CHECKOUT: trusted
    \(reading)
            run: keyplan drift --format github

    """
  }

  private var kinds: [(JobSetting.Kind, String)] {
    [
      (.secret, "Secrets of the repository:"),
      (.deploymentSecret, "Secrets of the environment \(project.deployment), which only main may use:"),
      (.variable, "Variables of the repository:"),
    ]
  }

  private var paths: String {
    [project.manifestFiles, project.lock, project.workflow]
      .map { "      - \(YAMLScalar.quoted($0))" }.joined(separator: "\n")
  }

  /// The variables of all jobs of the workflow.
  private var variables: String {
    let fixed = file.settings.filter { $0.kind == .fixed }
    guard !fixed.isEmpty else { return "" }
    return "env:\n" + fixed.map { "  \($0.name): \(YAMLScalar.withoutExpressions($0.value ?? ""))\n" }.joined() + "\n"
  }

  /// A store in a file is on a runner of one's own.
  private var runner: String { if case .file = project.store { "self-hosted" } else { "ubuntu-24.04" } }

  private var artifact: String { "plan" + (project.environment.map { "-\($0)" } ?? "") }

  private var setup: String {
    """
          - uses: actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0
            with:
              persist-credentials: false
          - uses: \(action("setup"))
    """
  }

  private func action(_ name: String) -> String {
    "\(Release.repository)/actions/\(name)@v\(file.version) # zizmor: ignore[unpinned-uses] pin the commit of the release"
  }

  private var inputs: String {
    let manifest = project.manifest(in: .root).map { "manifest: \(YAMLScalar.withoutExpressions($0))" }
    let environment = project.environmentName.map { "environment: \(YAMLScalar.quoted($0))" }
    let all = [manifest, environment].compactMap(\.self)
    return all.isEmpty ? "" : "        with:\n" + all.map { "          \($0)\n" }.joined()
  }

  private var reading: String { steps(reading: "_READING", planning: "_PLANNING") }
  private var writing: String { steps(reading: "", planning: "") }

  /// The variables of a step. Secrets are given to single steps only, so that no other action has them.
  private func steps(reading: String, planning: String) -> String {
    let store =
      if case .file = project.store {
        "vars.\(project.setting("KEYPLAN_STORE"))"
      } else {
        "secrets.\(project.setting("KEYPLAN_STORE" + reading))"
      }
    let all =
      [
        ("KEYPLAN_STORE", store), ("KEYPLAN_IDENTITY", "secrets.\(project.setting("KEYPLAN_IDENTITY" + planning))"),
        ("KEYPLAN_PIN", "vars.\(project.setting("KEYPLAN_PIN"))"),
      ] + project.variables.map { ($0, "secrets.\($0)") }
    return all.map { "          \($0): ${{ \($1) }}" }.joined(separator: "\n")
  }
}
