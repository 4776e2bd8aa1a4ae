package import KeyplanModel

/// The effects of changing one key at slots and targets: steps of the next plan, and the names that no step reaches.
///
/// Only names that have a value of the key according to the records are changed, at targets whose destination and declaration are as
/// recorded. Everything else is left to the next apply.
package struct Consequences {
  /// The part of the next plan that is carried out together with the change.
  package enum Extent: Sendable {
    case all
    /// Steps that replace a value, but not those that remove one without a replacement.
    case replacements
    /// The checkout is not trusted.
    case none
  }

  package private(set) var steps: [Step] = []
  package private(set) var diagnostics: [Diagnostic] = []
  /// The names that lose their value and get no other one, by target.
  package private(set) var removed: [Identifier<Target>: [String]] = [:]

  /// The targets that have a value of the key by the records.
  package var targets: [Identifier<Target>] {
    recorded.targets.filter { $0.value.entries.values.contains { change.parts.contains($0.key) } }.keys.sorted()
  }

  private let change: KeyChange
  private let manifest: Manifest
  private let recorded: Recorded
  private let failures: [Identifier<Target>: TargetIssue.Reason]
  private var moving: Set<Identifier<Slot>> = []
  /// The names that the steps change.
  private var covered: [Identifier<Target>: Set<String>] = [:]
  /// The names that are not removed, because nothing replaces their value.
  private var withheld: [Identifier<Target>: Set<String>] = [:]
  private var unpermitted: Set<Identifier<Target>> = []
  /// The names that cannot be set or removed, at targets whose other names can.
  private let unusable: [Identifier<Target>: Set<String>]

  /// - Parameters:
  ///   - next: the next apply after the change, with its diagnostics.
  ///   - recorded: the records after the change. The targets' records are those from before, except for what the change itself changes.
  package init(
    of change: KeyChange, in next: Plan, _ reported: [Diagnostic], _ manifest: Manifest, _ recorded: Recorded,
    extent: Extent = .all
  ) {
    (self.change, self.manifest, self.recorded) = (change, manifest, recorded)
    failures = Self.failures(reported)
    unusable = Dictionary(reported.compactMap(\.unusableNames)) { $0.union($1) }
    if extent != .none { follow(next.steps.filter { !change.steps.contains($0) }, extent) }
    reportLeft(extent)
  }

  private static func failures(_ reported: [Diagnostic]) -> [Identifier<Target>: TargetIssue.Reason] {
    var failures: [Identifier<Target>: TargetIssue.Reason] = [:]
    for diagnostic in reported where diagnostic.code.severity == .error && diagnostic.code != .noUsableKey {
      switch diagnostic.issue {
      case .target(let id, .failed(let failure, _)): failures[id] = .failed(failure)
      case .target(let id, .blocked(let blocker)): failures[id] = .blocked(blocker)
      case .target(let id, .notAllowed): failures[id] = .notAllowed
      case _ where diagnostic.unusableNames != nil: continue
      case .target(let id, _), .entry(let id, _, _, _): if failures[id] == nil { failures[id] = .refused }
      default: break
      }
    }
    return failures
  }

  private mutating func follow(_ next: [Step], _ extent: Extent) {
    var chosen = Set(next.filter(isChosenInStore))
    // A step that waits for one that is not carried out is not carried out either.
    var waiting = Set(next.filter { $0.effect.isWaitedFor && !chosen.contains($0) }.map(\.address))
    while case let stuck = chosen.filter({ !waiting.isDisjoint(with: $0.after) }), !stuck.isEmpty {
      chosen.subtract(stuck)
      waiting.formUnion(stuck.map(\.address))
    }
    moving = Set(
      chosen.compactMap { step in if case .store(.activate(let id, _, _)) = step.effect { id } else { nil } })
    for step in next {
      let limited: Step? =
        switch step.effect {
        case .outside(.sync(let id, let write)): sync(step, id, write, waiting)
        case .outside(.withdraw(let id, let removal)): withdrawal(step, id, removal, extent)
        case .outside(.run(let id, _)): covered[id] != nil && waiting.isDisjoint(with: step.after) ? step : nil
        default: chosen.contains(step) ? step : nil
        }
      if let limited { steps.append(limited.following(change.steps)) }
    }
    followAtProviders(next)
  }

  /// A key is revoked at its provider only after everything that waits for it, so nothing may be left out.
  private mutating func followAtProviders(_ next: [Step]) {
    let ends = next.filter { step in
      guard step.effect.endsIssued, case .key(let id) = step.address else { return false }
      return change.parts.contains(id)
    }
    guard !ends.isEmpty else { return }
    let followed = Dictionary(grouping: steps, by: \.address)
    let left = Set(
      next.filter { step in
        !step.effect.endsIssued && followed[step.address]?.contains { $0.covers(step) } != true
      }.map(\.address))
    steps += ends.filter { left.isDisjoint(with: $0.after) }.map { $0.following(change.steps) }
  }

  /// Whether a step gives a revoked key another value, makes a value again of those of the key, or moves a slot to another key.
  private func isChosenInStore(_ step: Step) -> Bool {
    if case .store(.key(let id, .replace(let write))) = step.effect, write.composition != nil {
      return change.parts.contains(id) && step.cause == .follows && hasSameSources(id) && hasSameReaders(id)
    }
    guard change.isRevocation else { return false }
    switch step.effect {
    case .store(.key(let id, .replace)):
      return change.parts.contains(id) && [.revocation, .sourceChanged].contains(step.cause) && hasSameSources(id)
    case .outside(.mint(let id, _)):
      return step.cause == .revocation
        && change.parts.contains { manifest.keys[$0]?.minting?.key == id && hasSameSources($0) }
    case .store(.activate(_, _, let was?)): return step.cause == .revocation && change.parts.contains(was)
    default: return false
    }
  }

  private func hasSameSources(_ id: Identifier<Key>) -> Bool {
    manifest.keys[id]?.facts.sources == recorded.keys[id]?.facts.sources
  }

  /// A declaration that opens a value to others waits for the next apply.
  private func hasSameReaders(_ id: Identifier<Key>) -> Bool {
    manifest.keys[id]?.facts.recipients == recorded.keys[id]?.facts.recipients
  }

  private mutating func sync(
    _ step: Step, _ id: Identifier<Target>, _ write: TargetWrite, _ waiting: Set<Address>
  ) -> Step? {
    let names = names(of: id)
    let entries = write.entries.filter { entry in
      names.replaceable.contains(entry.name)
        && (change.parts.contains(entry.key) || names.moving.contains(entry.name))
    }
    guard !entries.isEmpty, failures[id] == nil else { return nil }
    let keys = Set(entries.map(\.key))
    let after = step.after.filter { address in
      switch address {
      case .key(let key): keys.contains(key)
      case .slot(let slot): moving.contains(slot)
      default: true
      }
    }
    guard waiting.isDisjoint(with: after) else {
      unpermitted.insert(id)
      return nil
    }
    covered[id, default: []].formUnion(entries.map(\.name))
    let limited = TargetWrite(
      destination: write.destination, entries: entries, total: write.total,
      mode: write.mode?.was == nil ? write.mode : nil, takesEffect: write.takesEffect, notice: write.notice,
      newVariables: (write.newVariables ?? []).filter { name in entries.contains { $0.name == name } })
    return Step(
      .outside(.sync(id, limited)), because: step.cause, on: step.ground.limited(to: entries.map(\.name)), after: after)
  }

  private mutating func withdrawal(
    _ step: Step, _ id: Identifier<Target>, _ removal: TargetRemoval, _ extent: Extent
  ) -> Step? {
    guard change.isRevocation, !removal.isMove, failures[id] == nil else { return nil }
    // These names have no value there. The next apply corrects the record.
    covered[id, default: []].formUnion(removal.released)
    let names = names(of: id)
    var removable = removal.names.filter(names.replaceable.contains)
    let lost = removable.filter { !names.moving.contains($0) }
    if extent == .replacements {
      withheld[id, default: []].formUnion(lost)
      removable.removeAll(where: lost.contains)
    } else if !lost.isEmpty {
      removed[id] = lost
    }
    guard !removable.isEmpty else { return nil }
    covered[id, default: []].formUnion(removable)
    let limited = TargetRemoval(
      destination: removal.destination, names: removable, released: [], notice: removal.notice)
    return Step(
      .outside(.withdraw(id, limited)), because: .revocation, on: step.ground.limited(to: removable), after: step.after)
  }

  private mutating func reportLeft(_ extent: Extent) {
    for id in Set(recorded.targets.keys).union(recorded.attempts.keys).sorted() {
      guard let place = recorded.targets[id]?.destination ?? recorded.attempts[id]?.destination else { continue }
      let withheld = withheld[id] ?? []
      if !withheld.isEmpty {
        report(.leavesWithout(place, names: withheld.sorted()), id)
      }
      var left = held(by: id).subtracting(covered[id] ?? []).subtracting(withheld)
      let unusable = left.intersection(unusable[id] ?? [])
      if !unusable.isEmpty { report(.pending(place, names: unusable.sorted(), .refused), id) }
      left.subtract(unusable)
      guard !left.isEmpty else { continue }
      let reason: TargetIssue.Reason =
        if extent == .none { .untrusted } else if let failure = failures[id] {
          failure
        } else if unpermitted.contains(id) { .notAllowed } else { .edited }
      report(.pending(place, names: left.sorted(), reason), id)
    }
  }

  private mutating func report(_ issue: TargetIssue, _ id: Identifier<Target>) {
    diagnostics.append(Diagnostic(.target(id, issue), at: manifest.targets[id]?.place))
  }
}

