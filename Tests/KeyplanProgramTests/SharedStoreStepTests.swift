import Foundation
import PostgresForTests
import Testing

/// What is left when an apply is killed, or stopped until another has its lock, at each message that it sends to the server in turn.
@Suite("An apply to a shared store, at each of its messages", needsServer, .serialized)
struct SharedStoreStepTests {
  private let server: PostgresServer

  init() throws { server = try PostgresServer.shared.get() }

  /// Two of three messages, to save time: rounds differ by a message or two, so that none is left out in all of them.
  private static func next(_ number: Int) -> Int { number > 0 && number.isMultiple(of: 3) ? number + 2 : number + 1 }

  /// Whether the message arrives: so that it does and does not in rounds of either form.
  private static func arrives(_ number: Int) -> Bool { number % 4 < 2 }

  private static let words = [Shell.program, "apply", "--yes", "--allow-forget"]

  /// Starts the round's apply, with something that happens at one of its messages.
  private func start(
    _ sandbox: ProgramSandbox, at number: Int, _ watched: WatchedRun, _ act: @escaping @Sendable () -> Bool
  ) throws -> (run: ProgramRun, proxy: CuttingProxy) {
    let proxy = try CuttingProxy(to: server, atClientMessage: number, act)
    let direct = sandbox.variables["KEYPLAN_STORE"]
    defer { sandbox.variables["KEYPLAN_STORE"] = direct }
    sandbox.variables["KEYPLAN_STORE"] =
      "postgres://keyplan@127.0.0.1:\(proxy.port)/keyplan?sslmode=disable&project=\(sandbox.projectName)"
    let run = try sandbox.start(Self.words)
    watched.start(run.process)
    return (run, proxy)
  }

