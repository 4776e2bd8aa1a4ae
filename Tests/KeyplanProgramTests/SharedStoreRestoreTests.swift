import Foundation
import PostgresForTests
import Testing

/// A restore to a shared store, broken at each message of its connection in turn. The same command again completes it.
@Suite("A restore to a shared store, at each of its messages", needsServer, .serialized)
struct SharedStoreRestoreTests {
  /// What happens at the message.
  enum Fault: String, CaseIterable, CustomTestStringConvertible {
    case killed = "is killed"
    case killedOnArrival = "is killed once it arrived"
    case cut = "loses its connection"
    case cutOnArrival = "loses its connection once it arrived"
    var testDescription: String { rawValue }
    var isKilled: Bool { self == .killed || self == .killedOnArrival }
    var arrives: Bool { self == .killedOnArrival || self == .cutOnArrival }
  }

  private let server: PostgresServer

  init() throws { server = try PostgresServer.shared.get() }

  private static let manifest = """
    version: 1
    keys:
      a: { provider: generic, source: file://a.txt, variable: A }
      given: { provider: generic, variable: GIVEN }

    """

  private func sandbox() throws -> ProgramSandbox {
    let sandbox = try ProgramSandbox.shared(on: server)
    try sandbox.write(Self.manifest, to: "keyplan.yaml")
    try #require(sandbox.keyplan("init").code == 0)
    try #require(sandbox.keyplan("keys", "set", "given", "--yes", input: .text("given-value\n")).code == 0)
    return sandbox
  }

  /// A backup with a value of this round, and a store that went on to another.
  private func setRound(_ round: Int, of sandbox: ProgramSandbox) throws -> (command: [String], file: String) {
    let file = "b\(round).age"
    for value in ["old-\(round)", "new-\(round)"] {
      try sandbox.write(value + "\n", to: "a.txt")
      let applied = try sandbox.keyplan("apply", "--yes")
      try #require(applied.code == 0, "\(applied.out)\(applied.err)")
      if value.hasPrefix("old") { try #require(sandbox.keyplan("backup", file).code == 0) }
    }
    try sandbox.write("old-\(round)\n", to: "a.txt")
    return (["restore", file, "--yes"], file)
  }

  private func start(_ command: [String], in sandbox: ProgramSandbox, through proxy: CuttingProxy) throws -> ProgramRun
  {
    let direct = sandbox.variables["KEYPLAN_STORE"]
    defer { sandbox.variables["KEYPLAN_STORE"] = direct }
    sandbox.variables["KEYPLAN_STORE"] =
      "postgres://keyplan@127.0.0.1:\(proxy.port)/keyplan?sslmode=disable&project=\(sandbox.projectName)"
    return try sandbox.start([Shell.program] + command)
  }

  /// How many messages an unbroken restore sends, or sends and gets.
  private func count(_ fault: Fault, _ command: [String], in sandbox: ProgramSandbox) throws -> Int {
    let proxy =
      fault.isKilled
      ? try CuttingProxy(to: server, atClientMessage: .max) { true }
      : try CuttingProxy(to: server, cutting: .max, forwarding: true)
    let whole = try start(command, in: sandbox, through: proxy).wait()
    try #require(whole.code == 0, "\(whole.out)\(whole.err)")
    return proxy.messages
  }

  private func run(
    _ command: [String], in sandbox: ProgramSandbox, _ fault: Fault, at number: Int
  ) throws -> (answer: ProgramRun.Answer, isHit: Bool) {
    let watched = WatchedRun()
    let proxy =
      fault.isKilled
      ? try CuttingProxy(to: server, atClientMessage: number) {
        watched.reach { kill(-$0, SIGKILL) }
        return fault.arrives
      } : try CuttingProxy(to: server, cutting: number, forwarding: fault.arrives)
    let run = try start(command, in: sandbox, through: proxy)
    watched.start(run.process)
    let answer = run.wait()
    return (answer, proxy.messages >= number)
  }

  @Test("that breaks there loses nothing, and is completed by the next one", arguments: Fault.allCases)
  func broken(_ fault: Fault) throws {
    let sandbox = try sandbox()
    let first = try setRound(1, of: sandbox)
    let counted = try count(fault, first.command, in: sandbox)
    #expect(counted > 10, "\(counted) messages")
    var (hit, codes) = (0, [Int32: Int]())
    for (index, number) in FaultTracer.sample(counted, atMost: 8).enumerated() {
      let round = index + 2
      let (command, file) = try setRound(round, of: sandbox)
      let backup = sandbox.content(of: file)
      let (answer, isHit) = try run(command, in: sandbox, fault, at: number)
      hit += isHit ? 1 : 0
      codes[answer.code, default: 0] += 1
      let place = "\(fault.rawValue) at message \(number) of \(counted): \(answer.code)\n\(answer.out)\(answer.err)"
      let expected: Set<Int32> = !isHit ? [0] : fault.isKilled ? [137] : [0, 1, 3, 5, 8]
      #expect(expected.contains(answer.code), "\(place)")
      #expect(sandbox.content(of: file) == backup, "\(place)")
      // That a dead holder's lock ends is another test's.
      try sandbox.expireLock(on: server)

      let got = try sandbox.keyplan("get", "a")
      #expect(
        got.code == 0 && ["old-\(round)", "new-\(round)"].contains(got.out), "\(got.out)\(got.err) after it \(place)")
      if answer.code == 0 { #expect(got.out == "old-\(round)", "done was said of a restore that \(place)") }
      let again = try sandbox.start([Shell.program] + command).wait()
      // Once keyplan.lock names the new root key only, the restore was complete, and the backup is under an older one.
      #expect(again.code == 0, "\(again.code) \(again.out)\(again.err) after it \(place)")

      #expect(try sandbox.keyplan("get", "a").out == "old-\(round)", "after it \(place)")
      #expect(try sandbox.keyplan("get", "given").out == "given-value", "after it \(place)")
      let plan = try sandbox.keyplan("plan", "--detailed-exitcode")
      #expect(plan.code == 0, "\(plan.out)\(plan.err) after it \(place)")
      #expect(try stores(of: sandbox) == "1", "after it \(place)")
    }
    print(
      "restores of which each \(fault.rawValue): \(hit) of \(counted) messages, exit codes \(codes.sorted { $0.key < $1.key })"
    )
    #expect(hit > 5, "most of the faults must have happened: \(hit)")
  }

  private func stores(of sandbox: ProgramSandbox) throws -> String {
    try server.sql("SELECT count(*) FROM keyplan.stores WHERE project = '\(sandbox.projectName)'")
  }
}
