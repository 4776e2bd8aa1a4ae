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

  var kinds: Set<Finding.Kind> { Set(drift.findings.map(\.kind)) }
  var agrees: Bool { drift.findings.isEmpty && drift.diagnostics.isEmpty && drift.left.isWhole }

  /// The statements that contradict each other, or what is there.
  /// - Parameter outcome: of the apply that has just ended; nil if there was none.
  func contradictions(after outcome: Outcome? = nil) throws -> [String] {
    try agreement() + names() + accounts() + failures(outcome)
  }

  /// What drift has findings about.
  private var told: Set<Address> { Set(drift.findings.filter { !forgetting.contains($0.kind) }.map(\.address)) }

  /// *Agree* may be said only where there is nothing to do, and every source was compared.
  private func agreement() throws -> [String] {
    guard agrees else { return [] }
    let errors = diagnostics.filter { $0.code.severity == .error }
    var found: [String] = []
    if !plan.isEmpty { found.append("drift says that all agree, plan has \(plan.steps.map(\.address.description))") }
    if !errors.isEmpty { found.append("drift says that all agree, plan has errors: \(errors.map(\.code))") }
    let recorded = try world.store.recorded()
    for (id, key) in world.keys where !key.sources.isEmpty {
      if case .value(let fingerprint, _, _) = observation.sources[id],
        fingerprint == recorded.keys[id]?.version.fingerprint
      {
        continue
      }
      found.append("drift says that all agree, and no source of \(id) has its value")
    }
    return found
  }

  /// What an account's status is, drift says as well.
  private func accounts() throws -> [String] {
    let recorded = try world.store.recorded()
    let asked = Set(drift.diagnostics.compactMap(\.address))
    return AccountStatus.all(of: world.manifest, in: observation, at: world.now).compactMap { status in
      let address = Address.calendar(status.id)
      if case .granted = status.state {
        let isBroken = drift.findings.contains { $0.address == address && $0.level == .broken }
        return isBroken ? "\(address) is granted, and drift calls it broken" : nil
      }
      // One that was never used is a pending change of the manifest.
      guard recorded.accounts[status.id]?.facts == status.account.facts else { return nil }
      return told.union(asked).contains(address) ? nil : "\(address) is \(status.state), and drift is silent"
    }
  }

  /// What failed in an apply and is planned again is told, whatever can be asked by now.
  private func failures(_ outcome: Outcome?) -> [String] {
    (outcome?.reports ?? []).compactMap { report in
      let (step, action) = (report.step, report.step.effect.action)
      guard case .failed(let failure) = report.result, step.effect.recordsFailure,
        plan.steps.contains(where: { $0.address == step.address && $0.effect.action == action })
      else { return nil }
      let isTold: Bool
      switch step.address {
      case .target(let id):
        let asked = Set(drift.diagnostics.compactMap(\.address))
        isTold = told.union(asked).contains { address in
          if case .entry(id, _) = address { true } else { address == step.address }
        }
      // Drift asks services itself.
      case .calendar: isTold = failure.isUnreachable || told.contains(step.address)
      default: isTold = told.contains(step.address)
      }
      return isTold ? nil : "\(action) \(step.address) failed and is planned again, and drift is silent"
    }
  }

  private func names() throws -> [String] {
    let recorded = try world.store.recorded()
    var found: [String] = []
    let told = told
    for (id, target) in world.targets {
      // What cannot be read is told as recorded, and what is being written as interrupted.
      guard case .entries = observation.targets[target.destination], !told.contains(.target(id)) else { continue }
      let held = world.held(at: target.destination)
      for (name, key) in entries(target, recorded) {
        let current = try value(of: key, recorded)
        let findings = drift.findings.filter { $0.address == .entry(id, name: name) }
        let isTold = told.contains(.entry(id, name: name))
        // An empty placeholder is nothing.
        let isEmpty = held[name]?.allSatisfy(\.isWhitespace) == true
        if isEmpty, findings.contains(where: { $0.kind == .targetChanged }) || isTaken(name, of: id) {
          found.append("\(name) at \(id) is empty, and is told to have a value")
        }
        switch (current, held[name]) {
        case (nil, let held?):
          let isBroken = isTold && findings.contains { $0.level == .broken }
          if !isBroken, try isRevoked(held, under: name, of: id, from: key, recorded) {
            found.append("\(name) at \(id) still has a revoked value, and drift does not call that broken")
          }
        case (nil, nil): continue
        case (let current?, let held?) where current == held:
          if isTold { found.append("\(name) at \(id) has the current value, and drift says otherwise") }
        case (_, let held):
          let record = recorded.targets[id]
          // A target that was moved has nothing at its new place yet.
          let isWritten = record?.destination == target.destination && record?.entries[name] != nil
          // What was never written there is counted, not listed.
          if isWritten, !isTold { found.append("\(name) at \(id) has not the current value, and drift is silent") }
          if !isWritten, drift.left.notYet + drift.left.foreign + drift.left.notCompared.count == 0, !isTold {
            found.append(
              "\(name) at \(id) was never written and has \(held == nil ? "nothing" : "a value"): not counted")
          }
        }
      }
    }
    // Nothing that keyplan wrote may be left over in silence. What a renamed key fed, its new name feeds.
    for (id, record) in recorded.targets where world.manifest.moves(in: recorded).isEmpty {
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

  /// Whether plan has an error because a name is taken.
  private func isTaken(_ name: String, of target: Identifier<Target>) -> Bool {
    diagnostics.contains { diagnostic in
      guard case .target(target, .taken(_, let names, _)) = diagnostic.issue else { return false }
      return names.contains(name)
    }
  }

  /// Whether keyplan wrote the value of a key under a name, and the value was revoked since.
  private func isRevoked(
    _ held: String, under name: String, of target: Identifier<Target>, from key: Identifier<Key>, _ recorded: Recorded
  ) throws -> Bool {
    guard let record = recorded.keys[key], record.revocation != nil, world.keys[key] != nil,
      let written = recorded.targets[target]?.entries[name], written.key == key,
      written.fingerprint == record.version.fingerprint
    else { return false }
    return try text(of: key, version: nil) == held
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

extension World {
  /// Somebody writes by hand what the store has for each name that keyplan wrote.
  fileprivate func finishByHand() throws {
    let recorded = try store.recorded()
    for record in recorded.targets.values {
      for (name, entry) in record.entries where recorded.keys[entry.key] != nil {
        let value = try store.value(of: entry.key, version: nil).withBytes { String(decoding: $0, as: UTF8.self) }
        put(value, name, at: record.destination)
      }
    }
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
        var last: Outcome?
        if dice.chance(60) {
          let mode = dice.pick(Faults.Mode.allCases)
          let faults = dice.chance(60) ? Faults(mode, at: 1 + dice.below(12)) : nil
          let plan = try await random.plan()
          if faults == nil, dice.chance(40) {
            let number = random.world.target.writes + 1 + dice.below(2)
            random.world.target.failWrite(number: number, with: AccessFailure(.denied, "No leave."))
          }
          let outcome = try await random.world.apply(plan, faults)
          // What fails may also be the record of a failure.
          if faults == nil { last = outcome }
          words +=
            ", after \(faults == nil ? "apply" : "\(mode)") of \(plan.steps.map { "\($0.effect.action) \($0.address)" })"
          words += " with \(outcome.reports.filter { $0.result != .done }.map { "\($0.step.address): \($0.result)" })"
        }
        if dice.chance(25) { words += try await amend(random.world, &dice) }
        if dice.chance(25) {
          try random.world.finishByHand()
          // What failed may be in place now.
          last = nil
          words += ", finished by hand"
        }
        if dice.chance(25), let target = random.world.targets.sorted(by: { $0.key < $1.key }).first?.value {
          let names = random.world.held(at: target.destination).keys.sorted()
          if let name = names.randomElement(using: &dice) {
            let value = dice.pick([nil, "theirs", "", " "])
            random.world.put(value, name, at: target.destination)
            words += ", \(name) is now \(value ?? "absent") there"
          }
        }
        let consistency = try await Consistency(random.world)
        if consistency.agrees { agreeing += 1 } else { telling += 1 }
        let found = try consistency.contradictions(after: last)
        #expect(found == [], "\(words)")
      }
    }
    #expect(agreeing > 5 && telling > 20, "\(agreeing), \(telling)")
  }

  /// A person revokes a value, or goes back to an earlier one, and leaves what follows to the next apply.
  private func amend(_ world: World, _ dice: inout Seeded) async throws -> String {
    let recorded = try world.store.recorded()
    let all = recorded.keys.sorted { $0.key < $1.key }.flatMap { id, record in
      [.revoke(id, reason: nil)] + record.history.map { Amendment.rollback(id, to: $0.number) }
    }
    guard world.manifest.moves(in: recorded).isEmpty, let amendment = all.randomElement(using: &dice) else { return "" }
    let observed = try await world.observe()
    try await world.apply(Plan.amending(world.manifest, by: amendment, with: observed, at: world.now).plan)
    return ", \(amendment)"
  }

  @Test("drift says of each account what its status says, and what a service refused", arguments: 0..<4)
  func accounts(part: UInt64) async throws {
    var (refused, kinds) = (0, Set<Finding.Kind>())
    for seed in (part * 15)..<(part * 15 + 15) {
      let rotation = MemoryAccountService.Rotation.allCases[Int(seed % 3)]
      var random = try RandomAccounts(seed: seed, rotation: rotation)
      _ = try await random.settle("seed \(seed)")
      var dice = Seeded(seed: seed &+ 1113)
      for round in 0..<8 {
        try random.change()
        var words = "seed \(seed), round \(round)"
        let name = dice.pick(RandomAccounts.names)
        let fault: MemoryAccountService.Fault? = dice.pick([
          nil, .notAllowed("No."), .notAllowed("No."), .unreachable("No."), .losesAnswers, .scopeMissing,
        ])
        random.world.service.fail(fault, at: name)
        random.world.now = random.world.now + Interval(seconds: Int64(dice.below(9000)))
        let outcome = try await random.world.apply()
        words += ", \(name): \(fault.map { "\($0)" } ?? "fine"), \(outcome.reports.map(KeyplanApplyTests.words))"
        refused += outcome.reports.count { if case .failed(.refreshRefused) = $0.result { true } else { false } }
        if dice.chance(70) { random.world.service.fail(nil, at: name) }
        let consistency = try await Consistency(random.world)
        kinds.formUnion(consistency.kinds)
        let found = try consistency.contradictions(after: outcome)
        #expect(found == [], "\(words)")
        random.world.service.fail(nil, at: name)
      }
    }
    #expect(refused > 3 && kinds.count > 1, "\(refused), \(kinds)")
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

  @Test("a value that somebody wrote by hand before an apply could is in place, whatever the record says")
  func byHand() async throws {
    var world = World()
    world.declare("a")
    world.say("one", at: "a")
    world.send("app", ["A": "a"])
    try await world.apply()
    world.say("two", at: "a")
    world.target.failWrite(number: world.target.writes + 1, with: AccessFailure(.denied, "No leave."))
    try await world.apply()
    world.put("two", "A")
    let consistency = try await Consistency(world)
    #expect(try consistency.contradictions() == [])
    #expect(consistency.kinds == [] && !consistency.agrees)
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
