internal import KeyplanModel

/// The current state of all names at all targets, whatever the next apply is going to change in the store.
struct TargetStandings {
  /// One name at one place.
  struct Row {
    let target: Identifier<Target>
    let name: String
    let destination: Destination
    let facts: NameFacts
    let standing: NameStanding
    /// The time at which the wanted value was stored; nil if unknown.
    let wantedSince: Moment?
    /// The time at which the key that is declared there was retired; nil if it was not.
    let retiredAt: Moment?
  }

  private(set) var rows: [Row] = []
  private let context: PlanningContext
  private let states: PlannedKeyStates
  private let choices: [Identifier<Slot>: Identifier<Key>]
  /// The names that the next apply writes.
  private let writes: Set<Address>

  /// - Parameter plan: the next apply: a name whose key has no record is compared with what was written there if the apply writes it.
  init(_ context: PlanningContext, _ plan: Plan) {
    let states = PlannedKeyStates(context)
    (self.context, self.states) = (context, states)
    writes = plan.writtenNames
    choices = Dictionary(
      context.manifest.slots.compactMap { id, slot in
        let chosen = context.recorded.slots[id]?.key ?? slot.candidates.first { states[$0]?.isUsable == true }
        return chosen.map { (id, $0) }
      }
    ) { first, _ in first }
    collect()
  }

  private mutating func collect() {
    let (manifest, recorded) = (context.manifest, context.recorded)
    let mixed = Set(
      Set(manifest.keys.values.compactMap { $0.isPart ? $0.minting : nil }).flatMap { minting in
        let parts = minting.parts.map(\.key)
        return PartRecords(parts, in: recorded.keys).areMixed ? parts : []
      })
    var declared: [Destination: Set<String>] = [:]
    let places = Dictionary(grouping: recorded.targets, by: \.value.destination)
    for (id, target) in manifest.targets where !context.unsupported.contains(.target(id)) {
      let wish = TargetWish(of: id, target, context, states, choices: choices, retiring: [], mixed: mixed)
      let place = target.destination
      let wished = Set(wish.keys.keys).union(wish.blocked)
      declared[place] = wished
      let others = places[place, default: []].filter { $0.key != id }.map(\.value)
      let record = recorded.targets[id].flatMap { $0.destination == place ? $0 : nil }
      let retired = retirements(wish)
      for name in wished.union(names(of: id, at: place)) {
        let wanted: NameFacts.Wanted =
          if let key = wish.keys[name] { .value(key, states[key]?.fingerprint) } else if wish.blocked.contains(name) {
            forgotten(record?.entries[name], at: .entry(id, name: name))
          } else { .nothing }
        add(id, name, place, wanted, record, others, retiredAt: retired[name])
      }
    }
    // Values that were written to a target's former place.
    for id in Set(recorded.targets.keys).union(recorded.attempts.keys)
    where !context.unsupported.contains(.target(id)) {
      let left = Set([recorded.targets[id]?.destination, recorded.attempts[id]?.destination].compactMap(\.self))
      for place in left where place != manifest.targets[id]?.destination {
        let record = recorded.targets[id].flatMap { $0.destination == place ? $0 : nil }
        for name in names(of: id, at: place) where declared[place]?.contains(name) != true {
          add(id, name, place, .nothing, record, [])
        }
      }
    }
  }

  /// The value that belongs under a name whose declared key has no usable one. If the next apply gives it one, the record of
  /// the target says what should be there until then, although the key was forgotten.
  private func forgotten(_ written: TargetRecord.Entry?, at address: Address) -> NameFacts.Wanted {
    guard let written, context.recorded.keys[written.key] == nil, writes.contains(address) else { return .keep }
    return .value(written.key, written.fingerprint)
  }

  /// The times at which keys that are declared under names were retired.
  private func retirements(_ wish: TargetWish) -> [String: Moment] {
    var found: [String: Moment] = [:]
    for unusable in wish.unusable {
      guard case .retired(let since, _) = unusable.state.serving else { continue }
      for name in context.manifest.possibleNames(of: unusable.declared) where found[name] == nil { found[name] = since }
    }
    return found
  }

  /// The names that were written at a place, or may have been.
  private func names(of id: Identifier<Target>, at place: Destination) -> Set<String> {
    var names: Set<String> = []
    if let record = context.recorded.targets[id], record.destination == place { names.formUnion(record.entries.keys) }
    if let attempt = context.recorded.attempts[id], attempt.destination == place {
      names.formUnion(attempt.names.keys)
    }
    return names
  }

  private mutating func add(
    _ id: Identifier<Target>, _ name: String, _ place: Destination, _ wanted: NameFacts.Wanted,
    _ record: TargetRecord?, _ others: [TargetRecord], retiredAt: Moment? = nil
  ) {
    let attempt = context.recorded.attempts[id].flatMap { $0.destination == place ? $0 : nil }
    let facts = NameFacts(
      wanted: wanted, written: record?.entries[name], seen: context.observed.targets[place].seen(name),
      isAttempted: attempt?.names[name] != nil, inherited: others.compactMap { $0.entries[name] })
    let since: Moment? =
      if case .value(let key, _) = wanted { context.recorded.keys[key]?.version.storedAt } else { nil }
    rows.append(
      Row(
        target: id, name: name, destination: place, facts: facts,
        standing: facts.standing(among: context.recorded.keys), wantedSince: since, retiredAt: retiredAt))
  }
}

extension Plan {
  /// The names at targets that get a value.
  var writtenNames: Set<Address> {
    steps.reduce(into: []) { names, step in
      guard case .outside(.sync(let id, let write)) = step.effect else { return }
      for entry in write.entries where entry.reason != .alreadyThere { names.insert(.entry(id, name: entry.name)) }
    }
  }
}
