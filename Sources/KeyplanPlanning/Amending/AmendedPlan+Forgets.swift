internal import KeyplanModel

extension AmendmentDraft {
  /// Ends records by hand. Values at targets stay where they are: only an apply touches a target.
  mutating func forget(_ address: Address) {
    switch address {
    case .key(let id): forget(id)
    case .slot(let id): if let record = recorded.slots[id] { forget(id, record) }
    case .target(let id):
      if let record = recorded.targets[id] { forget(Array(record.entries.keys), of: id, record, by: .forgetTarget(id)) }
    case .entry(let id, let name):
      if let record = recorded.targets[id], record.entries[name] != nil {
        forget([name], of: id, record, by: .forgetEntry(id, name: name))
      }
    case .calendar(let id):
      if let record = recorded.accounts[id] {
        add(.outside(.signOut(id, AccountSignOut(facts: record.facts, revokes: false))))
      }
    case .recipients, .surface, .migration, .rules, .store: break
    }
  }

  private mutating func forget(_ id: Identifier<Key>) {
    let parts = records(of: id).parts
    guard !parts.isEmpty else { return }
    var after = recorded
    let slots = deactivate(parts.map(\.key), &after)
    for (part, record) in parts {
      add(
        .key(part, .forget), on: Precondition(revision: record.revision),
        after: slots[part, default: []].map(Address.slot))
      after.keys[part] = nil
    }
    look(ahead: after)
    for (part, record) in parts {
      reportForgetting(part, record, slots[part, default: []], isOnly: recorded.keys.count == parts.count)
    }
  }

  /// Plans that slots have none of these keys any more.
  /// - Returns: the slots, by key.
  mutating func deactivate(_ keys: [Identifier<Key>], _ after: inout Recorded) -> [Identifier<Key>: [Identifier<Slot>]]
  {
    var slots: [Identifier<Key>: [Identifier<Slot>]] = [:]
    for (slot, active) in recorded.slots.inOrder where keys.contains(active.key) {
      add(.store(.deactivate(slot, was: active.key)), on: Precondition(revision: active.revision))
      after.slots[slot] = nil
      slots[active.key, default: []].append(slot)
    }
    return slots
  }

  /// Reports the consequences of deleting a record.
  mutating func reportForgetting(
    _ id: Identifier<Key>, _ record: KeyRecord, _ slots: [Identifier<Slot>], isOnly: Bool
  ) {
    if !allowances.forget { guardForgetting(id, record, slots, isOnly: isOnly) }
    if let key = manifest.keys[id] {
      let value: KeyIssue.NextValue =
        switch next.steps.first(where: { $0.address == .key(id) })?.effect {
        case .store(.key(_, .store(let write))): .stored(from: write.origin)
        case .store(.key(_, .adopt(_, let origin))): .adopted(from: origin)
        default: key.composition.map { .composed(of: $0.parts) } ?? .none
        }
      report(.key(id, .stillDeclared(value)), at: key.place)
    }
    for (target, held) in recorded.targets.inOrder {
      reportHeld(held.entries.filter { $0.value.key == id }.keys.sorted(), at: target, held)
    }
  }

  private mutating func guardForgetting(
    _ id: Identifier<Key>, _ record: KeyRecord, _ slots: [Identifier<Slot>], isOnly: Bool
  ) {
    if isOnly { report(.key(id, .isOnly)) }
    if record.facts.isProtected || manifest.keys[id]?.facts.isProtected == true {
      report(.key(id, .isProtected(isUndeclared: false)))
    }
    for slot in slots { report(.key(id, .isActive(in: slot, isUndeclared: false))) }
  }

  private mutating func forget(_ id: Identifier<Slot>, _ record: SlotRecord) {
    add(.store(.forgetSlot(id)), on: Precondition(revision: record.revision))
    var after = recorded
    after.slots[id] = nil
    look(ahead: after)
    guard let slot = manifest.slots[id] else { return }
    report(.slot(id, .stillDeclared), at: slot.place)
  }

  private mutating func forget(
    _ names: [String], of id: Identifier<Target>, _ record: TargetRecord, by effect: StoreEffect
  ) {
    add(.store(effect), on: Precondition(revision: record.revision))
    var after = recorded
    after.targets[id] = record.forgetting(names, revision: record.revision)
    look(ahead: after)
    reportHeld(names.sorted(), at: id, record)
  }

  private mutating func reportHeld(_ names: [String], at id: Identifier<Target>, _ record: TargetRecord) {
    guard !names.isEmpty else { return }
    var leaving: Set<String> = []
    var coming: Set<String> = []
    for case .outside(let effect) in next.steps.lazy.map(\.effect) {
      if case .withdraw(id, let removal) = effect { leaving.formUnion(removal.names) }
      if case .sync(id, let write) = effect { coming.formUnion(write.entries.lazy.map(\.name)) }
    }
    let next: TargetIssue.Next =
      if names.contains(where: leaving.contains) {
        .removed
      } else if names.contains(where: coming.contains) {
        .compared
      } else {
        .nothing
      }
    report(.target(id, .stillHeld(record.destination, names: names, next)))
  }
}