extension Consequences {
  /// The names that have a value of the key by the records, and not the one that it has now.
  private func held(by id: Identifier<Target>) -> Set<String> {
    var names: Set<String> = []
    for (name, entry) in recorded.targets[id]?.entries ?? [:] where change.parts.contains(entry.key) {
      if change.isRevocation || change.values[entry.key] != entry.fingerprint { names.insert(name) }
    }
    for (name, key) in recorded.attempts[id]?.names ?? [:] where change.parts.contains(key) { names.insert(name) }
    return names
  }

  /// The names of a target that is declared as recorded: those whose value follows the key, and those of them that are fed by a slot that
  /// moves.
  private func names(of id: Identifier<Target>) -> (replaceable: Set<String>, moving: Set<String>) {
    guard let target = manifest.targets[id], !manifest.unsupported.contains(where: { $0.address == .target(id) }),
      recorded.targets[id].map({ $0.destination == target.destination }) ?? true,
      recorded.attempts[id].map({ $0.destination == target.destination }) ?? true
    else { return ([], []) }
    let held = held(by: id)
    var (replaceable, moving) = (Set<String>(), Set<String>())
    for entry in target.entries {
      switch entry.feed {
      case .key(let key):
        guard change.parts.contains(key) else { continue }
        replaceable.formUnion(
          manifest.possibleNames(of: entry).filter { held.contains($0) && owner(of: $0, id) == key })
      case .slot(let slot):
        let names = manifest.possibleNames(of: entry)
        // The next key can have a name of its own.
        if self.moving.contains(slot), names.contains(where: held.contains) {
          moving.formUnion(names)
          replaceable.formUnion(names)
        } else if let key = recorded.slots[slot]?.key, change.parts.contains(key) {
          replaceable.formUnion(names.filter { held.contains($0) && owner(of: $0, id) == key })
        }
      }
    }
    return (replaceable, moving)
  }

