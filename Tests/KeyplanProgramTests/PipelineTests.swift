import Foundation
import Testing

/// The CI files of `examples/gitops`: linted, and their jobs run for real but for the service around them; here on a machine of one's
/// own, with the store in a file.
@Suite("A pipeline", .enabled(if: PipelineFile.python != nil, "needs KEYPLAN_TEST_PYTHON: make setup-test"))
struct PipelineTests {
  private static let example = RecipeTests.folder.appending(path: "gitops")
  private static let workflow = example.appending(path: ".github/workflows/keyplan.yml")
  private static let store = "~/keyplan/shop.db"
  private static let gitlab = example.appending(path: ".gitlab-ci.yml")
  static let component = ReadmeTests.root.appending(path: "templates/pipeline.yml")
  private static let actions = ["setup", "plan"].map {
    ReadmeTests.root.appending(path: "actions").appending(path: $0)
  }

  @Test("on GitHub plans on a pull request, applies what was read there, and nothing else")
  func github() throws {
    let file = try PipelineFile(Self.workflow)
    let runner = try PipelineRunner(Self.example, store: Self.store, reading: Self.store)
    runner.prepareForGitHub()

    let validating = try file.steps(of: "validate")
    #expect(try runner.job(validating, event: "pull_request") == 0, "\(runner.log)")
    #expect(runner.summary.contains { $0.contains("The manifest is valid.") })
    _ = try runner.shell.run("cd service/release; for a in *.tar.gz; do cp $a ../kept; printf x >>$a; done")
    #expect(try runner.job(validating, event: "pull_request") == 1, "another program was taken")
    #expect(runner.log.contains { $0.contains("provenance could not be verified") }, "\(runner.log)")
    _ = try runner.shell.run("cd service/release; for a in *.tar.gz; do mv ../kept $a; done")

    let planning = try file.steps(of: "plan")
    #expect(try runner.job(planning, event: "pull_request") == 0, "\(runner.log)")
    let comment = runner.shell.content(of: "service/comment.md")
    #expect(comment.first?.wholeMatch(of: /<!-- keyplan plan [0-9a-f]{16} -->/) != nil, "\(comment)")
    #expect(Array(comment.dropFirst()) == runner.summary)
    try Self.compare(runner.summary, with: "expected-comment.md")
    #expect(try runner.job(planning, event: "pull_request") == 0, "\(runner.log)")
    #expect(runner.shell.content(of: "service/comments") == ["POST", "PATCH"], "there is one comment")
    let id = try #require(runner.shell.content(of: "service/artefact/id").first)
    #expect(id.wholeMatch(of: /kp1-[0-9a-z]{26}/) != nil && comment.contains("`\(id)`"))
    try Self.expectNoSecret(in: runner, ["comment.md", "artefact/id", "artefact/plan.kp"])

    let applying = try file.steps(of: "apply")
    #expect(try runner.job(applying, event: "push") == 0, "\(runner.log)")
    #expect(runner.log.contains("Applied: 1 stored."))
    #expect(try runner.stored() == [PipelineRunner.secret])
    try Self.expectNoSecret(in: runner, [])

    // The job once more: what its id stands for is done.
    #expect(try runner.job(applying, event: "push") == 0, "\(runner.log)")
    #expect(runner.log.contains { $0.hasPrefix("Nothing to do: \(id) was applied at ") }, "\(runner.log)")

    // Each day, with what pull requests have.
    let drifting = try file.steps(of: "drift")
    #expect(try runner.job(drifting, event: "schedule") == 0, "\(runner.log)")
    #expect(runner.summary.contains { $0.contains("No drift") }, "\(runner.summary)")
    #expect(runner.summary.contains { $0.hasPrefix("Last apply: ") && $0.contains(" by ada") }, "\(runner.summary)")
    try Self.expectNoSecret(in: runner, [])

    // A value is rotated in the service's own settings: planned and applied by hand, by the id.
    runner.expressions["secrets.PAYMENTS_KEY"] = PipelineRunner.secret + "-2"
    #expect(try runner.job(planning, event: "workflow_dispatch") == 0, "\(runner.log)")
    runner.expressions["inputs.id"] = runner.expressions["steps.plan.outputs.id"]
    #expect(try runner.job(applying, event: "workflow_dispatch") == 0, "\(runner.log)")
    #expect(try runner.stored() == [PipelineRunner.secret + "-2"])

    // Whoever leaves changes the root key, and with it keyplan.lock, which then has to come into git.
    runner.expressions["inputs.id"] = ""
    let identity = runner.expressions["secrets.KEYPLAN_IDENTITY"] ?? ""
    let own = try runner.shell.run("KEYPLAN_IDENTITY=\(identity) keyplan identity show --quiet").out.joined()
    let other = try runner.shell.run("keyplan identity new --quiet --identity ~/other").out.joined()
    let planner = try runner.shell.run("cd repo; sed -n 's/.*\\(pull-requests: {[^}]*}\\).*/\\1/p' keyplan.yaml").out
      .joined()
    let both = "ada: \(own), \(planner)"
    for (line, code) in [("recipients: { \(both), bob: \(other) }", Int32(0)), ("recipients: { \(both) }", 1)] {
      _ = try runner.shell.run("cd repo; sed -i '/^recipients:/d' keyplan.yaml; echo '\(line)' >>keyplan.yaml")
      #expect(try runner.job(planning, event: "pull_request") == 0, "\(runner.log)")
      #expect(try runner.job(applying, event: "push") == code, "\(runner.log)")
      #expect(runner.log.contains("Applied: 1 re-encrypted."))
      #expect(runner.log.contains { $0.hasPrefix("+default ") } == (code == 1), "\(runner.log)")
    }

    // A pull request that cannot be planned says so in its comment, and keeps no plan.
    _ = try runner.shell.run("rm -rf service/artefact; cd repo; echo 'active: { main: nobody }' >>keyplan.yaml")
    #expect(try runner.job(planning, event: "pull_request") == 1, "\(runner.log)")
    #expect(runner.shell.content(of: "service/comment.md").contains { $0.contains("nobody") })
    #expect(!runner.shell.content(of: "service/comment.md").contains { $0.contains("kp1-") })
    #expect(runner.shell.content(of: "service/artefact/id") == ["<none>"])
  }

