import KeyplanApply
import KeyplanModel
import KeyplanPlanning
import KeyplanPorts
import KeyplanSecrets
import KeyplanTesting
import TestTools
import Testing

/// What plan and drift say about one world at one moment, held against each other and against what is really there.
struct Consistency {
  private let world: World
  private let observation: Observation
  private let plan: Plan
  private let diagnostics: [Diagnostic]
  private let drift: Drift
  /// The kinds of findings that are taken away, to see that the contract notices.
  private let forgetting: Set<Finding.Kind>

  init(_ world: World, forgetting: Set<Finding.Kind> = []) async throws {
    self.forgetting = forgetting
    self.world = world
    observation = try await world.observe()
    (plan, diagnostics) = Plan.reconciling(
      world.manifest, with: observation, allowing: world.allowances, at: world.now)
    drift = Finding.drift(of: world.manifest, in: observation, at: world.now)
  }

  var agrees: Bool { drift.findings.isEmpty && drift.diagnostics.isEmpty && drift.left.isWhole }

  /// The statements that contradict each other, or what is there.
  func contradictions() throws -> [String] { try agreement() + names() }

  /// *Agree* may be said only where there is nothing to do.
  private func agreement() -> [String] {
    guard agrees else { return [] }
    let errors = diagnostics.filter { $0.code.severity == .error }
    var found: [String] = []
    if !plan.isEmpty { found.append("drift says that all agree, plan has \(plan.steps.map(\.address.description))") }
    if !errors.isEmpty { found.append("drift says that all agree, plan has errors: \(errors.map(\.code))") }
    return found
  }

  private func names() throws -> [String] {
    let recorded = try world.store.recorded()
    var found: [String] = []
    let told = Set(drift.findings.filter { !forgetting.contains($0.kind) }.map(\.address))
    for (id, target) in world.targets {
      // What cannot be read is told as recorded, and what is being written as interrupted.
      guard case .entries = observation.targets[target.destination], !told.contains(.target(id)) else { continue }
      let held = world.held(at: target.destination)
      for (name, key) in entries(target, recorded) {
        let current = try value(of: key, recorded)
        let isTold = told.contains(.entry(id, name: name))
        switch (current, held[name]) {
        case (nil, _): continue
        case (let current?, let held?) where current == held:
          if isTold { found.append("\(name) at \(id) has the current value, and drift says otherwise") }
        case (_, let held):
          let isWritten = recorded.targets[id]?.entries[name] != nil
          // What was never written there is counted, not listed.
          if isWritten, !isTold { found.append("\(name) at \(id) has not the current value, and drift is silent") }
          if !isWritten, drift.left.notYet + drift.left.foreign + drift.left.unseen == 0, !isTold {
            found.append(
              "\(name) at \(id) was never written and has \(held == nil ? "nothing" : "a value"): not counted")
          }
        }
      }
    }
    // Nothing that keyplan wrote may be left over in silence.
    for (id, record) in recorded.targets {
      guard case .entries = observation.targets[record.destination], !told.contains(.target(id)) else { continue }
      let declared = world.targets.values.filter { $0.destination == record.destination }
      let names = Set(declared.flatMap { entries($0, recorded).map(\.0) })
      for (name, entry) in record.entries where !names.contains(name) {
        let version = try? value(of: entry, recorded)
        guard let version, world.held(at: record.destination)[name] == version else { continue }
        if !told.contains(.entry(id, name: name)), world.manifest.keys[entry.key] == nil {
          found.append("\(name) at \(id) still has what keyplan wrote, and drift is silent")
        }
      }
    }
    return found
  }

  /// The names that a target gets from keys directly.
  private func entries(_ target: Target, _ recorded: Recorded) -> [(String, Identifier<Key>)] {
    target.entries.compactMap { entry in
      guard case .fixed(let name) = entry.name else { return nil }
      switch entry.feed {
      case .key(let key): return (name, key)
      case .slot(let slot): return recorded.slots[slot].map { (name, $0.key) }
      }
    }
  }

  /// The value that belongs at targets; nil where there is none, or none that may be used.
  private func value(of key: Identifier<Key>, _ recorded: Recorded) throws -> String? {
    guard let record = recorded.keys[key], world.keys[key] != nil, record.retiredAt == nil, record.revocation == nil
    else {
      return nil
    }
    return try text(of: key, version: nil)
  }

