import KeyplanApply
import KeyplanModel
import KeyplanPlanning
import KeyplanPorts
import KeyplanSecrets
import KeyplanTesting
import TestTools
import Testing

/// Keys with parts at two targets, whatever happens to them: no key that a target still has is revoked, and no targets end with parts
/// of two keys.
@Suite struct RandomPartsTests {
  @Test(
    "in random worlds, with failing targets and services, with interruptions, and with what people do by hand",
    arguments: 0..<6)
  func holds(part: UInt64) async throws {
    var counts = RandomParts.Counts()
    for seed in (part * 20)..<(part * 20 + 20) {
      var random = try await RandomParts(seed: seed)
      for round in 0..<12 {
        try await random.act()
        try random.checkKeys("seed \(seed), round \(round): \(random.log.suffix(12))")
        try await random.settle("seed \(seed), round \(round): \(random.log.suffix(12))")
      }
      counts += random.counts
    }
    #expect(counts.rotations > 20 && counts.ends > 5 && counts.amendments > 5 && counts.broken > 10, "\(counts)")
  }
}

/// "a" has the parts "id" and "secret", each at a target of its own, and both at a third one.
struct RandomParts {
  struct Counts {
    var (rotations, ends, amendments, broken, settled) = (0, 0, 0, 0, 0)

    static func += (left: inout Counts, right: Counts) {
      left.rotations += right.rotations
      left.ends += right.ends
      left.amendments += right.amendments
      left.broken += right.broken
      left.settled += right.settled
    }
  }

  private(set) var counts = Counts()
  private(set) var log: [String] = []
  private var world = World()
  private var random: Seeded
  private let issuer = MemoryIssuer(named("issuer"), parts: ["id", "secret"])
  private static let targets = ["ids": ["ID"], "secrets": ["SECRET"], "both": ["ID", "SECRET"]]
  private static let parts: [Identifier<Key>] = [named("a.id"), named("a.secret")]

  init(seed: UInt64) async throws {
    random = Seeded(seed: seed)
    world.issuer = issuer
    world.allowances = Allowances(forget: true, overwrite: true)
    declare()
    try await world.apply()
  }

  private mutating func declare() {
    world.say("other", at: "z")
    world.declare("z")
    let minting = Minting(
      named("a"), [.init("id", Self.parts[0]), .init("secret", Self.parts[1])], at: issuer.place)
    let overlap = random.pick([Interval(seconds: 0), .days(1), .days(3)])
    for part in minting.parts {
      let facts = KeyFacts(
        provider: "generic", variable: part.name.uppercased(),
        expiry: Expiry(.after(.days(30)), warn: .days(0), then: .rotate, overlap: overlap),
        sources: [minting.description])
      world.keys[part.key] = Key(facts: facts, sources: [], minting: minting)
    }
    for (name, names) in Self.targets.sorted(by: { $0.key < $1.key }) where random.chance(85) {
      let entries = names.map { ($0, "a.\($0.lowercased())") }
      world.send(name, Dictionary(uniqueKeysWithValues: entries), to: place(name))
    }
  }

  /// Something happens, and then an apply, which may be interrupted.
  mutating func act() async throws {
    for name in Self.targets.keys.sorted() {
      let isOff = random.chance(25)
      if isOff { log.append("\(name) is off") }
      world.target.fail(isOff ? AccessFailure(.unreachable, "It is off.") : nil, at: place(name))
    }
    issuer.fail(random.chance(10) ? KeyIssuerFailure(.unreachable, "It is off.") : nil)
    switch random.below(10) {
    case 0, 1: world.now = world.now + .days(Int64(random.pick([1, 2, 31, 40])))
    case 2: try await rotate()
    case 3, 4, 5: try await amend()
    case 6:
      if world.keys[Self.parts[0]] == nil {
        // What is being revoked is not used again before that has ended.
        if try world.store.recorded().keys[Self.parts[0]] == nil { declare() }
      } else if random.chance(30) {
        for part in Self.parts { world.keys[part] = nil }
        for name in Self.targets.keys { world.targets[named(name)] = nil }
        log.append("undeclared")
      }
    case 7: disturb()
    case 8: try await give()
    default: break
    }
    try await apply(try await plan())
  }

  private mutating func disturb() {
    let name = random.pick(["ids", "secrets", "both"])
    for entry in Self.targets[name] ?? [] where random.chance(70) {
      world.put(random.chance(30) ? nil : "theirs \(random.below(9))", entry, at: place(name))
      log.append("\(name) \(entry) disturbed")
    }
  }

  /// Somebody gives both values by hand: new ones, or those of an earlier key.
  private mutating func give() async throws {
    let recorded = try world.store.recorded()
    guard let numbers = recorded.keys[Self.parts[0]]?.history.map(\.number), world.keys[Self.parts[0]] != nil else {
      return
    }
    let number = random.pick([nil] + numbers)
    let new = random.below(9)
    for part in Self.parts {
      if let number {
        world.given[part] = try? world.store.value(of: part, version: number)
      } else {
        world.given[part] = secret("mine \(new)")
      }
    }
    log.append("given \(number.map { "version \($0)" } ?? "mine \(new)")")
    if world.given.count == 2 { try await apply(try await plan()) }
    world.given = [:]
  }