  /// The round, with a command as a source that notes how often it was called.
  private func setRound(_ round: Int, of sandbox: ProgramSandbox) throws {
    try FaultProject.setRound(round, of: sandbox)
    let manifest = String(decoding: try #require(sandbox.content(of: "keyplan.yaml")), as: UTF8.self)
    try sandbox.write(manifest.replacing("[/bin/cat, epsilon.txt]", with: "[/bin/sh, epsilon.sh]"), to: "keyplan.yaml")
    try sandbox.write("echo >> \"$TMPDIR/calls\"\n/bin/cat epsilon.txt\n", to: "epsilon.sh")
  }

  private func calls(in sandbox: ProgramSandbox) -> Int {
    ((try? String(contentsOfFile: sandbox.root + "/tmp/calls", encoding: .utf8)) ?? "").count
  }

  private func serial(of sandbox: ProgramSandbox) throws -> String {
    try server.sql("SELECT serial FROM keyplan.stores WHERE project = '\(sandbox.projectName)'")
  }

  private func isLocked(_ sandbox: ProgramSandbox) throws -> Bool {
    try server.sql("SELECT ends >= now() FROM keyplan.stores WHERE project = '\(sandbox.projectName)'") == "t"
  }

  /// The rows of values on the server are those of the versions that are kept, no more and no fewer.
  private func checkRows(_ sandbox: ProgramSandbox) throws {
    let history = try sandbox.keyplan("keys", "history", "--json")
    let kept = history.out.matches(of: /"isCurrent":/).count
    let rows = try server.sql(
      """
      SELECT count(*) FROM keyplan.secrets v JOIN keyplan.stores s ON s.id = v.store \
      WHERE s.project = '\(sandbox.projectName)'
      """)
    #expect(Int(rows) == kept, "\(history.out)")
  }

  @Test("that is killed there loses nothing and doubles nothing, and the next one completes it")
  func killed() throws {
    let sandbox = try FaultProject.applied(in: .shared(on: server))
    var (number, round, killed) = (0, 1, 0)
    var isWhole = false
    while !isWhole {
      (number, round) = (Self.next(number), round + 1)
      try setRound(round, of: sandbox)
      let watched = WatchedRun()
      let (run, proxy) = try start(sandbox, at: number, watched) { [number] in
        watched.reach { kill(-$0, SIGKILL) }
        return Self.arrives(number)
      }
      let answer = run.wait()
      isWhole = proxy.messages < number
      killed += isWhole ? 0 : 1
      #expect(answer.code == (isWhole ? 0 : 137), "message \(number): \(answer.code)\n\(answer.out)\(answer.err)")
      let kept = try FaultOutcome.values(of: sandbox)
      #expect(kept["GIVEN"] == "given-1", "message \(number): \(kept)")
      // That a dead holder's lock ends is another test's.
      try sandbox.expireLock(on: server)
      let before = calls(in: sandbox)
      let again = try sandbox.start(Self.words).wait()
      #expect(again.code == 0, "message \(number): \(again.code)\n\(again.out)\(again.err)")
      // Once to plan, and once to store what was planned.
      #expect((1...2).contains(calls(in: sandbox) - before), "message \(number)")
      try KillTests.check(sandbox, round: round)
    }
    try checkRows(sandbox)
    print("killed at \(killed) of \(number) messages")
    #expect(killed > 20)
  }

  @Test("that is stopped there until another has its lock is refused when it goes on, and nothing is lost")
  func stopped() throws {
    let sandbox = try FaultProject.applied(in: .shared(on: server))
    var (number, round) = (0, 1)
    var codes: [Int32: Int] = [:]
    while true {
      (number, round) = (Self.next(number), round + 1)
      try setRound(round, of: sandbox)
      let first = try serial(of: sandbox)
      let watched = WatchedRun()
      let (run, proxy) = try start(sandbox, at: number, watched) { [number] in
        watched.reach { process in
          kill(-process, SIGSTOP)
          let deadline = Deadline()
          while !Self.isStopped(process), !deadline.isOver { usleep(200) }
        }
        // Either the server does it and the answer is not read; or it is on its way until somebody else has had the lock.
        if !Self.arrives(number) { watched.waitForRelease() }
        return true
      }
      defer {
        kill(-run.process, SIGCONT)
        watched.release()
      }
      let deadline = Deadline()
      while !watched.isReached, !run.hasEnded {
        try #require(!deadline.isOver)
        usleep(500)
      }
      guard watched.isReached else {
        #expect(run.wait().code == 0)
        try KillTests.check(sandbox, round: round)
        break
      }
      var second: ProgramRun.Answer
      var before: String
      var wasLocked = false
      repeat {
        // What has arrived may take the lock yet, or renew it.
        wasLocked = try isLocked(sandbox) || wasLocked
        try sandbox.expireLock(on: server)
        before = try serial(of: sandbox)
        second = try sandbox.start(Self.words).wait()
      } while second.code == 5 && !deadline.isOver
      // A file that is half written is still in the hands of the first: the second leaves it, and says so.
      let isHeldUp = second.code == 3 && second.out.contains(/in\s+use/)
      #expect(second.code == 0 || isHeldUp, "message \(number): \(second.code)\n\(second.out)\(second.err)")
      let isTakenOver = try serial(of: sandbox) != before && wasLocked
      kill(-run.process, SIGCONT)
      watched.release()
      let answer = run.wait()
      codes[answer.code, default: 0] += 1
      let said = "message \(number): \(answer.code)\n\(answer.out)\(answer.err)\nthe second: \(second.out)"
      if isTakenOver, before != first {
        #expect(answer.code == 5, "it was in the middle: \(said)")
      } else if isTakenOver {
        // It may not have read the store under its lock yet, and then finds that it has moved on, and plans again.
        let isPlannedAgain = answer.code == 0 && answer.out.contains("Planning again:")
        #expect(answer.code == 5 || isPlannedAgain, "\(said)")
      } else {
        #expect([0, 4].contains(answer.code), "before its lock, or with nothing left to do: \(said)")
      }
      if isHeldUp { #expect(try sandbox.start(Self.words).wait().code == 0, "\(said)") }
      try KillTests.check(sandbox, round: round)
      withExtendedLifetime(proxy) {}
    }
    try checkRows(sandbox)
    print("stopped at messages up to \(number): exit codes \(codes.sorted { $0.key < $1.key })")
    #expect(codes[5, default: 0] > 10)
  }

  private static func isStopped(_ process: pid_t) -> Bool {
    let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? "State:\tT"
    return status.contains("State:\tT")
  }
}
