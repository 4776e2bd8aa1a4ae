import KeyplanApply
import KeyplanModel
import KeyplanPlanning
import KeyplanPorts
import KeyplanTesting
import Testing

/// Apply, and there is nothing left to do: over random worlds, with anything changing between the rounds.
@Suite struct ConvergingTests {
  @Test("after an apply nothing is left, and applying nothing writes nothing", arguments: 0..<10)
  func converges(part: UInt64) async throws {
    var steps = 0
    for seed in (part * 30)..<(part * 30 + 30) {
      var random = RandomWorld(seed: seed)
      for round in 0..<5 {
        if round > 0 { random.change() }
        steps += try await settle(&random, "seed \(seed), round \(round)")
      }
    }
    #expect(steps > 150)
  }

  private func settle(_ random: inout RandomWorld, _ words: String) async throws -> Int {
    let plan = try await random.plan()
    let outcome = try await random.world.apply(plan)
    #expect(outcome.isComplete, "\(words): \(outcome.reports.filter { $0.result != .done })")
    let left = try await random.world.plan()
    #expect(left.steps == [], "\(words), after \(plan.steps)")
    let (serial, writes, remains) = (
      try random.world.serial, random.world.target.writes, try await random.world.remains()
    )
    try await random.world.apply(left)
    #expect(try random.world.serial == serial)
    #expect(random.world.target.writes == writes)
    #expect(try await random.world.remains() == remains)
    return plan.steps.count
  }

  @Test("with values that are known at apply only, a second round is the last one", arguments: 0..<4)
  func outside(part: UInt64) async throws {
    for seed in (part * 25)..<(part * 25 + 25) {
      var random = RandomWorld(seed: seed, outside: true)
      for round in 0..<4 {
        random.change()
        var rounds = 0
        while try await !random.plan().isEmpty, rounds < 4 {
          try await random.world.apply(try await random.plan())
          rounds += 1
        }
        #expect(rounds <= 3, "seed \(seed), round \(round)")
      }
    }
  }

  @Test("looking changes nothing, however often")
  func reading() async throws {
    for seed in 0..<40 as Range<UInt64> {
      var random = RandomWorld(seed: seed)
      try await random.world.apply(try await random.plan())
      random.change()
      let (serial, writes, remains) = (
        try random.world.serial, random.world.target.writes, try await random.world.remains()
      )
      for _ in 0..<3 {
        _ = try await random.plan()
        _ = Finding.drift(of: random.world.manifest, in: try await random.world.observe(), at: random.world.now)
      }
      #expect(try random.world.serial == serial)
      #expect(random.world.target.writes == writes)
      #expect(try await random.world.remains() == remains)
    }
  }
}
