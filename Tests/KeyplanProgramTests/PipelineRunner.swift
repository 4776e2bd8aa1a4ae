import Foundation
import Testing

/// A machine that runs CI's jobs: what it keeps between them is its home; what a service gives is made up here.
final class PipelineRunner {
  let shell: Shell
  /// What the file's expressions stand for. One that is not here fails the test.
  var expressions: [String: String]
  /// What the service sets for every job.
  var variables: [String: String]
  /// All that was written to the log of the last job.
  private(set) var log: [String] = []
  private(set) var summary: [String] = []

  /// Made up, and looked for wherever it must not be.
  static let secret = "made-up-payments-value"

  /// A checkout of the example with its store made, as the README says; the programs of the service are fakes.
  /// - Parameters:
  ///   - writing: the store's place, as who may apply names it.
  ///   - reading: the same as who may only plan names it.
  init(_ example: URL, store writing: String, reading: String) throws {
    shell = try Shell()
    let service = shell.folder + "/service"
    variables = ["CI": "true", "RUNNER_TEMP": service + "/temp", "TMPDIR": service + "/temp"]
    expressions = [
      "runner.temp": service + "/temp", "secrets.PAYMENTS_KEY": Self.secret, "secrets.KEYPLAN_STORE": writing,
      "secrets.KEYPLAN_STORE_READING": reading, "vars.KEYPLAN_PIN": "",
    ]
    let fakes = [
      "gh": """
      #!/bin/sh
      # What the workflow and the actions ask of GitHub, and nothing else.
      [ "$GH_TOKEN" = made-up-token ] || exit 4
      ! env | grep -q AGE-SECRET-KEY || { echo "gh: the identity is in its environment" >&2; exit 5; }
      case "$*" in
        "attestation verify "*" --repo keyplan/keyplan \
      --signer-workflow keyplan/keyplan/.github/workflows/release.yml --source-ref refs/tags/v0.1.0")
          grep -q "^$(sha256sum <"$3" | cut -c 1-64) " '\(service)/release/SHA256SUMS'; exit ;;
        "api --paginate repos/ada/shop/issues/7/comments --jq "*)
          [ ! -e '\(service)/comment.md' ] || { read -r first <'\(service)/comment.md'; [ "$first" != "$mark" ] || echo 11; }
          exit ;;
        "api --method POST repos/ada/shop/issues/7/comments --field body=@"*" --silent")
          echo POST >>'\(service)/comments'; cp "${6#body=@}" '\(service)/comment.md'; exit ;;
        "api --method PATCH repos/ada/shop/issues/comments/11 --field body=@"*" --silent")
          echo PATCH >>'\(service)/comments'; cp "${6#body=@}" '\(service)/comment.md'; exit ;;
      esac
      [ "$GH_REPO" = ada/shop ] || exit 4
      case "$*" in
        "api repos/ada/shop/commits/c0ffee/pulls --jq .[0].head.sha") echo beef ;;
        "run list --workflow keyplan.yml --event pull_request --status success --commit beef --limit 1 --json databaseId \
      --jq .[0].databaseId") echo 42 ;;
        "run download 42 --name plan --dir "*) mkdir "$7" && cp '\(service)'/artefact/* "$7" ;;
        *) echo "gh: not faked: $*" >&2; exit 1 ;;
      esac
      """,
      "curl": """
      #!/bin/sh
      # Gives a file of the release, and takes a note.
      for word; do
        case $word in
          https://github.com/keyplan/keyplan/releases/download/v0.1.0/*) file=${word##*/} ;;
          body=\\<*) cp "${word#body=<}" '\(service)/note.md' ;;
        esac
        case $last in
          --output) output=$word ;;
          --header) grep -q '^PRIVATE-TOKEN: ' "${word#@}" || exit 22 ;;
        esac
        last=$word
      done
      [ -z "$file" ] || cp '\(service)'/release/"$file" "$output"
      """,
    ]
    for (name, text) in fakes {
      try shell.write(text.split(separator: "\n").map(String.init), to: "service/bin/" + name)
    }
    try shell.write(["#!/bin/sh", "exec '\(Shell.program)' \"$@\""], to: "service/program")
    // A release, as `make dist` makes it, as far as the recipes use it.
    let released = try shell.run(
      """
      set -e; name=keyplan-0.1.0-linux-$(uname -m); mkdir -p service/release/$name/bin; cd service/release
      install -m 755 ../program $name/bin/keyplan; tar -czf $name.tar.gz $name; rm -r $name
      sha256sum -- * >../sums; mv ../sums SHA256SUMS
      """)
    try #require(released.code == 0, "\(released.err)")
    let made = try shell.run(
      """
      set -e; chmod +x service/bin/*; mkdir -p service/temp ~/keyplan repo; chmod 700 ~/keyplan
      cp -R '\(example.path)/.' repo; cd repo; rm -f README.md .gitignore
      git init --quiet -b main; git config user.name ada; git config user.email ada@example.com
      keyplan identity new --quiet >own; keyplan identity new --quiet --identity ~/planning.txt >planning
      printf 'recipients: { ada: %s, pull-requests: { key: %s, can: plan } }\\n' "$(cat own)" "$(cat planning)" \
        >>keyplan.yaml
      rm own planning
      KEYPLAN_STORE='\(writing)' keyplan init --quiet
      git add .; git commit --quiet -m begin
      grep ^AGE ~/.config/keyplan/identity.txt >../service/identity; rm ~/.config/keyplan/identity.txt
      grep ^AGE ~/planning.txt >../service/planning; rm ~/planning.txt
      """)
    try #require(made.code == 0, "\(made.err)")
    let identity = shell.content(of: "service/identity").joined()
    try #require(identity.hasPrefix("AGE-SECRET-KEY-1"))
    expressions["secrets.KEYPLAN_IDENTITY"] = identity
    unlink(service + "/identity")
    expressions["secrets.KEYPLAN_IDENTITY_PLANNING"] = shell.content(of: "service/planning").joined()
    unlink(service + "/planning")
  }

