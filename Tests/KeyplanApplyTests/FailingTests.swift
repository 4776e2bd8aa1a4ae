import KeyplanApply
import KeyplanModel
import KeyplanPlanning
import KeyplanPorts
import KeyplanTesting
import Testing

/// A failure anywhere loses nothing: the next run ends where the unbroken one would have.
@Suite struct FailingTests {
  @Test("whichever effect fails, or after whichever the machine dies", arguments: Faults.Mode.allCases)
  func injected(mode: Faults.Mode) async throws {
    var (runs, hooked) = (0, 0)
    for seed in 0..<60 as Range<UInt64> {
      var unbroken = try await prepared(seed)
      let counting = Faults()
      let plan = try await unbroken.plan()
      try await unbroken.world.apply(plan, counting)
      let expected = try await unbroken.world.remains()
      for number in stride(from: 1, through: counting.effects, by: 1) {
        runs += 1
        let words = "seed \(seed), \(mode) at \(number) of \(plan.steps)"
        var broken = try await prepared(seed)
        let originals = await broken.world.originals()
        try await broken.world.apply(try await broken.plan(), Faults(mode, at: number))
        let (left, kept) = (await broken.world.originals(), try broken.world.kept())
        for (place, value) in originals where left[place] == nil { #expect(kept.contains(value), "\(words)") }
        let (again, diagnostics) = try await broken.world.planned()
        #expect(!diagnostics.contains { $0.code.isGuard }, "\(words): \(diagnostics)")
        let outcome = try await broken.world.apply(again)
        #expect(outcome.isComplete, "\(words): \(outcome.reports.filter { $0.result != .done })")
        #expect(try await broken.world.remains() == expected, "\(words)")
        #expect(try await broken.world.plan().isEmpty, "\(words)")
        hooked += try seenByHooks(broken.world, words)
      }
    }
    #expect(runs > 200)
    #expect(hooked > 200)
  }

  /// Whatever failed, a hook ran after the last change at each place that a target has. Counts the places.
  private func seenByHooks(_ world: World, _ words: String) throws -> Int {
    var count = 0
    for (id, record) in try world.store.recorded().targets where world.targets[id] != nil {
      let (held, seen) = (
        world.held(at: record.destination), world.seen.contents(at: record.destination.location)
      )
      for name in record.entries.keys { #expect(seen[name] == held[name], "\(words): \(name) at target.\(id)") }
      count += 1
    }
    return count
  }

  @Test("whatever was written is taken back once nothing declares it, known to have been written or not")
  func takenBack() async throws {
    var written = 0
    for seed in 0..<20 as Range<UInt64> {
      let counting = Faults()
      var unbroken = try await prepared(seed)
      try await unbroken.world.apply(try await unbroken.plan(), counting)
      for number in stride(from: 1, through: counting.effects, by: 1) {
        var broken = try await prepared(seed)
        try await broken.world.apply(try await broken.plan(), Faults(.deathAfter, at: number))
        written += try broken.world.store.recorded().attempts.count
        broken.world.targets = [:]
        _ = try await broken.world.apply(try await broken.plan())
        let plan = try await broken.plan()
        #expect(plan.isEmpty, "seed \(seed), \(number): \(plan.steps)")
        for name in ["app", "web", "x", "y"] {
          let left = broken.world.held(at: place(name)).filter { $0.value != "theirs" }
          #expect(left == [:], "seed \(seed), \(number) at \(name)")
        }
      }
    }
    #expect(written > 20)
  }

  /// Two rounds behind it, and a third one pending.
  private func prepared(_ seed: UInt64) async throws -> RandomWorld {
    var random = RandomWorld(seed: seed)
    for _ in 0..<2 {
      try await random.world.apply(try await random.plan())
      random.change()
      random.change()
    }
    return random
  }
}
