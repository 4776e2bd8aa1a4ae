internal import KeyplanModel

/// Declared × recorded × found at the target: the second truth table.
struct TargetStage: PlanningStage {
  let context: PlanningContext
  var decisions = Decisions()
  let states: PlannedKeyStates
  let choices: [Identifier<Slot>: Identifier<Key>]
  private let retiring: Set<Identifier<Key>>
  /// The keys whose values do not work together.
  private let mixed: Set<Identifier<Key>>
  /// The names that declared targets will have, by place.
  private(set) var claims: [Destination: Claim] = [:]
  /// The keys whose values remain at a target, because it was unreachable or the next key has no value yet.
  var held: Set<Identifier<Key>> = []
  /// The targets that cannot be written, each reported once.
  var unwritable: Set<Identifier<Target>> = []

  init(_ context: PlanningContext, _ slots: SlotStage, _ parts: PartStage, _ retirements: RetirementStage) {
    self.context = context
    states = retirements.states
    choices = slots.choices
    retiring = retirements.retiring
    mixed = parts.mixed
    plan()
  }

  /// The names that one declared target will have at its place.
  struct Claim {
    let target: Identifier<Target>
    let names: Set<String>
    let blocked: Set<String>
  }

  private mutating func plan() {
    let declared = manifest.targets.inOrder.filter { !unsupported.contains(.target($0.key)) }
    let wishes = declared.map { id, target in wish(of: id, target) }
    for ((id, target), wish) in zip(declared, wishes) {
      claims[target.destination] = Claim(
        target: id, names: Set(wish.keys.keys), blocked: wish.blocked)
    }
    let places = Dictionary(grouping: recorded.targets.inOrder, by: \.value.destination)
    for ((id, target), wish) in zip(declared, wishes) {
      let others = places[target.destination, default: []].lazy.filter { $0.key != id }.map(\.value)
      planTarget(id, target, wish, heirOf: Array(others))
    }
    for (id, record) in recorded.targets.inOrder {
      if unsupported.contains(.target(id)) {
        held.formUnion(record.entries.values.lazy.map(\.key))
      } else if manifest.targets[id] == nil {
        let all = with(context.leftovers(of: id, at: record.destination, claims), record)
        planWithdrawal(id, all, of: Array(all.entries.keys), from: record.destination, isMove: false, at: nil)
      }
    }
    planLeftovers()
  }

  private mutating func planTarget(
    _ id: Identifier<Target>, _ target: Target, _ wish: TargetWish, heirOf others: [TargetRecord]
  ) {
    var record = recorded.targets[id]
    let waiting = (record?.entries ?? [:]).lazy.filter { wish.blocked.contains($0.key) }.map(\.value.key)
    held.formUnion(waiting)
    guard !isReplaced(id, at: target.destination, target.place, record) else { return }
    // Before anything moves: the old place must not be cleared while the new one cannot be written.
    switch observed.targets[target.destination] {
    case .failed(let failure):
      return block(.failed(failure, at: target.destination), id, target.place, record)
    case nil: return held.formUnion(record?.entries.values.map(\.key) ?? [])
    case .marks, .notAllowed, .notAskedHere, .entries: break
    }
    if let old = record, old.destination != target.destination {
      guard waiting.isEmpty else { return held.formUnion(old.entries.values.map(\.key)) }
      let names = Array(wish.keys.keys)
      guard blockedNames(id, at: target.destination, setting: names, isWhole: true, target.place, old) != nil else {
        return
      }
      if case .entries(let found) = observed.targets[target.destination] {
        let unread = names.filter { found[$0]?.failure != nil }
        guard reportUnread(unread, found, id, isWhole: true, target.place, old).isEmpty else { return }
      }
      let left = Array(old.entries.keys)
      guard planWithdrawal(id, old, of: left, from: old.destination, isMove: true, at: target.place) else { return }
      record?.entries = [:]
    }
    planSync(id, target, record, wish, heirOf: others)
    let left = context.leftovers(of: id, at: target.destination, claims)
    if record != nil || !left.isEmpty {
      let all = with(left, record ?? TargetRecord(revision: 0, destination: target.destination, entries: [:]))
      let gone = all.entries.keys.filter { wish.keys[$0] == nil && !wish.blocked.contains($0) }
      planWithdrawal(id, all, of: gone, from: target.destination, isMove: false, at: target.place)
    }
  }

  /// Whether another place has the name of the one that was written to.
  private mutating func isReplaced(
    _ id: Identifier<Target>, at destination: Destination, _ place: FileLocation?, _ record: TargetRecord?
  ) -> Bool {
    guard let record, record.destination == destination, let known = record.placeId,
      let found = observed.placeIds[destination], found != known
    else { return false }
    block(.replaced(destination), id, place, record)
    return true
  }

  private func with(_ left: [String: TargetRecord.Entry], _ record: TargetRecord) -> TargetRecord {
    guard !left.isEmpty else { return record }
    return TargetRecord(
      revision: record.revision, destination: record.destination,
      entries: record.entries.merging(left) { $1 }, placeId: record.placeId)
  }

  private mutating func wish(of id: Identifier<Target>, _ target: Target) -> TargetWish {
    let wish = TargetWish(of: id, target, context, states, choices: choices, retiring: retiring, mixed: mixed)
    for entry in wish.unusable { reportOutOfUse(entry.key, entry.state, entry.declared, id, target) }
    return wish
  }

  private mutating func reportOutOfUse(
    _ key: Identifier<Key>, _ state: PlannedKeyState, _ entry: Target.Entry, _ id: Identifier<Target>, _ target: Target
  ) {
    guard case .key = entry.feed else { return }
    report(.target(id, state.isRevoked ? .revokedKey(key) : .retiredKey(key)), at: target.place)
  }

  /// Withdraws values that an interrupted write left at the target's former place.
  private mutating func planLeftovers() {
    for attempt in recorded.attempts.values {
      switch observed.targets[attempt.destination] {
      case .entries, .marks: break
      // Without its record the key's value there could no longer be recognized.
      case .notAllowed, .notAskedHere, .failed, nil: held.formUnion(attempt.names.values)
      }
    }
    for (id, attempt) in recorded.attempts.inOrder where !unsupported.contains(.target(id)) {
      let target = manifest.targets[id]
      // At a target's own place they are withdrawn together with its other names.
      guard recorded.targets[id]?.destination != attempt.destination, target?.destination != attempt.destination
      else { continue }
      let entries = context.leftovers(of: id, at: attempt.destination, claims)
      guard !entries.isEmpty else { continue }
      let record = TargetRecord(revision: 0, destination: attempt.destination, entries: entries)
      planWithdrawal(
        id, record, of: Array(entries.keys), from: attempt.destination, isMove: target != nil, at: target?.place)
    }
  }
}
