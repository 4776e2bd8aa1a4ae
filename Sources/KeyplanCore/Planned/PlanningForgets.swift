extension Amending {
  /// Ends records by hand. Values at targets stay where they are: only an apply touches a target.
  mutating func forget(_ address: Address) {
    switch address {
    case .key(let id): if let record = recorded.keys[id] { forget(id, record) }
    case .slot(let id): if let record = recorded.slots[id] { forget(id, record) }
    case .target(let id):
      if let record = recorded.targets[id] { forget(Array(record.entries.keys), of: id, record, as: address) }
    case .entry(let id, let name):
      if let record = recorded.targets[id], record.entries[name] != nil {
        forget([name], of: id, record, as: address)
      }
    case .calendar(let id):
      if let record = recorded.accounts[id] {
        add(.signOut(AccountSignOut(facts: record.facts, revokes: false)), at: address)
      }
    case .recipients, .surface, .migration, .rules, .store: break
    }
  }

  private mutating func forget(_ id: Identifier<Key>, _ record: KeyRecord) {
    var after = recorded
    let slots = recorded.slots.inOrder.filter { $0.value.key == id }
    for (slot, active) in slots {
      add(.deactivate(was: id), at: .slot(slot), on: Precondition(revision: active.revision))
      after.slots[slot] = nil
    }
    add(.forget, at: .key(id), on: Precondition(revision: record.revision), after: slots.map { .slot($0.key) })
    after.keys[id] = nil
    look(ahead: after)
    if !allowances.forget { guardForgetting(id, record, slots.map(\.key)) }
    if let key = manifest.keys[id] {
      let detail =
        switch next.steps.first(where: { $0.address == .key(id) })?.effect {
        case .store(let write):
          "the next apply stores it anew" + (write.origin.map { " from \($0)" } ?? "") + ", without its history."
        case .adopt(_, let origin): "the next apply adopts it anew from \(origin), without its history."
        default: "it has no value until one is given."
        }
      diagnostics.append(
        Diagnostic(
          .stillDeclared, "The manifest still declares \"\(id)\": \(detail)",
          hint: "Take it out of the manifest, if it is to stay forgotten.", at: key.place, of: .key(id)))
    }
    for (target, held) in recorded.targets.inOrder {
      tellHeld(held.entries.filter { $0.value.key == id }.keys.sorted(), at: target, held)
    }
  }

  private mutating func guardForgetting(
    _ id: Identifier<Key>, _ record: KeyRecord, _ slots: [Identifier<Slot>]
  ) {
    let hint = "If that is meant: --allow-forget."
    if recorded.keys.count == 1 {
      tell(.keyProtected, "\"\(id)\" is the only recorded key.", hint: hint, of: .key(id))
    }
    if record.facts.isProtected || manifest.keys[id]?.facts.isProtected == true {
      tell(.keyProtected, "\"\(id)\" is protected.", hint: hint, of: .key(id))
    }
    for slot in slots { tell(.keyProtected, "\"\(id)\" is active in active.\(slot).", hint: hint, of: .key(id)) }
  }

  private mutating func forget(_ id: Identifier<Slot>, _ record: SlotRecord) {
    add(.forget, at: .slot(id), on: Precondition(revision: record.revision))
    var after = recorded
    after.slots[id] = nil
    look(ahead: after)
    guard let slot = manifest.slots[id] else { return }
    diagnostics.append(
      Diagnostic(
        .stillDeclared, "The manifest still declares active.\(id): the next apply chooses a key for it again.",
        at: slot.place, of: .slot(id)))
  }

  private mutating func forget(
    _ names: [String], of id: Identifier<Target>, _ record: TargetRecord, as address: Address
  ) {
    add(.forget, at: address, on: Precondition(revision: record.revision))
    var after = recorded
    after.targets[id] = record.forgetting(names, revision: record.revision)
    look(ahead: after)
    tellHeld(names.sorted(), at: id, record)
  }

  private mutating func tellHeld(_ names: [String], at id: Identifier<Target>, _ record: TargetRecord) {
    guard !names.isEmpty else { return }
    var leaving: Set<String> = []
    var coming: Set<String> = []
    for step in next.steps where step.address == .target(id) {
      switch step.effect {
      case .withdraw(let removal): leaving.formUnion(removal.names)
      case .sync(let write): coming.formUnion(write.entries.lazy.map(\.name))
      default: break
      }
    }
    let hint: String? =
      if names.contains(where: leaving.contains) {
        "The next apply takes it away there, as nothing declares it."
      } else if names.contains(where: coming.contains) {
        "The next apply looks at it anew, as the manifest declares it."
      } else {
        nil
      }
    tell(
      .stillHeld,
      "\(record.destination.location) goes on holding \(names.joined(separator: ", ")); nothing is written "
        + "there now.", hint: hint, of: .target(id))
  }
}
