import Foundation
import PostgresForTests
import Testing

/// The CI files of `examples/gitops` on hosted runners, as its README says: the store on a server, every job on another machine.
@Suite(
  "A pipeline on machines that forget", needsServer,
  .enabled(if: PipelineFile.python != nil, "needs KEYPLAN_TEST_PYTHON: make setup-test"))
struct SharedPipelineTests {
  private static let example = RecipeTests.folder.appending(path: "gitops")

  private let server: PostgresServer
  private let name = "pipeline_\(UUID().uuidString.prefix(8).lowercased())"
  private let runner: PipelineRunner

  init() throws {
    server = try PostgresServer.shared.get()
    runner = try PipelineRunner(
      Self.example, store: server.address("project=\(name)"), editing: "sed -i '/^targets:/,$d' keyplan.yaml")
    try server.sql(
      """
      CREATE ROLE \(name) LOGIN; GRANT USAGE ON SCHEMA keyplan TO \(name); \
      GRANT SELECT ON ALL TABLES IN SCHEMA keyplan TO \(name)
      """)
  }

  /// What may only plan, and what may apply.
  private var reading: String { server.address("project=\(name)", user: name) }
  private var writing: String { server.address("project=\(name)") }

  private func expectStored(_ value: String) throws {
    try runner.forget()
    let identity = runner.expressions["secrets.KEYPLAN_IDENTITY"] ?? ""
    let got = try runner.shell.run(
      "cd repo; KEYPLAN_IDENTITY=\(identity) KEYPLAN_STORE='\(reading)' keyplan get payments")
    #expect(got.out == [value + "<no newline>"], "\(got.err)")
    let kept = try runner.shell.run("find ~ repo -name '*.db'; git -C repo status --porcelain")
    #expect(kept.out == [], "no machine keeps anything")
  }

  @Test("plans on a pull request with a role that only reads, and applies what was read there")
  func github() throws {
    let file = try PipelineFile(Self.example.appending(path: ".github/workflows/keys.yml"))
    runner.variables.merge([
      "GITHUB_ACTIONS": "true", "GITHUB_REPOSITORY": "ada/shop", "GITHUB_SHA": "c0ffee",
      "GITHUB_WORKSPACE": runner.shell.folder + "/repo",
    ]) { $1 }
    runner.expressions.merge([
      "github.token": "made-up-token", "github.repository": "ada/shop", "github.event.pull_request.number": "7",
      "inputs.id": "",
    ]) { $1 }
    func steps(of job: String, _ store: String) throws -> [PipelineFile.Step] {
      try runner.forget()
      return try file.steps(of: job).map { step in
        var variables = step.variables
        if variables["KEYPLAN_STORE"] != nil { variables["KEYPLAN_STORE"] = store }
        return PipelineFile.Step(
          uses: step.uses, run: step.run, condition: step.condition, id: step.id, variables: variables,
          inputs: step.inputs)
      }
    }
    #expect(try runner.job(steps(of: "plan", reading), event: "pull_request") == 0, "\(runner.log)")
    #expect(runner.shell.content(of: "service/comment.md").contains { $0.contains("key.payments") })
    #expect(try runner.job(steps(of: "apply", reading), event: "push") == 9, "\(runner.log)")
    #expect(runner.log.contains { $0.contains("lacks rights") })
    #expect(try runner.job(steps(of: "apply", writing), event: "push") == 0, "\(runner.log)")
    try expectStored(PipelineRunner.secret)
    #expect(try runner.job(steps(of: "apply", writing), event: "push") == 4, "\(runner.log)")

    runner.expressions["secrets.PAYMENTS_KEY"] = PipelineRunner.secret + "-2"
    #expect(try runner.job(steps(of: "plan", reading), event: "workflow_dispatch") == 0, "\(runner.log)")
    runner.expressions["inputs.id"] = runner.expressions["steps.plan.outputs.id"]
    #expect(try runner.job(steps(of: "apply", writing), event: "workflow_dispatch") == 0, "\(runner.log)")
    try expectStored(PipelineRunner.secret + "-2")
  }

  @Test("plans on a merge request, and applies on main what its own plan said")
  func gitlab() throws {
    let file = try PipelineFile(Self.example.appending(path: ".gitlab-ci.yml"))
    try runner.shell.write(["PRIVATE-TOKEN: made-up"], to: "service/note-header")
    runner.variables.merge([
      "KEYPLAN_IDENTITY": runner.expressions["secrets.KEYPLAN_IDENTITY"] ?? "", "PAYMENTS_KEY": PipelineRunner.secret,
      "NOTE_HEADER": runner.shell.folder + "/service/note-header", "CI_API_V4_URL": "https://gitlab.example.com/api/v4",
      "CI_PROJECT_ID": "1", "CI_MERGE_REQUEST_IID": "7", "CI_JOB_URL": "https://gitlab.example.com/jobs/1",
    ]) { $1 }
    func run(_ job: String, _ store: String, _ more: [String: String] = [:]) throws -> Int32 {
      try runner.forget()
      let variables = more.merging(["KEYPLAN_STORE": store]) { $1 }
      return try runner.script(try file.script(of: job).joined(separator: "\n"), variables, options: "-eo pipefail")
    }
    #expect(try run("plan", reading) == 0, "\(runner.log)")
    #expect(try run("plan-main", reading) == 0, "\(runner.log)")
    let found = try #require(
      runner.shell.content(of: "repo/plan.env").first?.wholeMatch(of: /PLAN_ID=(kp1-[0-9a-z]{26})/))
    #expect(try run("apply", writing, ["PLAN_ID": String(found.1)]) == 0, "\(runner.log)")
    try expectStored(PipelineRunner.secret)
  }
}