  private func plan() async throws -> Plan {
    Plan.reconciling(
      world.manifest, with: try await world.observe(), allowing: world.allowances, at: world.now
    ).plan
  }

  private mutating func rotate() async throws {
    guard world.keys[Self.parts[0]] != nil else { return }
    var observation = try await world.observe()
    observation.sources[Self.parts[0]] = .wanted(nil)
    log.append("rotate")
    try await apply(
      Plan.reconciling(
        world.manifest, with: observation, allowing: world.allowances, at: world.now
      ).plan)
  }

  private mutating func apply(_ plan: Plan) async throws {
    guard !plan.isEmpty else { return }
    let isBroken = random.chance(30)
    if isBroken { counts.broken += 1 }
    let mode = random.pick(Faults.Mode.allCases)
    let faults = isBroken ? Faults(mode, at: 1 + random.below(14)) : nil
    log.append("apply \(plan.steps.map { "\($0.effect.action) \($0.address)" })\(isBroken ? " broken \(mode)" : "")")
    let outcome = try await world.apply(plan, faults)
    for report in outcome.reports where report.result == .done {
      if report.step.effect.action == .mint { counts.rotations += 1 }
      if report.step.effect.action == .revokeIssued { counts.ends += 1 }
    }
  }

  /// Somebody changes the records by hand, by naming one of the parts.
  private mutating func amend() async throws {
    let recorded = try world.store.recorded()
    let part = random.pick(Self.parts)
    var all: [Amendment] = [
      .revoke(part, reason: nil), .forget(.key(part)), .purge(part, isAll: false),
      .forget(.target(named(random.pick(["ids", "secrets", "both"])))),
    ]
    for version in recorded.keys[part]?.history ?? [] {
      all += [Amendment](repeating: .rollback(part, to: version.number), count: 3)
    }
    for forgotten in recorded.forgotten where forgotten.key == part && recorded.keys[part] == nil {
      all += [Amendment](repeating: .restore(forgotten, to: nil), count: 3)
      all += forgotten.record.history.map { .restore(forgotten, to: $0.number) }
    }
    for (id, target) in recorded.targets.sorted(by: { $0.key < $1.key }) {
      for (name, entry) in target.entries.sorted(by: { $0.key < $1.key }) where recorded.keys[entry.key] != nil {
        all.append(.acceptTarget(id, name: name))
      }
    }
    let amendment = random.pick(all)
    if case .acceptTarget = amendment { disturb() }
    let amended = Plan.amending(
      world.manifest, by: amendment, with: try await world.observe(), allowing: Allowances(forget: true),
      at: world.now)
    guard !amended.plan.isEmpty else { return }
    counts.amendments += 1
    log.append("\(amendment)")
    try await apply(amended.plan)
  }

  /// No value that keyplan knows to be at a target is revoked at the provider.
  func checkKeys(_ words: String) throws {
    let recorded = try world.store.recorded()
    for (id, target) in recorded.targets {
      for (name, value) in world.held(at: target.destination)
      where target.entries[name] != nil && Self.number(value) != nil {
        #expect(issuer.accepts(value), "\(words): target.\(id) has \(value)")
      }
    }
    for (id, record) in recorded.keys
    where world.keys[id] != nil && record.revocation == nil && record.pending == nil {
      let value = try world.store.value(of: id, version: nil).withBytes { String(decoding: $0, as: UTF8.self) }
      guard Self.number(value) != nil else { continue }
      #expect(issuer.accepts(value), "\(words): \(id) is \(value)")
    }
  }

  /// Once everything works, applies end, and then the parts everywhere are those of one key.
  mutating func settle(_ words: String) async throws {
    guard random.chance(40) else { return }
    for name in Self.targets.keys { world.target.fail(nil, at: place(name)) }
    issuer.fail(nil)
    var plan = try await plan()
    for _ in 0..<4 where !plan.isEmpty {
      try await world.apply(plan)
      plan = try await self.plan()
    }
    #expect(plan.isEmpty, "\(words): \(plan.steps)")
    try checkKeys(words)
    var numbers: Set<String?> = []
    for (id, target) in world.targets {
      let held = world.held(at: target.destination)
      #expect(
        Set(held.keys) == Set(target.entries.compactMap { world.keys.isEmpty ? nil : $0.possibleName }),
        "\(words): target.\(id)")
      numbers.formUnion(held.values.map(Self.number))
    }
    #expect(numbers.count <= 1, "\(words): \(numbers)")
    counts.settled += 1
  }

  /// The number of the key whose part a value is; nil for a value of somebody else's.
  private static func number(_ value: String) -> String? {
    let words = value.split(separator: "-")
    return words.count == 2 ? String(words[1]) : nil
  }
}

extension Target.Entry {
  fileprivate var possibleName: String? { if case .fixed(let name) = name { name } else { nil } }
}
