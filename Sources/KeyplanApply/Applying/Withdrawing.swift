internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts
internal import KeyplanSecrets

extension Run {
  /// Takes names away from a target, unless what is there has moved or is somebody else's.
  func withdraw(_ step: Step, _ id: Identifier<Target>, _ removal: TargetRemoval) async {
    let record = targets[id]
    let attempt = start.attempts[id].flatMap { $0.destination == removal.destination ? $0 : nil }
    guard record != nil || attempt != nil else {
      return close(step, .stale(.notRecorded(.target(id))))
    }
    var owners: [String: Set<Identifier<Key>>] = [:]
    for name in removal.names {
      owners[name] = Set([record?.entries[name]?.key, attempt?.names[name]].compactMap(\.self))
    }
    var foreign: [String] = []
    var marks: [String: Mark?]?
    var unread: [String: AccessFailure] = [:]
    if !owners.isEmpty {
      switch await held(removal.destination, owners, record) {
      case .failure(let refusal): return close(step, refusal.result)
      case .success((let now, _)):
        guard now.matches(step.ground, owners) else {
          return close(step, .stale(.changed(.place(removal.destination))))
        }
        unread = now.failures
        // A plan that did not read the place cannot have reported a value that keyplan did not write. It stays, as a failure.
        if !step.ground.isSeen {
          foreign = removal.names.filter { unread[$0] == nil && isForeign($0, in: now, record) }
        }
        marks = now.marks
      }
    }
    let kept = Set(foreign).union(unread.keys)
    let names = removal.names.filter { !kept.contains($0) }
    var outcome = await change(
      TargetChanges(set: [], remove: names, expected: marks), at: removal.destination)
    noteChange(outcome, at: id)
    if !kept.isEmpty, outcome.result == .done {
      if foreign.isEmpty {
        outcome.leave(unread, of: removal.names.count)
      } else {
        outcome.result = .failed(.leftInPlace(foreign, at: removal.destination, of: id))
      }
      // Names without a value there, or with one that keyplan did not write, leave the record as in a removal without failures.
      for name in removal.released { outcome.done[name] = .some(nil) }
    }
    guard outcome.result == .done else { return close(step, id, outcome, record, attempt) }
    let left = record?.withdrawing(removal, revision: revision)
    targets[id] = left
    close(step, .done, (record == nil ? [] : [.target(id, left)]) + [.attempt(id, nil)])
  }

  /// A withdrawal that is not done for each of its names: what is done is recorded.
  private func close(
    _ step: Step, _ id: Identifier<Target>, _ outcome: ChangeOutcome, _ record: TargetRecord?, _ attempt: WriteAttempt?
  ) {
    guard !outcome.done.isEmpty else { return close(step, outcome.result) }
    let left = record?.forgetting(Array(outcome.done.keys), revision: revision)
    targets[id] = left
    let open = attempt?.without(outcome.done.keys) ?? start.attempts[id].flatMap { attempt == nil ? $0 : nil }
    close(step, outcome.result, (record == nil ? [] : [.target(id, left)]) + [.attempt(id, open)])
  }

  private func isForeign(_ name: String, in held: HeldNames, _ record: TargetRecord?) -> Bool {
    let entry = record?.entries[name]
    switch held {
    case .entries(let entries):
      guard let there = entries[name] else { return false }
      return !(entry.map { there.holds($0.fingerprint, of: $0.key) } ?? false) && !there.isOurs(among: start.keys)
    case .marks(let marks):
      guard let mark = marks[name], let entry else { return false }
      return entry.kept != nil || (entry.mark != nil && mark != nil && entry.mark != mark)
    case .unseen: return false
    }
  }
}
