import Foundation
import PostgresForTests
import Testing

/// What is left when an apply, its connection or its server ends at any moment.
@Suite("An apply to a shared store", needsServer, .serialized)
struct SharedStoreKillTests {
  private let server: PostgresServer

  init() throws { server = try PostgresServer.shared.get() }

  private static let words = [Shell.program, "apply", "--yes", "--allow-forget"]

  /// Everything is as this round declares it, and was stored once.
  private func check(_ sandbox: ProgramSandbox, round: Int) throws {
    let again = try sandbox.start(Self.words + ["--lock-timeout", "60s"]).wait()
    #expect(again.code == 0, "round \(round): \(again.out)\(again.err)")
    try KillTests.check(sandbox, round: round)
  }

  @Test(
    "takes turns with another, fifty times: one holds the lock, the other says so or waits", arguments: [false, true])
  func race(isPatient: Bool) throws {
    let sandbox = try FaultProject.applied(in: .shared(on: server))
    var codes: [Int32: Int] = [:]
    for round in 2..<(isPatient ? 5 : 52) {
      try FaultProject.setRound(round, of: sandbox)
      let words = Self.words + (isPatient ? ["--lock-timeout", "60s"] : [])
      let answers = [try sandbox.start(words), try sandbox.start(words)].map { $0.wait() }
      for answer in answers { codes[answer.code, default: 0] += 1 }
      let said = answers.map { "\($0.code)\n\($0.out)\($0.err)" }.joined()
      #expect(answers.contains { $0.code == 0 }, "round \(round): \(said)")
      #expect(answers.allSatisfy { (isPatient ? [0, 4] : [0, 4, 5]).contains($0.code) }, "round \(round): \(said)")
      // Everything is looked at now and then; what was stored twice is seen each time, and one that was lost at the end.
      #expect(try KillTests.version(of: sandbox) == round, "round \(round): \(said)")
      if isPatient || round.isMultiple(of: 10) || round == 51 { try check(sandbox, round: round) }
    }
    print("two applies\(isPatient ? " that wait" : ""): exit codes \(codes.sorted { $0.key < $1.key })")
  }

  @Test("goes on when the server ends its connections, again and again")
  func terminated() throws {
    let sandbox = try FaultProject.applied(in: .shared(on: server))
    let end =
      "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = '\(sandbox.projectName)'"
    var ended = 0
    for round in 2..<6 {
      try FaultProject.setRound(round, of: sandbox)
      let apply = try sandbox.start(Self.words)
      repeat {
        ended += Int(try server.sql(end)) ?? 0
      } while !apply.hasEnded
      let answer = apply.wait()
      #expect(answer.code == 0, "round \(round): \(answer.code)\n\(answer.out)\(answer.err)")
      try check(sandbox, round: round)
    }
    print("connections ended: \(ended)")
    #expect(ended > 3)
  }

  @Test(
    "works through a pooler that gives each transaction another session",
    .enabled(if: Pooler.missing == nil, Comment(rawValue: "SKIPPED: \(Pooler.missing ?? "")")))
  func pooled() throws {
    let pooler = try server.pooler()
    let sandbox = try ProgramSandbox.shared(on: server)
    sandbox.variables["KEYPLAN_STORE"] =
      "postgres://keyplan@127.0.0.1:\(pooler.port)/keyplan?project=\(sandbox.projectName)"
    _ = try FaultProject.applied(in: sandbox)
    for round in 2..<6 {
      try FaultProject.setRound(round, of: sandbox)
      let answers = try (0..<3).map { _ in try sandbox.start(Self.words) }.map { $0.wait() }
      let said = answers.map { "\($0.code)\n\($0.out)\($0.err)" }.joined()
      #expect(answers.contains { $0.code == 0 } && answers.allSatisfy { [0, 4, 5].contains($0.code) }, "\(said)")
      try check(sandbox, round: round)
    }
    withExtendedLifetime(pooler) {}
  }