  /// Sets what GitHub sets for all jobs.
  func prepareForGitHub() {
    variables.merge([
      "KEYPLAN_CHECKOUT": "untrusted", "GITHUB_ACTIONS": "true", "GITHUB_REPOSITORY": "ada/shop",
      "GITHUB_SHA": "c0ffee",
      "GITHUB_WORKSPACE": shell.folder + "/repo",
    ]) { $1 }
    expressions.merge([
      "github.token": "made-up-token", "github.repository": "ada/shop", "github.event.pull_request.number": "7",
      "inputs.id": "",
    ]) { $1 }
  }

  /// Sets what GitLab sets for all jobs, and the project's own variables.
  func prepareForGitLab() throws {
    try shell.write(["PRIVATE-TOKEN: made-up"], to: "service/note-header")
    variables.merge([
      "KEYPLAN_CHECKOUT": "untrusted",
      "KEYPLAN_IDENTITY": expressions["secrets.KEYPLAN_IDENTITY"] ?? "", "PAYMENTS_KEY": Self.secret,
      "NOTE_HEADER": shell.folder + "/service/note-header", "CI_API_V4_URL": "https://gitlab.example.com/api/v4",
      "CI_PROJECT_ID": "1", "CI_MERGE_REQUEST_IID": "7", "CI_JOB_URL": "https://gitlab.example.com/jobs/1",
    ]) { $1 }
  }

  /// Runs a job of GitLab's.
  func job(_ name: String, of file: PipelineFile, _ more: [String: String] = [:]) throws -> Int32 {
    let text = try file.script(of: name).joined(separator: "\n")
    return try script(text, file.variables(of: name).merging(more) { $1 }, options: "-eo pipefail")
  }

  /// The value that is in the store, as a deployment reads it; what was said where there is none.
  func stored() throws -> [String] {
    let answer = try shell.run(
      """
      cd repo; export KEYPLAN_IDENTITY=\(expressions["secrets.KEYPLAN_IDENTITY"] ?? "")
      KEYPLAN_STORE='\(expressions["secrets.KEYPLAN_STORE_READING"] ?? "")' keyplan run -- printenv PAYMENTS_KEY
      """)
    return answer.out + answer.err
  }

  /// The next job has another machine: a home without anything in it, and a fresh checkout.
  func forget() throws {
    let forgotten = try shell.run(
      """
      set -e; find ~ -mindepth 1 -delete; rm -rf service/temp fresh; mkdir service/temp
      git clone --quiet repo fresh; rm -rf repo; mv fresh repo
      """)
    try #require(forgotten.code == 0, "\(forgotten.err)")
  }

  /// Runs a GitHub job's steps in order; answers with the exit code of the first that failed.
  func job(_ steps: [PipelineFile.Step], event: String) throws -> Int32 {
    (log, summary) = ([], [])
    _ = try shell.run("rm -rf service/temp; mkdir service/temp; : >service/path")
    return try run(steps, event)
  }