  @Test("on GitLab plans on a merge request, and applies on main what its own plan said")
  func merging() throws {
    let file = try PipelineFile(component: Self.component)
    let runner = try PipelineRunner(Self.example, store: Self.store, reading: Self.store)
    try runner.prepareForGitLab()
    runner.variables["KEYPLAN_STORE"] = Self.store
    func run(_ job: String, _ more: [String: String] = [:]) throws -> Int32 { try runner.job(job, of: file, more) }

    #expect(try run("keyplan-validate") == 0, "\(runner.log)")
    // A merge request that has links where the job writes its files.
    _ = try runner.shell.run(
      "mkdir theirs; ln -s ../theirs repo/keyplan-plan; ln -s ../theirs/plan.md repo/plan.md; echo own >theirs/plan.md")
    #expect(try run("keyplan-plan") == 0, "\(runner.log)")
    #expect(runner.shell.content(of: "theirs/plan.md") == ["own"])
    try Self.compare(runner.shell.content(of: "service/note.md"), with: "expected-comment.md")
    try Self.expectNoSecret(in: runner, ["note.md"])
    #expect(runner.shell.content(of: "repo/keyplan-plan/plan.kp") != ["<none>"])

    #expect(try run("keyplan-plan-main") == 0, "\(runner.log)")
    let found = try #require(
      runner.shell.content(of: "repo/keyplan-plan/plan.env").first?.wholeMatch(of: /PLAN_ID=(kp1-[0-9a-z]{26})/))
    #expect(try run("keyplan-apply", ["PLAN_ID": String(found.1)]) == 0, "\(runner.log)")
    #expect(try runner.stored() == [PipelineRunner.secret])
    #expect(try run("keyplan-apply", ["PLAN_ID": String(found.1)]) == 0, "\(runner.log)")
    #expect(try run("keyplan-drift") == 0, "\(runner.log)")
    #expect(runner.log.contains { $0.hasPrefix("No drift.") }, "\(runner.log)")
    try Self.expectNoSecret(in: runner, [])
  }

  @Test("takes an archive of the release only if its checksum is the given one", arguments: [true, false])
  func checksum(isRight: Bool) throws {
    let runner = try PipelineRunner(Self.example, store: Self.store, reading: Self.store)
    runner.prepareForGitHub()
    let known = try #require(runner.shell.content(of: "service/release/SHA256SUMS").first?.prefix(64))
    let checksum = isRight ? String(known) : String(repeating: "0", count: 64)
    let step = PipelineFile.Step(
      uses: "keyplan/keyplan/actions/setup@v0.1.0", run: nil, condition: nil, id: "setup", variables: [:],
      inputs: ["sha256": checksum])
    #expect(try runner.job([step], event: "push") == (isRight ? 0 : 1), "\(runner.log)")
    #expect(runner.expressions["steps.setup.outputs.version"] == (isRight ? "0.1.0" : ""))

    try runner.prepareForGitLab()
    let file = try PipelineFile(component: Self.component, ["sha256": checksum])
    #expect(try runner.job("keyplan-validate", of: file) == (isRight ? 0 : 1), "\(runner.log)")
  }

  @Test("is taken by the services' schemas, by linters, and its shell by shellcheck")
  func lint() throws {
    let tools = try #require(PipelineFile.tools)
    let shell = try Shell()
    let schema = "'\(tools)/check-jsonschema' --builtin-schema vendor"
    let github = try shell.run("\(schema).github-workflows '\(Self.workflow.path)'")
    #expect(github.code == 0, "\(github.out)")
    let gitlab = try shell.run("\(schema).gitlab-ci --data-transform gitlab-ci '\(Self.gitlab.path)'")
    #expect(gitlab.code == 0, "\(gitlab.out)")
    // Expressions and their types, contexts that a key does not have, what jobs need of each other, shell in its place.
    let linted = try shell.run(
      "'\(tools)/actionlint' -no-color -shellcheck '\(tools)/shellcheck' '\(Self.workflow.path)'")
    #expect(linted.code == 0, "\(linted.out) \(linted.err)")
    // Unpinned actions, wide permissions, expressions in shell, credentials left behind, races.
    let audit = try shell.run(
      "'\(tools)/zizmor' --offline --pedantic --min-severity low --no-progress --color never '\(Self.workflow.path)'")
    #expect(audit.code == 0 && audit.out.contains { $0.hasPrefix("No findings") }, "\(audit.out)")
    var scripts = try PipelineFile(Self.workflow).scripts() + PipelineFile(component: Self.component).scripts()
    for action in Self.actions {
      let file = action.appending(path: "action.yml")
      let answer = try shell.run("\(schema).github-actions '\(file.path)'")
      #expect(answer.code == 0, "\(answer.out)")
      scripts += try PipelineFile(file).scripts()
      for name in try FileManager.default.contentsOfDirectory(atPath: action.path) where name.hasSuffix(".sh") {
        scripts.append(try String(contentsOf: action.appending(path: name), encoding: .utf8))
      }
    }
    #expect(scripts.count > 10)
    for script in scripts {
      #expect(!script.contains("${{"), "an expression in shell is code from outside: \(script)")
      try shell.write(["#!/bin/bash"] + script.components(separatedBy: "\n"), to: "script.sh")
      let answer = try shell.run("bash -n script.sh && '\(tools)/shellcheck' --format gcc script.sh")
      #expect(answer.code == 0, "\(answer.out) \(answer.err)\n\(script)")
    }
  }

  private static func compare(_ found: [String], with name: String) throws {
    let file = example.appending(path: name)
    let text = try String(contentsOf: file, encoding: .utf8)
    let expected = Walkthrough(try String(contentsOf: example.appending(path: "README.md"), encoding: .utf8))
    let run = try WalkthroughRun(expected, copying: nil)
    #expect(run.fits(found, text.components(separatedBy: "\n").dropLast()), "\(found.joined(separator: "\n"))")
  }

  /// Neither in the log and the summary of the last job, nor in these files.
  private static func expectNoSecret(in runner: PipelineRunner, _ files: [String]) throws {
    let lines = runner.log + runner.summary + files.flatMap { runner.shell.content(of: "service/" + $0) }
    #expect(!lines.isEmpty)
    for line in lines {
      #expect(!line.contains(PipelineRunner.secret) && !line.contains("AGE-SECRET-KEY-1"), "\(line)")
    }
  }
}
