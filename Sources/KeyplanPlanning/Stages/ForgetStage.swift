internal import KeyplanModel

/// Deletes the records of keys that are no longer declared, unless a safety check blocks that.
struct ForgetStage: PlanningStage {
  let context: PlanningContext
  var decisions = Decisions()
  private let targets: TargetStage
  private let retiring: Set<Identifier<Key>>
  /// The keys whose records are kept because their values or names are still in use.
  private let held: Set<Identifier<Key>>

  /// - Parameter recordedCount: the number of declared keys that are recorded.
  init(
    _ context: PlanningContext, _ recordedCount: Int, _ moves: MoveStage, _ retirements: RetirementStage,
    _ targets: TargetStage, _ issued: IssuedStage
  ) {
    self.context = context
    self.targets = targets
    retiring = retirements.retiring
    let held = moves.held.union(targets.held).union(issued.held)
    self.held = held.union(held.flatMap { $0.whole == nil ? [] : context.wholes.parts(of: $0) })
    plan(recordedCount)
    hintAtRenames()
  }

  private mutating func plan(_ recordedCount: Int) {
    let leaving = recordedCount == recorded.keys.count ? [] : recorded.undeclared(in: manifest)
    let users = leaving.isEmpty ? [:] : users()
    for (id, record) in leaving where !held.contains(id) {
      let ends = context.wholes.parts(of: id).filter { recorded.keys[$0]?.issued.isEmpty == false }.map(Address.key)
      add(
        .key(id, .forget), because: .manifest, on: Precondition(revision: record.revision),
        after: (users[id] ?? []) + ends)
    }
    for (id, record) in orphanedSlots() where !held.contains(record.key) {
      add(.store(.deactivate(id, was: record.key)), because: .follows, on: Precondition(revision: record.revision))
    }
    guard !allowances.forget else { return }
    if !leaving.isEmpty { guardForgetting(leaving) }
    guardWithdrawals()
  }

  /// The users of each recorded key: the slots in which it is active, then the targets that have its value.
  private func users() -> [Identifier<Key>: [Address]] {
    var users: [Identifier<Key>: [Address]] = [:]
    for (id, record) in recorded.slots.inOrder { users[record.key, default: []].append(.slot(id)) }
    for (id, record) in recorded.targets.inOrder {
      for key in Set(record.entries.values.map(\.key)) { users[key, default: []].append(.target(id)) }
    }
    for (id, attempt) in recorded.attempts.inOrder {
      for key in Set(attempt.names.values) where users[key]?.contains(.target(id)) != true {
        users[key, default: []].append(.target(id))
      }
    }
    return users
  }

  /// Declared slots that have no other choice than a key that leaves.
  private func orphanedSlots() -> [(key: Identifier<Slot>, value: SlotRecord)] {
    recorded.slots.inOrder.filter { id, record in
      manifest.slots[id] != nil && targets.choices[id] == nil && manifest.keys[record.key] == nil
        && recorded.keys[record.key] != nil
    }
  }

  /// Above this many, and above 30 %, removals require confirmation.
  private static let freeRemovals = 3

  private static func isTooMuch(_ count: Int, of all: Int) -> Bool {
    count > freeRemovals && count * 10 > all * 3
  }

  private mutating func guardForgetting(_ leaving: [(Identifier<Key>, KeyRecord)]) {
    if leaving.count == recorded.keys.count {
      report(.store(.forgetsAll(leaving.map(\.0))))
    } else if Self.isTooMuch(leaving.count, of: recorded.keys.count) {
      report(.store(.forgetsMany(leaving.map(\.0), of: recorded.keys.count)))
    }
    for (id, record) in leaving where record.facts.isProtected {
      report(.key(id, .isProtected(isUndeclared: true)))
    }
    let ids = Set(leaving.map(\.0))
    for (slot, record) in recorded.slots.inOrder where targets.choices[slot] == nil && ids.contains(record.key) {
      report(.key(record.key, .isActive(in: slot, isUndeclared: true)))
    }
  }

  /// Withdrawals count too, but not those by which a slot hands over to another key, nor those of keys that are out of use.
  private mutating func guardWithdrawals() {
    let all = recorded.targets.values.reduce(0) { $0 + $1.entries.count }
    var names: [String] = []
    for step in targets.decisions.steps {
      guard case .outside(.withdraw(let id, let removal)) = step.effect, !removal.isMove,
        let record = recorded.targets[id]
      else { continue }
      let fed = slotNames(of: id)
      names += removal.names.filter { name in
        guard let key = record.entries[name]?.key, manifest.keys[key] != nil else { return false }
        return !retiring.contains(key) && targets.states[key]?.isRetired != true && !fed.contains(name)
      }
    }
    guard Self.isTooMuch(names.count, of: all) else { return }
    report(.store(.withdrawsMany(names, of: all)))
  }

  private func slotNames(of id: Identifier<Target>) -> Set<String> {
    Set(
      (manifest.targets[id]?.entries ?? []).lazy.flatMap { entry -> [String] in
        guard case .slot = entry.feed else { return [] }
        return manifest.possibleNames(of: entry)
      })
  }

  /// A key that is removed and one other that is added with the same value look like a rename, which would lose the history.
  private mutating func hintAtRenames() {
    let heirs = Dictionary(grouping: observed.resembling, by: \.value)
    for (id, old) in observed.resembling.inOrder where heirs[old]?.count == 1 {
      guard let key = manifest.keys[id], recorded.keys[id] == nil, manifest.keys[old] == nil,
        !held.contains(old)
      else { continue }
      report(.key(id, .resembles(old)), at: key.place)
    }
  }
}
