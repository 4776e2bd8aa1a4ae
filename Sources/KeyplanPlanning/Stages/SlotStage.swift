internal import KeyplanModel

/// Chooses the key of each slot: the first usable candidate. A slot without one is not changed.
struct SlotStage: PlanningStage {
  let context: PlanningContext
  var decisions = Decisions()
  /// The key of each declared slot; a slot without a key is absent.
  private(set) var choices: [Identifier<Slot>: Identifier<Key>] = [:]
  private let states: PlannedKeyStates

  init(_ context: PlanningContext, _ keys: KeyStage) {
    self.context = context
    states = keys.states
    plan()
    reportSharedVariables(of: keys.owners)
  }

  private mutating func plan() {
    for (id, slot) in manifest.slots.inOrder {
      let record = recorded.slots[id]
      guard let choice = slot.candidates.first(where: { states[$0]?.isUsable == true }) else {
        keepSlot(id, slot, record)
        continue
      }
      choices[id] = choice
      guard choice != record?.key else { continue }
      add(
        .store(.activate(id, choice, was: record?.key)), because: cause(of: choice, slot, record),
        on: Precondition(revision: record?.revision), after: [.key(choice)])
    }
    for (id, record) in recorded.slots.inOrder where manifest.slots[id] == nil {
      add(.store(.deactivate(id, was: record.key)), because: .manifest, on: Precondition(revision: record.revision))
    }
  }

  private mutating func keepSlot(_ id: Identifier<Slot>, _ slot: Slot, _ record: SlotRecord?) {
    let kept = record.flatMap { slot.candidates.contains($0.key) ? $0.key : nil }
    if let kept, let state = states[kept], state.hasValue, !state.isOutOfUse, !allowances.retire {
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
    if from < to, let state = states[old] {
      if state.isRevoked { return .revocation }
      if state.isRefusedByProvider { return .check }
      if state.isOver || state.isRetired { return .expiry }
    }
    return states[choice]?.isWritten == true ? .follows : .manifest
  }

  /// Reports keys that readers could not export together.
  private mutating func reportSharedVariables(of owners: [Identifier<Key>]) {
    // This is rare, and checked for all keys in each plan: so do it without sorting first.
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
}
