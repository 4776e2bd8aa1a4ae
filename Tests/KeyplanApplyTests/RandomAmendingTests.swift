import KeyplanApply
import KeyplanModel
import KeyplanPlanning
import KeyplanPorts
import KeyplanSecrets
import KeyplanTesting
import TestTools
import Testing

/// Whatever a person does to the records by hand, in random worlds.
@Suite struct RandomAmendingTests {
  @Test("what the next plan does is what was foretold, a choice stands, and then nothing is left", arguments: 0..<8)
  func foretold(part: UInt64) async throws {
    var (amendments, kept) = (0, 0)
    for seed in (part * 30)..<(part * 30 + 30) {
      var random = RandomWorld(seed: seed)
      var dice = Seeded(seed: seed &+ 4711)
      for round in 0..<5 {
        let before = try await random.plan()
        try await random.world.apply(before)
        if dice.chance(70) { random.change() }
        let recorded = try random.world.store.recorded()
        guard random.world.manifest.moves(in: recorded).isEmpty,
          let amendment = Self.pick(recorded, random.world, &dice)
        else { continue }
        let words = "seed \(seed), round \(round), \(amendment)"
        let amended = Plan.amending(
          random.world.manifest, by: amendment, with: try await random.world.observe(),
          allowing: random.world.allowances, at: random.world.now)
        guard !amended.plan.isEmpty else { continue }
        amendments += 1
        let outcome = try await random.world.apply(amended.plan)
        #expect(outcome.isComplete, "\(words): \(outcome.reports)")
        let next = try await random.world.planned().plan
        // What a target holds without a record may be anybody's: only the next look tells.
        if !Self.endsTarget(amendment) {
          #expect(next.steps.map(Self.core) == amended.next.steps.map(Self.core), "\(words)")
        }
        let key = Self.key(of: amendment, recorded)
        let chosen = try key.flatMap { try Self.text($0, random.world) }
        let undoing = next.steps.filter { $0.address == key.map(Address.key) && $0.effect.action == .replace }
        // A composed value is made again of what its parts have now.
        let isComposed = key.flatMap { random.world.keys[$0]?.composition } != nil
        #expect(undoing.isEmpty || isComposed, "\(words)")
        let rest = try await random.plan()
        try await random.world.apply(rest)
        // A fresh root key knows nothing of a rejected value that was never recorded.
        if !rest.steps.contains(where: Self.rekeys) { #expect(try await random.world.plan().isEmpty, "\(words)") }
        guard let key, let chosen, !amended.next.steps.contains(where: { $0.address == .key(key) }) else { continue }
        kept += 1
        #expect(try Self.text(key, random.world) == chosen, "\(words)")
      }
    }
    #expect(amendments > 60 && kept > 25)
  }

  private struct Core: Hashable {
    let effect: Effect
    let cause: Cause
    let after: [Address]
  }

  /// A step without its ground: revisions are those of commits to come.
  private static func core(_ step: Step) -> Core {
    Core(effect: step.effect, cause: step.cause, after: step.after)
  }

  private static func rekeys(_ step: Step) -> Bool {
    if case .store(.rewrap(let rewrap)) = step.effect { !rewrap.removed.isEmpty } else { false }
  }

  private static func endsTarget(_ amendment: Amendment) -> Bool {
    switch amendment {
    case .forget(.target), .forget(.entry): true
    default: false
    }
  }

  private static func key(of amendment: Amendment, _ recorded: Recorded) -> Identifier<Key>? {
    switch amendment {
    case .rollback(let key, _), .acceptSource(let key): key
    case .restore(let forgotten, _): forgotten.key
    case .acceptTarget(let target, let name): recorded.targets[target]?.entries[name]?.key
    case .move, .forget, .signIn, .signOut, .revoke, .purge: nil
    }
  }

  private static func text(_ key: Identifier<Key>, _ world: World) throws -> String? {
    guard try world.store.recorded().keys[key] != nil else { return nil }
    return try world.store.value(of: key, version: nil).withBytes { String(decoding: $0, as: UTF8.self) }
  }

  private static func pick(_ recorded: Recorded, _ world: World, _ dice: inout Seeded) -> Amendment? {
    var all: [Amendment] = []
    for (id, record) in recorded.keys.sorted(by: { $0.key < $1.key }) {
      all += record.history.map { .rollback(id, to: $0.number) } + [.forget(.key(id)), .acceptSource(id)]
    }
    for forgotten in recorded.forgotten
    where recorded.keys[forgotten.key] == nil && world.now <= forgotten.end {
      all.append(.restore(forgotten, to: nil))
      all += forgotten.record.history.map { .restore(forgotten, to: $0.number) }
    }
    for (id, target) in recorded.targets.sorted(by: { $0.key < $1.key }) {
      all.append(.forget(.target(id)))
      for (name, entry) in target.entries.sorted(by: { $0.key < $1.key }) where recorded.keys[entry.key] != nil {
        if dice.chance(50) {
          // Somebody mends it there first.
          world.put("mended \(dice.below(9))", name, at: target.destination)
          return .acceptTarget(id, name: name)
        }
        all.append(.forget(.entry(id, name: name)))
      }
    }
    for id in recorded.slots.keys.sorted() { all.append(.forget(.slot(id))) }
    return all.isEmpty ? nil : dice.pick(all)
  }
}