  private func owner(of name: String, _ id: Identifier<Target>) -> Identifier<Key>? {
    recorded.targets[id]?.entries[name]?.key ?? recorded.attempts[id]?.names[name]
  }
}

/// A change of one key's records, with all its parts and with the keys whose values are made of them.
package struct KeyChange {
  /// The steps of the change itself.
  package let steps: [Step]
  package let parts: Set<Identifier<Key>>
  /// The values once it is made; nil for those that the apply makes.
  let values: [Identifier<Key>: Fingerprint]
  let isRevocation: Bool

  package init(
    _ steps: [Step], of parts: Set<Identifier<Key>>, values: [Identifier<Key>: Fingerprint], isRevocation: Bool = false
  ) {
    (self.steps, self.parts, self.values, self.isRevocation) = (steps, parts, values, isRevocation)
  }
}

extension Diagnostic {
  /// The names that cannot be used at a target whose other names can; nil for a report about anything else.
  fileprivate var unusableNames: (Identifier<Target>, Set<String>)? {
    switch issue {
    case .target(let id, .namesBlocked(let groups, isWhole: false)): (id, Set(groups.flatMap(\.names)))
    case .entry(let id, let name, _, .notText): (id, [name])
    default: nil
    }
  }
}

extension Step {
  /// The same step once a change is recorded.
  fileprivate func following(_ change: [Step]) -> Step {
    let own = Set(change.map(\.address)).subtracting(after).subtracting([address]).sorted()
    return Step(effect, because: cause, on: ground, after: after + own)
  }

  /// Whether this step includes everything that another one does.
  fileprivate func covers(_ other: Step) -> Bool {
    switch (effect, other.effect) {
    case (.outside(.sync(let id, let write)), .outside(.sync(let otherId, let otherWrite))):
      id == otherId && write.entries == otherWrite.entries
    case (.outside(.withdraw(let id, let removal)), .outside(.withdraw(let otherId, let otherRemoval))):
      id == otherId && removal.names == otherRemoval.names
    default: effect == other.effect
    }
  }
}

extension Precondition {
  fileprivate func limited(to names: [String]) -> Precondition {
    var ground = self
    ground.target = target?.filter { names.contains($0.key) }
    ground.marks = marks?.filter { names.contains($0.key) }
    return ground
  }
}

extension Effect {
  /// Whether steps at targets wait for it.
  fileprivate var isWaitedFor: Bool {
    switch self {
    case .store(.allow), .store(.activate), .store(.deactivate), .store(.rewrap), .outside(.mint): true
    case .store(.key(_, let effect)): effect.write != nil || action == .move
    default: false
    }
  }

  fileprivate var endsIssued: Bool { action == .disableIssued || action == .revokeIssued }
}
