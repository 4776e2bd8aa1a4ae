extension PlanBuilder {
  /// One key for each slot: the first usable candidate. Without one, the slot stays as it is.
  mutating func planSlots() {
    for (id, slot) in manifest.slots.inOrder {
      let record = recorded.slots[id]
      guard let choice = slot.candidates.first(where: { outlook(of: $0)?.isUsable == true }) else {
        keepSlot(id, slot, record)
        continue
      }
      choices[id] = choice
      guard choice != record?.key else { continue }
      add(
        .activate(choice, was: record?.key), at: .slot(id), because: cause(of: choice, slot, record),
        on: Precondition(revision: record?.revision), after: [.key(choice)])
    }
    for (id, record) in recorded.slots.inOrder where manifest.slots[id] == nil {
      add(.deactivate(was: record.key), at: .slot(id), because: .manifest, on: Precondition(revision: record.revision))
    }
  }

  private mutating func keepSlot(_ id: Identifier<Slot>, _ slot: Slot, _ record: SlotRecord?) {
    let kept = record.flatMap { slot.candidates.contains($0.key) ? $0.key : nil }
    if let kept, let outlook = outlook(of: kept), outlook.hasValue, !outlook.isRetired, !allowances.retire {
      choices[id] = kept
      return
    }
    if let kept { choices[id] = kept }
    report(.slot(id, .noUsableKey(among: slot.candidates, staysOn: record?.key)), at: slot.place)
  }

  private func cause(of choice: Identifier<Key>, _ slot: Slot, _ record: SlotRecord?) -> Cause {
    guard let old = record?.key, let from = slot.candidates.firstIndex(of: old),
      let to = slot.candidates.firstIndex(of: choice)
    else { return .manifest }
    if from < to { return outlook(of: old).map { $0.isOver || $0.isRetired } == true ? .expiry : .manifest }
    return outlook(of: choice)?.isWritten == true ? .follows : .manifest
  }

  /// Reports keys that readers could not export together.
  mutating func reportSharedVariables() {
    // Seldom, and asked of all keys in each plan: so first without order.
    let names = Set(choices.values).union(owners).compactMap { manifest.keys[$0]?.facts.variable }
    guard Set(names).count < names.count else { return }
    let exported = ExportedKey.all(active: choices, owners: owners) { manifest.keys[$0]?.facts }
    for keys in exported.byVariable.filter({ $0.value.count > 1 }).inOrder.map(\.value) {
      if let slot = keys.flatMap(\.slots).max() {
        report(.slot(slot, .sharesVariable(keys)), at: manifest.slots[slot]?.place)
      } else {
        report(.key(keys[0].key, .sharesVariable(keys)))
      }
    }
  }

  /// Retires what has expired, but never the last usable key of a slot or target; and stores nothing only to retire it.
  mutating func planRetirements() {
    var needed = Set(choices.values)
    for target in manifest.targets.values {
      for case .key(let key) in target.entries.lazy.map(\.feed) { needed.insert(key) }
    }
    var successions: [Identifier<Key>: [Address]] = [:]
    for (slot, record) in recorded.slots.inOrder where choices[slot].map({ $0 != record.key }) ?? false {
      successions[record.key, default: []].append(.slot(slot))
    }
    var refused: Set<Identifier<Key>> = []
    for id in ending {
      guard let key = manifest.keys[id], let expiry = key.facts.expiry, let outlook = outlook(of: id), outlook.hasValue,
        !outlook.isRetired
      else { continue }
      let record = recorded.keys[id]
      let storedAt = outlook.isWritten ? now : record?.version.storedAt ?? now
      let state = expiry.state(from: Self.birth(of: key.facts, storedAt: storedAt), at: now)
      switch state {
      case .fresh: continue
      case .soon(let end):
        report(.key(id, .expiresSoon(expiry.limit, on: end)), at: key.place)
      case .over(let end) where !outlook.isOver:
        report(.key(id, .expired(on: end)), at: key.place)
      case .over(let end):
        if needed.contains(id), !allowances.retire {
          report(.key(id, .lastKeyKept(expiredOn: end)), at: key.place)
        } else {
          if outlook.isWritten {
            refused.insert(id)
            report(.key(id, .newValueExpired(expiry.limit, on: end)), at: key.place)
            written[id] = nil
          }
          guard let record, record.retiredAt == nil else { continue }
          retiring.insert(id)
          add(
            .retire, at: .key(id), because: .expiry, on: Precondition(revision: record.revision),
            after: successions[id] ?? [])
        }
      }
    }
    guard !refused.isEmpty else { return }
    steps.removeAll { step in
      guard case .key(let id) = step.address, refused.contains(id) else { return false }
      switch step.effect {
      case .store, .replace, .adopt: return true
      default: return false
      }
    }
  }
}
