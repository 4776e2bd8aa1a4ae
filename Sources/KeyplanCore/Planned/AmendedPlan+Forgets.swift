extension AmendmentDraft {
  /// Ends records by hand. Values at targets stay where they are: only an apply touches a target.
  mutating func forget(_ address: Address) {
    switch address {
    case .key(let id): if let record = recorded.keys[id] { forget(id, record) }
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

  private mutating func forget(_ id: Identifier<Key>, _ record: KeyRecord) {
    var after = recorded
    let slots = recorded.slots.inOrder.filter { $0.value.key == id }
    for (slot, active) in slots {
      add(.store(.deactivate(slot, was: id)), on: Precondition(revision: active.revision))
      after.slots[slot] = nil
    }
    add(.key(id, .forget), on: Precondition(revision: record.revision), after: slots.map { .slot($0.key) })
    after.keys[id] = nil
    look(ahead: after)
    reportForgetting(id, record, slots.map(\.key))
  }

  /// What a person must know about a record that goes.
  mutating func reportForgetting(_ id: Identifier<Key>, _ record: KeyRecord, _ slots: [Identifier<Slot>]) {
    if !allowances.forget { guardForgetting(id, record, slots) }
    if let key = manifest.keys[id] {
      let value: KeyIssue.NextValue =
        switch next.steps.first(where: { $0.address == .key(id) })?.effect {
        case .store(.key(_, .store(let write))): .stored(from: write.origin)
        case .store(.key(_, .adopt(_, let origin))): .adopted(from: origin)
        default: .none
        }
      report(.key(id, .stillDeclared(value)), at: key.place)
    }
    for (target, held) in recorded.targets.inOrder {
      reportHeld(held.entries.filter { $0.value.key == id }.keys.sorted(), at: target, held)
    }
  }

  private mutating func guardForgetting(
    _ id: Identifier<Key>, _ record: KeyRecord, _ slots: [Identifier<Slot>]
  ) {
    if recorded.keys.count == 1 { report(.key(id, .isOnly)) }
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
