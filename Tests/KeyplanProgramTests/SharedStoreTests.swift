import Foundation
import PostgresForTests
import Testing

@Suite("A store that several machines share", needsServer)
struct SharedStoreTests {
  private let server: PostgresServer

  init() throws { server = try PostgresServer.shared.get() }

  @Test("is made by init alone, and then serves every machine that has the identity and keyplan.lock")
  func life() throws {
    let one = try ProgramSandbox.shared(on: server, "schema=life")
    try one.write(
      "version: 1\nkeys: { a: { provider: generic, source: file://a.txt, variable: A } }\n", to: "keyplan.yaml")
    try one.write("value 1\n", to: "a.txt")
    let before = try one.keyplan("plan")
    #expect(before.code == 0 && before.out.contains("+ key.a"), "\(before.err)")
    #expect(try server.sql("SELECT count(*) FROM information_schema.schemata WHERE schema_name = 'life'") == "0")
    #expect(try one.keyplan("identity", "new").code == 0)
    let get = try one.keyplan("get", "a")
    #expect(get.code == 9 && get.err.contains("keyplan init"), "\(get.err)")

    let made = try one.keyplan("init")
    #expect(made.code == 0 && made.out.contains("keyplan's tables in the schema life"), "\(made.out)\(made.err)")
    #expect(try one.keyplan("apply", "--yes").code == 0)
    let kept = one.files().filter { $0.contains(".keyplan/") || $0.hasSuffix(".lock.lock") }
    // What git ignores, and the schema for editors.
    #expect(kept.allSatisfy { $0.hasSuffix("/.gitignore") || $0.hasSuffix(".schema.json") }, "\(kept)")

    let two = try ProgramSandbox(copying: one)
    #expect(try two.keyplan("get", "a").out == "value 1")
    try two.write("value 2\n", to: "a.txt")
    #expect(try two.keyplan("apply", "--yes").code == 0)
    #expect(try one.keyplan("get", "a").out == "value 2")
    try one.write("value 2\n", to: "a.txt")
    #expect(try one.keyplan("drift").code == 0)
    let doctor = try one.keyplan("doctor")
    #expect(
      doctor.out.contains("(\(one.projectName)/default) opens with the identity") || doctor.out.contains("serial"))
    #expect(try two.keyplan("init").out.contains("kept"))
  }

  @Test("is one for each project and environment, and not taken over by who happens to have its name")
  func projects() throws {
    let one = try ProgramSandbox.shared(on: server)
    #expect(try one.keyplan("init").code == 0)
    let two = try ProgramSandbox(copying: one)
    try FileManager.default.removeItem(atPath: two.project + "/keyplan.lock")
    let again = try two.keyplan("init")
    #expect(again.code == 9 && again.err.contains("project=NAME"), "\(again.err)")
    try one.write("{}\n", to: "keyplan.staging.yaml")
    #expect(try one.keyplan("init", "--environment", "staging").code == 0)
    let query = "SELECT environment FROM keyplan.stores WHERE project = '\(one.projectName)' ORDER BY 1"
    #expect(try server.sql(query) == "default\nstaging")
    #expect(try server.sql("SELECT count(DISTINCT id) FROM keyplan.stores WHERE project = '\(one.projectName)'") == "2")
  }

  @Test("named in the manifest is the same, and a password there is refused")
  func manifest() throws {
    let sandbox = try ProgramSandbox.shared(on: server)
    let address = try #require(sandbox.variables["KEYPLAN_STORE"])
    sandbox.variables["KEYPLAN_STORE"] = nil
    try sandbox.write("version: 1\nstore: \(address)\n", to: "keyplan.yaml")
    #expect(try sandbox.keyplan("init", "--store", address).code == 0)
    #expect(try sandbox.keyplan("apply", "--yes").code == 0)
    let secret = address.replacingOccurrences(of: "keyplan@", with: "keyplan:canary@")
    try sandbox.write("version: 1\nstore: \(secret)\n", to: "keyplan.yaml")
    let refused = try sandbox.keyplan("plan")
    #expect(refused.code == 1 && !refused.err.contains("canary") && !refused.out.contains("canary"), "\(refused.err)")
    try sandbox.write("version: 1\n", to: "keyplan.yaml")
    let option = try sandbox.keyplan("plan", "--store", secret)
    #expect(option.code == 64 && !option.err.contains("canary"), "\(option.err)")
  }

  @Test("shows its lock's holder with the CI job, and lets it be broken by its id")
  func unlocking() throws {
    let sandbox = try ProgramSandbox.shared(on: server)
    try sandbox.write(
      "version: 1\nkeys: { s: { provider: generic, variable: S, source: { command: [sh, wait.sh], directory: . } } }\n",
      to: "keyplan.yaml")
    try sandbox.write(
      "if mkdir once 2>/dev/null; then touch asked; until test -e go; do sleep 0.05; done; fi\necho value\n",
      to: "wait.sh")
    #expect(try sandbox.keyplan("init").code == 0)
    sandbox.variables["CI_JOB_URL"] = "https://ci.example.com/jobs/7"
    let slow = try sandbox.start([Shell.program, "apply", "--yes"])
    #expect(slow.waits(for: sandbox.project + "/asked"))
    let shown = try sandbox.keyplan("unlock")
    #expect(shown.code == 5 && shown.out.contains("https://ci.example.com/jobs/7"), "\(shown.out)\(shown.err)")
    let id = try #require(shown.out.firstMatch(of: /keyplan unlock ([0-9]+)/)?.1)
    let json = try sandbox.keyplan("unlock", "--json").out
    #expect(json.contains("\"id\":\(id)") && json.contains("\"silentFor\":"), "\(json)")
    let second = try sandbox.keyplan("apply", "--yes")
    #expect(second.code == 5 && second.err.contains("https://ci.example.com/jobs/7"), "\(second.out)\(second.err)")
    #expect(try sandbox.keyplan("unlock", "999999").code == 1)
    #expect(try sandbox.keyplan("unlock", String(id)).code == 0)
    #expect(try sandbox.keyplan("unlock").code == 0)
    try sandbox.write("", to: "go")
    let robbed = slow.wait()
    #expect(robbed.code == 5, "\(robbed.out)\(robbed.err)")
    #expect(try sandbox.keyplan("apply", "--yes").code == 0)
    #expect(try sandbox.keyplan("get", "s").out == "value")
  }

  @Test("is read while another writes, and keeps nobody waiting")
  func readers() throws {
    let sandbox = try FaultProject.applied(in: .shared(on: server))
    // A transaction that holds the store's row, as the slowest of commits would.
    let hold =
      "BEGIN; UPDATE keyplan.stores SET seen = now() WHERE project = '\(sandbox.projectName)'; SELECT pg_sleep(600)"
    let writer = try server.background(hold)
    defer { _ = try? server.sql("SELECT pg_terminate_backend(\(writer))") }
    for command in [["plan"], ["drift"], ["get", "alpha"], ["show"], ["keys", "list"]] {
      let answer = try sandbox.start([Shell.program] + command).wait()
      #expect(answer.code == 0, "\(command): \(answer.err)")
    }
  }
}