  private func value(of entry: TargetRecord.Entry, _ recorded: Recorded) throws -> String? {
    guard let record = recorded.keys[entry.key],
      let version = ([record.version] + record.history).first(where: { $0.fingerprint == entry.fingerprint })
    else { return nil }
    return try text(of: entry.key, version: version.number)
  }

  private func text(of key: Identifier<Key>, version: Int64?) throws -> String {
    try world.store.value(of: key, version: version).withBytes { String(decoding: $0, as: UTF8.self) }
  }
}

/// One answer to one question, whichever command gives it.
@Suite struct ConsistencyTests {
  @Test(
    "plan and drift agree with each other and with what is there, after changes, failures and kills", arguments: 0..<8)
  func holds(part: UInt64) async throws {
    var (agreeing, telling) = (0, 0)
    for seed in (part * 25)..<(part * 25 + 25) {
      var random = RandomWorld(seed: seed)
      var dice = Seeded(seed: seed &+ 1113)
      for round in 0..<6 {
        if round > 0, dice.chance(70) { random.change() }
        var words = "seed \(seed), round \(round)"
        if dice.chance(60) {
          let mode = dice.pick(Faults.Mode.allCases)
          let faults = dice.chance(60) ? Faults(mode, at: 1 + dice.below(12)) : nil
          let plan = try await random.plan()
          let outcome = try await random.world.apply(plan, faults)
          words +=
            ", after \(faults == nil ? "apply" : "\(mode)") of \(plan.steps.map { "\($0.effect.action) \($0.address)" })"
          words += " with \(outcome.reports.filter { $0.result != .done }.map { "\($0.step.address): \($0.result)" })"
        }
        if dice.chance(25), let target = random.world.targets.sorted(by: { $0.key < $1.key }).first?.value {
          let names = random.world.held(at: target.destination).keys.sorted()
          if let name = names.first {
            random.world.put(dice.chance(50) ? nil : "theirs \(dice.below(9))", name, at: target.destination)
            words += ", \(name) changed there"
          }
        }
        let consistency = try await Consistency(random.world)
        if consistency.agrees { agreeing += 1 } else { telling += 1 }
        #expect(try consistency.contradictions() == [], "\(words)")
      }
    }
    #expect(agreeing > 20 && telling > 20, "\(agreeing), \(telling)")
  }

  @Test(
    "a drift that is silent about a name is noticed",
    arguments: [Finding.Kind.targetBehind, .targetMissing, .targetChanged, .targetLeft])
  func notices(_ kind: Finding.Kind) async throws {
    var world = World()
    world.allowances = Allowances(forget: true)
    world.declare("a")
    world.declare("b")
    for name in ["a", "b"] { world.say("one", at: name) }
    world.send("app", ["A": "a", "B": "b"])
    try await world.apply()
    switch kind {
    case .targetBehind:
      world.say("two", at: "a")
      world.target.fail(AccessFailure(.unreachable, "It is off."), at: place("app"))
      try await world.apply()
      world.target.fail(nil, at: place("app"))
    case .targetMissing: world.put(nil, "A")
    case .targetChanged: world.put("theirs", "A")
    default:
      world.keys[named("b")] = nil
      world.send("app", ["A": "a"])
    }
    #expect(try await Consistency(world).contradictions() == [])
    #expect(try await Consistency(world, forgetting: [kind]).contradictions().count == 1)
  }

  @Test("a write that failed is told until one succeeds, and *agree* is not said meanwhile") func failed() async throws
  {
    var world = World()
    world.declare("a")
    world.say("one", at: "a")
    world.send("app", ["A": "a"])
    world.target.failWrite(number: 1, with: AccessFailure(.denied, "No leave."))
    try await world.apply()
    let failure = StepError(since: start, reason: "No leave.")
    var findings = Finding.drift(of: world.manifest, in: try await world.observe(), at: world.now).findings
    #expect(findings.map(\.fact) == [.valueUnwritten(place("app"), failure)])
    try await world.apply()
    findings = Finding.drift(of: world.manifest, in: try await world.observe(), at: world.now).findings
    #expect(findings == [])
    #expect(try world.store.recorded().failures == [:])
    #expect(try await Consistency(world).agrees)
  }
}
