import Foundation
import PostgresForTests
import Testing

/// Over a slow network a command takes as long as it waits for answers. Without TLS and with a role that needs no password, which cost the
/// same whatever keyplan does.
@Suite("How often a command waits for the server of a shared store", needsServer)
struct SharedStoreTurnTests {
  private let server: PostgresServer

  init() throws { server = try PostgresServer.shared.get() }

  /// A store with so many keys.
  private func project(keys count: Int) throws -> ProgramSandbox {
    let sandbox = try ProgramSandbox.shared(on: server)
    let keys = (1...count).map { "  k\($0): { provider: generic, source: \"file://k\($0).txt\", variable: K\($0) }\n" }
    try sandbox.write("version: 1\nkeys:\n" + keys.joined(), to: "keyplan.yaml")
    for number in 1...count { try sandbox.write("value \(number)\n", to: "k\(number).txt") }
    #expect(try sandbox.keyplan("init").code == 0)
    #expect(try sandbox.keyplan("apply", "--yes").code == 0)
    return sandbox
  }

  /// For each of its connections.
  private func turns(_ sandbox: ProgramSandbox, _ words: [String]) throws -> [Int] {
    let proxy = try CuttingProxy(to: server)
    let direct = sandbox.variables["KEYPLAN_STORE"]
    defer { sandbox.variables["KEYPLAN_STORE"] = direct }
    sandbox.variables["KEYPLAN_STORE"] =
      "postgres://keyplan@127.0.0.1:\(proxy.port)/keyplan?sslmode=disable&project=\(sandbox.projectName)"
    let answer = try sandbox.start([Shell.program] + words).wait()
    #expect(answer.code == 0, "\(words): \(answer.out)\(answer.err)")
    return proxy.turns
  }

  /// Two of them are the connection: to make it, and to begin a session.
  private static let most: [(words: [String], turns: Int)] = [
    (["plan"], 3), (["drift"], 3), (["show"], 3), (["get", "k1"], 4), (["env"], 4), (["run", "--", "true"], 4),
  ]

  /// An apply that stores a value has a second connection, for renewals of its lock. How many these are is a matter of time, and nothing
  /// waits for them. The first has 6, one more where the lock is released over it, and one more where the server answers to the first half of
  /// a commit before the second half comes.
  private func checkApply(_ sandbox: ProgramSandbox) throws {
    try sandbox.write("another value\n", to: "k1.txt")
    let turns = try turns(sandbox, ["apply", "--yes"])
    #expect(turns.count <= 2 && turns[0] <= 8, "\(turns)")
    #expect(try sandbox.keyplan("get", "k1").out == "another value")
  }

  @Test("is a bound of each")
  func bounds() throws {
    let sandbox = try project(keys: 3)
    for (words, most) in Self.most {
      let turns = try turns(sandbox, words)
      #expect(turns.count == 1 && turns[0] <= most, "\(words): \(turns)")
    }
    #expect(try turns(sandbox, ["validate"]).isEmpty)
    try checkApply(sandbox)
    #expect(try turns(sandbox, ["apply", "--yes"]) == [3], "nothing is to be done")
  }

  @Test("depends on the number of keys for one key only, whose record is then asked for apart")
  func many() throws {
    let sandbox = try project(keys: 150)
    #expect(try turns(sandbox, ["plan"]) == [3])
    #expect(try turns(sandbox, ["get", "k1"]) == [5])
    try checkApply(sandbox)
  }
}
