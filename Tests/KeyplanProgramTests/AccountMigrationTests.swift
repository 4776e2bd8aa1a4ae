import Foundation
import Testing

/// Another program's sign-in, at real authorization servers.
@Suite(
  "A sign-in of another program",
  .enabled(if: AccountPeer.python != nil, "run make setup-test, and set KEYPLAN_TEST_PYTHON"))
struct AccountMigrationTests {
  @Test(
    "is taken over once, and its file goes when the service has taken the token",
    arguments: [AccountPeer.Kind.google, .strict].filter(\.isHere))
  func takenOver(kind: AccountPeer.Kind) throws {
    let project = try AccountProject(kind)
    let file = project.sandbox.project + "/oauth"
    let form = kind == .google ? "google-auth" : "json"
    let token = try #require(try project.peer.ask("left", form, file).page)
    let manifest = String(decoding: try #require(project.sandbox.content(of: "keyplan.yaml")), as: UTF8.self)
    let migration = "migrations:\n  - { adopt: \"file://oauth\", to: calendar.work, original: remove }\n"
    try project.sandbox.write(manifest + migration, to: "keyplan.yaml")

    var told = ""
    func keyplan(_ words: String...) throws -> ProgramRun.Answer {
      let answer = try project.sandbox.start([Shell.program] + words).wait()
      told += answer.out + answer.err
      return answer
    }
    let plan = try keyplan("plan")
    #expect(plan.out.contains("token imported") && plan.out.contains("original removed"), "\(plan.out)")
    #expect(try project.peer.refreshes() == [], "a plan uses nothing up")
    var refreshes = [200]
    if kind == .google {
      // Killed between the service's answer and its writing: the file stands, and the next run goes on.
      try project.peer.ask("fault", "hold")
      let run = try project.sandbox.start([Shell.program, "apply", "--yes"])
      #expect(try project.peer.ask("held").held == true)
      kill(-run.process, SIGKILL)
      #expect(run.wait().code == 137)
      try project.peer.ask("fault", "none")
      #expect(FileManager.default.fileExists(atPath: file))
      refreshes.append(200)
    }
    let applied = try keyplan("apply", "--yes")
    #expect(applied.code == 0, "\(applied.out)\(applied.err)")
    #expect(!FileManager.default.fileExists(atPath: file))
    #expect(try project.peer.refreshes().count == refreshes.count)
    #expect(try keyplan("calendar", "status").out.contains("granted"))
    #expect(try keyplan("calendar", "refresh", "work").code == 0)
    #expect(try keyplan("plan", "--detailed-exitcode").code == 0)
    #expect(try keyplan("drift").code == 0)
    #expect(try keyplan("show").code == 0)

    #expect(!told.contains(token))
    for name in project.sandbox.files() {
      guard let bytes = FileManager.default.contents(atPath: project.sandbox.root + "/" + name) else { continue }
      #expect(bytes.range(of: Data(token.utf8)) == nil, "\(name)")
    }
  }
}
