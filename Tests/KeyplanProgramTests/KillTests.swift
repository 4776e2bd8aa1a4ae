import Foundation
import Testing

/// What is left when an apply is killed at any moment, or meets another one.
@Suite("An apply that is killed or meets another")
struct KillTests {
  @Test("at a random moment loses nothing, doubles nothing, and the next one completes it", arguments: 0..<2)
  func killed(seed: UInt64) throws {
    var random = SplitMix(state: seed)
    let sandbox = try FaultProject.applied()
    let files = sandbox.files()
    var (killed, partly) = (0, 0)
    // As long as the last whole one took, so that a busy machine is killed at as many places as an idle one.
    var whole = Duration.milliseconds(150)
    for round in 2..<52 {
      try FaultProject.setRound(round, of: sandbox)
      let apply = try sandbox.start([Shell.program, "apply", "--yes", "--allow-forget"])
      let delay = whole / .milliseconds(1) * Double.random(in: 0..<1, using: &random)
      usleep(UInt32(delay * 1000))
      kill(-apply.process, SIGKILL)
      let answer = apply.wait()
      killed += answer.code == 137 ? 1 : 0
      partly += answer.code == 137 && !answer.err.isEmpty ? 1 : 0

      let plan = try sandbox.keyplan("plan", "--allow-forget")
      #expect(plan.code == 0, "round \(round): \(plan.out)\(plan.err)")
      let kept = try FaultOutcome.values(of: sandbox)
      for (variable, name) in ["DELTA": "delta", "EPSILON": "epsilon", "GAMMA": "gamma"] {
        let isNew = answer.err.contains("replaced key.\(name)\n")
        let known = isNew ? ["\(name)-\(round)"] : ["\(name)-\(round)", "\(name)-\(round - 1)"]
        #expect(known.contains(kept[variable] ?? "lost"), "round \(round): \(kept)\n\(answer.err)")
      }
      #expect(kept["GIVEN"] == "given-1")
      if round.isMultiple(of: 2) {
        let adopted = try FaultProject.adopted(round, in: sandbox)
        #expect(adopted.isLeft || adopted.isKept, "round \(round): the value to adopt is lost\n\(answer.err)")
      }

      let clock = ContinuousClock()
      let began = clock.now
      let again = try sandbox.keyplan("apply", "--yes", "--allow-forget")
      whole = max(whole * 0.8, clock.now - began)
      #expect(again.code == 0, "round \(round): \(again.out)\(again.err)")
      try Self.check(sandbox, round: round)
    }
    // The last form has what the first had not, and the other way round.
    let another = { (name: String) in !name.hasSuffix("moved.json") }
    #expect(sandbox.files().filter(another) == files.filter(another))
    print("killed at random: \(killed) of 50, \(partly) of them after a step")
    #expect(killed > 20 && partly > 0)
  }

  @Test("takes turns with another: one holds the lock, the other says so or waits", arguments: [false, true])
  func race(isPatient: Bool) throws {
    let sandbox = try FaultProject.applied()
    var codes: [Int32: Int] = [:]
    for round in 2..<12 {
      try FaultProject.setRound(round, of: sandbox)
      let words = [Shell.program, "apply", "--yes", "--allow-forget"] + (isPatient ? ["--lock-timeout", "30s"] : [])
      let runs = [try sandbox.start(words), try sandbox.start(words)]
      let answers = runs.map { $0.wait() }
      for answer in answers { codes[answer.code, default: 0] += 1 }
      let said = answers.map { "\($0.code)\n\($0.out)\($0.err)" }.joined()
      #expect(answers.contains { $0.code == 0 }, "round \(round): \(said)")
      // Who waited finds that what it planned has been done: stale, or nothing left.
      #expect(answers.allSatisfy { (isPatient ? [0, 4] : [0, 4, 5]).contains($0.code) }, "round \(round): \(said)")
      try Self.check(sandbox, round: round)
    }
    print("two applies\(isPatient ? " that wait" : ""): exit codes \(codes.sorted { $0.key < $1.key })")
  }

  /// Everything is as this round declares it, and was stored once.
  static func check(_ sandbox: ProgramSandbox, round: Int) throws {
    let empty = try sandbox.keyplan("plan", "--detailed-exitcode")
    #expect(empty.code == 0, "round \(round): \(empty.out)\(empty.err)")
    let values = try FaultOutcome.values(of: sandbox)
    for (variable, name) in ["DELTA": "delta", "EPSILON": "epsilon", "GAMMA": "gamma"] {
      #expect(values[variable] == "\(name)-\(round)", "round \(round)")
    }
    if round.isMultiple(of: 2) {
      let adopted = try FaultProject.adopted(round, in: sandbox)
      #expect(adopted == (isLeft: false, isKept: true), "round \(round)")
    }
    let target = String(decoding: sandbox.content(of: "app.env") ?? [], as: UTF8.self)
    #expect(target.contains("DELTA=delta-\(round)\n"), "round \(round): \(target)")
    #expect(try version(of: sandbox) == round, "every round stores one version")
  }

  /// How often a key's value has been replaced, which each round does once.
  static func version(of sandbox: ProgramSandbox) throws -> Int? {
    let shown = try sandbox.keyplan("keys", "list", "--json").out
    return Int(try #require(shown.firstMatch(of: /"name":"delta".*?"version":([0-9]+)/)).1)
  }
}

/// Repeatable random numbers (Steele, Lea, Flood: SplitMix64).
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}
