internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts
internal import KeyplanSecrets

extension TargetStep {
  /// Removes names from a target, unless their values have changed or keyplan did not write them.
  func withdraw(_ removal: TargetRemoval, _ ledger: isolated Ledger) async throws(Refusal) {
    let record = ledger.records.targets[id]
    let attempt = context.start.attempts[id].flatMap { $0.destination == removal.destination ? $0 : nil }
    guard record != nil || attempt != nil else { throw .stale(.notRecorded(.target(id))) }
    var owners: [String: Set<Identifier<Key>>] = [:]
    for name in removal.names {
      owners[name] = Set([record?.entries[name]?.key, attempt?.names[name]].compactMap(\.self))
    }
    var foreign: [String] = []
    var marks: [String: Mark?]?
    var unread: [String: AccessFailure] = [:]
    if !owners.isEmpty {
      let now = try await held(removal.destination, owners, record).names
      guard now.matches(step.ground, owners) else { throw .stale(.changed(.place(removal.destination))) }
      unread = now.failures
      // A plan that did not read the place cannot have reported a value that keyplan did not write. It stays, as a failure.
      if !step.ground.isSeen {
        foreign = removal.names.filter { unread[$0] == nil && isForeign($0, in: now, record) }
      }
      marks = now.marks
    }
    let kept = Set(foreign).union(unread.keys)
    let names = removal.names.filter { !kept.contains($0) }
    var outcome = await change(
      TargetChanges(set: [], remove: names, expected: marks), at: removal.destination)
    ledger.records.noteChange(outcome, at: id)
    if !kept.isEmpty, outcome.result == .done {
      if foreign.isEmpty {
        outcome.leave(unread, of: removal.names.count)
      } else {
        outcome.result = .failed(.leftInPlace(foreign, at: removal.destination, of: id))
      }
      // Names without a value there, or with one that keyplan did not write, leave the record as in a removal without failures.
      for name in removal.released { outcome.done[name] = .some(nil) }
    }
    let left: TargetRecord?
    var open: WriteAttempt?
    if outcome.result == .done {
      left = record?.withdrawing(removal, revision: ledger.revision)
    } else {
      // Partial results are recorded.
      guard !outcome.done.isEmpty else { return ledger.close(step, outcome.result) }
      left = record?.forgetting(Array(outcome.done.keys), revision: ledger.revision)
      open = attempt == nil ? context.start.attempts[id] : attempt?.without(outcome.done.keys)
    }
    let change = record == nil ? [] : [ledger.records.put(left, id)]
    ledger.close(step, outcome.result, change + [.attempt(id, open)])
  }

  private func isForeign(_ name: String, in held: HeldNames, _ record: TargetRecord?) -> Bool {
    let entry = record?.entries[name]
    switch held {
    case .entries(let entries):
      return entries[name].map { isForeign($0, entry) } ?? false
    case .marks(let marks):
      guard let mark = marks[name], let entry else { return false }
      return entry.kept != nil || (entry.mark != nil && mark != nil && entry.mark != mark)
    case .unseen: return false
    }
  }
}
