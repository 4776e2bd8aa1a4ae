import Foundation
import PostgresForTests
import Testing

/// The CI files of `examples/gitops` as they are: the store on a server, every job on another machine.
@Suite(
  "A pipeline on machines that forget", needsServer,
  .enabled(if: PipelineFile.python != nil, "needs KEYPLAN_TEST_PYTHON: make setup-test"))
struct SharedPipelineTests {
  private static let example = RecipeTests.folder.appending(path: "gitops")

  private let server: PostgresServer
  private let name = "pipeline_\(UUID().uuidString.prefix(8).lowercased())"
  private let runner: PipelineRunner
  /// What may only plan, and what may apply.
  private let reading: String
  private let writing: String

  init() throws {
    server = try PostgresServer.shared.get()
    reading = server.address("project=\(name)", user: name)
    writing = server.address("project=\(name)")
    runner = try PipelineRunner(Self.example, store: writing, reading: reading)
    try server.sql(
      """
      CREATE ROLE \(name) LOGIN; GRANT USAGE ON SCHEMA keyplan TO \(name); \
      GRANT SELECT ON ALL TABLES IN SCHEMA keyplan TO \(name)
      """)
  }

  private func expectStored(_ value: String) throws {
    try runner.forget()
    #expect(try runner.stored() == [value])
    let kept = try runner.shell.run("find ~ repo -name '*.db'; git -C repo status --porcelain")
    #expect(kept.out == [], "no machine keeps anything")
  }

  @Test("plans on a pull request with a role that only reads, and applies what was read there")
  func github() throws {
    let file = try PipelineFile(Self.example.appending(path: ".github/workflows/keyplan.yml"))
    runner.prepareForGitHub()
    func run(_ job: String, _ event: String) throws -> Int32 {
      try runner.forget()
      return try runner.job(try file.steps(of: job), event: event)
    }
    #expect(try run("plan", "pull_request") == 0, "\(runner.log)")
    #expect(runner.shell.content(of: "service/comment.md").contains { $0.contains("key.payments") })
    runner.expressions["secrets.KEYPLAN_STORE"] = reading
    #expect(try run("apply", "push") == 9, "\(runner.log)")
    #expect(runner.log.contains { $0.contains("lacks permissions") })
    runner.expressions["secrets.KEYPLAN_STORE"] = writing
    #expect(try run("apply", "push") == 0, "\(runner.log)")
    try expectStored(PipelineRunner.secret)
    // The job once more: what its id stands for is done.
    #expect(try run("apply", "push") == 0, "\(runner.log)")
    #expect(runner.log.contains { $0.hasPrefix("Nothing to do: ") }, "\(runner.log)")

    runner.expressions["secrets.PAYMENTS_KEY"] = PipelineRunner.secret + "-2"
    #expect(try run("plan", "workflow_dispatch") == 0, "\(runner.log)")
    runner.expressions["inputs.id"] = runner.expressions["steps.plan.outputs.id"]
    #expect(try run("apply", "workflow_dispatch") == 0, "\(runner.log)")
    try expectStored(PipelineRunner.secret + "-2")
  }

  @Test("plans on a merge request, and applies on main what its own plan said")
  func gitlab() throws {
    let file = try PipelineFile(component: PipelineTests.component)
    try runner.prepareForGitLab()
    func run(_ job: String, _ store: String, _ more: [String: String] = [:]) throws -> Int32 {
      try runner.forget()
      return try runner.job("keyplan-" + job, of: file, more.merging(["KEYPLAN_STORE": store]) { $1 })
    }
    #expect(try run("plan", reading) == 0, "\(runner.log)")
    #expect(try run("plan-main", reading) == 0, "\(runner.log)")
    let found = try #require(
      runner.shell.content(of: "repo/keyplan-plan/plan.env").first?.wholeMatch(of: /PLAN_ID=(kp1-[0-9a-z]{26})/))
    #expect(try run("apply", writing, ["PLAN_ID": String(found.1)]) == 0, "\(runner.log)")
    try expectStored(PipelineRunner.secret)
  }
}
