import Foundation
import PostgresForTests
import Testing

/// Ctrl-C and SIGTERM while a server does not answer.
@Suite("A run with a shared store whose server stands still", needsServer, .serialized)
struct SharedStoreInterruptTests {
  private let server: PostgresServer

  init() throws { server = try PostgresServer() }

  private func waits(_ run: ProgramRun, for isSo: () throws -> Bool) throws {
    let deadline = Deadline()
    while try !isSo() {
      try #require(!deadline.isOver && kill(run.process, 0) == 0, "it never came so far: \(run.err)")
      usleep(1000)
    }
  }

  @Test("is ended by one signal while nothing has begun, and says so; what was sent to be written is waited for")
  func interrupted() throws {
    let sandbox = try ProgramSandbox.shared(on: server)
    let manifest = """
      version: 1
      keys:
        quick: { provider: generic, variable: QUICK, source: file://quick }
        slow: { provider: generic, variable: SLOW, source: { command: [sh, wait.sh], directory: . } }
      targets: { app: { type: dotenv, path: app.env, keys: { QUICK: quick } } }

      """
    try sandbox.write("version: 1\n", to: "keyplan.yaml")
    try sandbox.write("1\n", to: "quick")
    try sandbox.write("touch asked; until test -e go; do sleep 0.05; done; echo slow\n", to: "wait.sh")
    try #require(sandbox.keyplan("init").code == 0)
    try sandbox.write(manifest, to: "keyplan.yaml")

    // It holds the lock and has stored that the command is allowed; the values are not there yet.
    let first = try sandbox.start([Shell.program, "apply", "--yes"])
    #expect(first.waits(for: sandbox.project + "/asked"))
    try server.pause()
    kill(first.process, SIGTERM)
    let early = first.wait()
    #expect(early.code == 3 && early.out.contains("interrupted"), "\(early.code)\n\(early.out)\(early.err)")

    for (command, signal) in [(["plan"], SIGINT), (["get", "quick"], SIGTERM), (["apply", "--yes"], SIGINT)] {
      let run = try sandbox.start([Shell.program] + command)
      // A connection is its only socket.
      try waits(run) {
        let folder = "/proc/\(run.process)/fd"
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return files.contains {
          (try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + $0).hasPrefix("socket:")) == true
        }
      }
      kill(run.process, signal)
      let answer = run.wait()
      #expect(answer.code == 130 && answer.err.contains("Interrupted"), "\(command): \(answer.code)\n\(answer.err)")
      #expect(answer.err.contains("waited for the server of"), "\(answer.err)")
    }
    try server.resume()
    try sandbox.write("", to: "go")

    // It waits for somebody who keeps all from writing, and then for a server that stands still.
    try sandbox.expireLock(on: server)
    let holder = try server.background("BEGIN; LOCK TABLE keyplan.records IN SHARE MODE; SELECT pg_sleep(600)")
    let second = try sandbox.start([Shell.program, "apply", "--yes"])
    let query = """
      SELECT count(*) FROM pg_stat_activity WHERE application_name = '\(sandbox.projectName)' AND wait_event_type = 'Lock'
      """
    try waits(second) { try server.sql(query) != "0" }
    try server.pause()
    kill(second.process, SIGINT)
    try server.resume()
    try server.sql("SELECT pg_terminate_backend(\(holder))")
    let answer = second.wait()
    #expect(answer.code == 3 && answer.out.contains("not tried"), "\(answer.code)\n\(answer.out)\(answer.err)")
    #expect(try sandbox.keyplan("unlock").code == 0, "its lock is given back")
    #expect(try sandbox.keyplan("apply", "--yes").code == 0)
    #expect(try sandbox.keyplan("get", "quick").out == "1")
    #expect(try sandbox.keyplan("plan", "--detailed-exitcode").code == 0)
    #expect(sandbox.content(of: "app.env").map { String(decoding: $0, as: UTF8.self) }?.contains("QUICK=1") == true)
  }
}