  private func run(_ steps: [PipelineFile.Step], _ event: String, _ more: [String: String] = [:]) throws -> Int32 {
    var failed: Int32 = 0
    for step in steps where try isWanted(step.condition, event, failed != 0) {
      if let name = step.uses?.wholeMatch(of: /keyplan\/keyplan\/actions\/(setup|plan)@v0\.1\.0/)?.1 {
        let code = try action(String(name), step, event)
        if failed == 0 { failed = code }
      } else if let uses = step.uses {
        try #require(uses.wholeMatch(of: /actions\/(checkout|upload-artifact)@[0-9a-f]{40}/) != nil, "\(uses)")
        guard uses.hasPrefix("actions/upload-artifact@") else { continue }
        let kept = try shell.run(
          "rm -rf service/artefact; cp -R '\(try filled(step.inputs["path"] ?? ""))' service/artefact")
        try #require(kept.code == 0, "\(kept.err)")
      } else if let run = step.run {
        let variables = more.merging(try step.variables.mapValues(filled)) { $1 }
        let code = try script(run, variables, options: "--noprofile --norc -eo pipefail")
        if failed == 0 { failed = code }
        if let id = step.id {
          expressions = expressions.filter { !$0.key.hasPrefix("steps.\(id).outputs.") }
          let outputs = shell.content(of: "service/output").compactMap { $0.wholeMatch(of: /([^=]+)=(.*)/) }
          // Files are shown under a name of this story's folder.
          for output in outputs {
            expressions["steps.\(id).outputs.\(output.1)"] = String(output.2).replacing("<here>", with: shell.folder)
          }
        }
        summary += shell.content(of: "service/summary")
      }
    }
    return failed
  }

  /// Runs a composite action of this repository: its inputs and steps are its own, its environment that of the step.
  private func action(_ name: String, _ step: PipelineFile.Step, _ event: String) throws -> Int32 {
    let folder = ReadmeTests.root.appending(path: "actions").appending(path: name)
    let action = try PipelineFile(folder.appending(path: "action.yml"))
    let inputs = try action.fields("default", of: "inputs").merging(step.inputs) { $1 }.mapValues(filled)
    var variables = try step.variables.mapValues(filled)
    variables["GITHUB_ACTION_PATH"] = folder.path
    let outside = expressions
    for (name, value) in inputs { expressions["inputs." + name] = value }
    let code = try run(try action.steps(), event, variables)
    // An output of a step that set none is empty.
    let outputs = try action.fields("value", of: "outputs").mapValues { try filled($0, unset: "") }
    expressions = outside
    guard let id = step.id else { return code }
    for (name, value) in outputs { expressions["steps.\(id).outputs.\(name)"] = value }
    return code
  }

  /// Runs a script with bash in the checkout.
  func script(_ text: String, _ more: [String: String], options: String) throws -> Int32 {
    try shell.write(text.components(separatedBy: "\n"), to: "service/step.sh")
    let exports = variables.merging(more) { $1 }.sorted { $0.key < $1.key }
      .map { "export \($0.key)='\($0.value.replacing("'", with: "'\\''"))'" }
    let files = ["GITHUB_OUTPUT": "output", "GITHUB_STEP_SUMMARY": "summary", "GITHUB_PATH": "path"]
      .map { "export \($0.key)=$service/\($0.value)" }
    let answer = try shell.run(
      """
      service=$PWD/service; : >service/output; : >service/summary
      export PATH="$service/bin:$PATH"; while read -r line; do PATH="$line:$PATH"; done <service/path
      \((exports + files).joined(separator: "\n"))
      cd repo; bash \(options) "$service/step.sh" 2>&1
      """)
    log += answer.out + answer.err
    return answer.code
  }

  private func isWanted(_ condition: String?, _ event: String, _ isFailed: Bool) throws -> Bool {
    switch condition {
    case nil: return !isFailed
    case "${{ failure() }}": return isFailed
    case "${{ github.event_name == 'push' }}": return !isFailed && event == "push"
    case "${{ !cancelled() && inputs.comment == 'true' && github.event_name == 'pull_request' }}":
      return event == "pull_request" && expressions["inputs.comment"] == "true"
    case let other?:
      Issue.record("no condition that this runner knows: \(other)")
      return false
    }
  }

  private func filled(_ text: String) throws -> String { try filled(text, unset: nil) }

  /// Text with its expressions filled in.
  private func filled(_ text: String, unset: String?) throws -> String {
    try text.replacing(/\$\{\{ *([^}]+?) *\}\}/) { match in
      try #require(expressions[String(match.1)] ?? unset, "no expression that this runner knows: \(match.1)")
    }
  }
}