  /// An apply that holds the lock and waits for a command of its manifest.
  private func waiting(in sandbox: ProgramSandbox) throws -> ProgramRun {
    let manifest = """
      version: 1
      keys:
        quick: { provider: generic, variable: QUICK, source: file://quick }
        slow: { provider: generic, variable: SLOW, source: { command: [sh, wait.sh], directory: . } }

      """
    try sandbox.write(manifest, to: "keyplan.yaml")
    try sandbox.write("value\n", to: "quick")
    try sandbox.write(
      "if mkdir once 2>/dev/null; then touch asked; until test -e go; do sleep 0.05; done; fi\necho slow\n",
      to: "wait.sh")
    try #require(sandbox.keyplan("init").code == 0)
    let apply = try sandbox.start([Shell.program, "apply", "--yes"])
    #expect(apply.waits(for: sandbox.project + "/asked"))
    return apply
  }

  @Test("that was stopped until its lock was another's is refused when it goes on, and has lost nothing")
  func stopped() throws {
    let sandbox = try ProgramSandbox.shared(on: server)
    let first = try waiting(in: sandbox)
    kill(first.process, SIGSTOP)
    // What 15 seconds of silence do; the command would not wait for them.
    try sandbox.expireLock(on: server)
    let second = try sandbox.keyplan("apply", "--yes")
    #expect(second.code == 0, "\(second.out)\(second.err)")
    try sandbox.write("", to: "go")
    kill(first.process, SIGCONT)
    let answer = first.wait()
    #expect(answer.code == 5 && answer.out.contains("lost its lock"), "\(answer.out)\(answer.err)")
    #expect(try sandbox.keyplan("get", "slow").out == "slow")
    #expect(try sandbox.keyplan("plan", "--detailed-exitcode").code == 0)
  }

  @Test(
    "waits for the lock of one that was killed, which ends by itself, and at once where its connection is seen to be gone",
    arguments: [false, true])
  func dead(isSeen: Bool) throws {
    let sandbox = try ProgramSandbox.shared(on: server)
    let first = try waiting(in: sandbox)
    kill(-first.process, SIGKILL)
    #expect(first.wait().code == 137)
    try sandbox.write("", to: "go")
    #expect(try sandbox.keyplan("unlock").code == 5)
    // Either it is not known which connection the holder had, or its time alone would take an hour.
    let what = isSeen ? "ends = now() + interval '1 hour'" : "backend = NULL"
    try server.sql("UPDATE keyplan.stores SET \(what) WHERE project = '\(sandbox.projectName)'")
    let second = try sandbox.start([Shell.program, "apply", "--yes", "--lock-timeout", "100s"]).wait()
    #expect(second.code == 0, "\(second.out)\(second.err)")
    #expect(try sandbox.keyplan("get", "slow").out == "slow")
  }

  @Test("outlives a server that stops as in a power cut and comes back")
  func restarted() throws {
    let server = try PostgresServer()
    let sandbox = try FaultProject.applied(in: .shared(on: server))
    for round in 2..<4 {
      try FaultProject.setRound(round, of: sandbox)
      let apply = try sandbox.start(Self.words)
      guard try sandbox.waitsForLock(apply, on: server) else {
        Issue.record("it ended: \(apply.wait().err)")
        return
      }
      try server.stop(immediately: true)
      try server.start()
      let answer = apply.wait()
      // Where the outage was longer than its patience it says so; nothing else may go wrong.
      #expect([0, 3, 8].contains(answer.code), "round \(round): \(answer.code)\n\(answer.out)\(answer.err)")
      try check(sandbox, round: round)
    }
  }

  @Test("says that the server is gone if it does not come back, and the next one finishes")
  func gone() throws {
    let server = try PostgresServer()
    let sandbox = try FaultProject.applied(in: .shared(on: server))
    try FaultProject.setRound(2, of: sandbox)
    let apply = try sandbox.start(Self.words)
    guard try sandbox.waitsForLock(apply, on: server) else {
      Issue.record("it ended: \(apply.wait().err)")
      return
    }
    try server.stop(immediately: true)
    let answer = apply.wait()
    #expect([0, 3, 8].contains(answer.code), "\(answer.code)\n\(answer.out)\(answer.err)")
    let plan = try sandbox.keyplan("plan")
    #expect(plan.code == 8, "\(plan.out)\(plan.err)")
    try server.start()
    try check(sandbox, round: 2)
  }
}
