extension PlanBuilder {
  /// What an interrupted write left at a place under names that nothing declares any more: the values there that turn out
  /// to be keyplan's own, and are not those that are recorded.
  func leftovers(of id: Identifier<Target>, at destination: Destination) -> [String: TargetRecord.Entry] {
    guard let attempt = recorded.attempts[id], attempt.destination == destination else { return [:] }
    let record = recorded.targets[id].flatMap { $0.destination == destination ? $0 : nil }
    let claim = reservedNames[destination]
    let found: [String: FoundEntry]? =
      if case .entries(let found) = observed.targets[destination] { found } else { nil }
    let marks: [String: Mark?]? = if case .marks(let marks) = observed.targets[destination] { marks } else { nil }
    var entries: [String: TargetRecord.Entry] = [:]
    for (name, key) in attempt.names
    where claim?.names.contains(name) != true && claim?.blocked.contains(name) != true {
      if let marks, marks[name] == nil { continue }
      if let entry = record?.entries[name], found?[name]?.holds(entry.fingerprint, of: entry.key) ?? true { continue }
      guard let versions = recorded.keys[key].map({ [$0.version] + $0.history }) else { continue }
      let version =
        found.map { found in
          versions.first { found[name]?.holds($0.fingerprint, of: key) ?? false }
        } ?? versions.first
      guard let version else { continue }
      entries[name] = TargetRecord.Entry(key: key, fingerprint: version.fingerprint, syncedAt: version.storedAt)
    }
    return entries
  }

  /// Withdraws what an interrupted write left at a place that is no target's any more, or not this one's.
  mutating func planLeftovers() {
    for attempt in recorded.attempts.values {
      switch observed.targets[attempt.destination] {
      case .entries, .marks: break
      // Without its record the key's value there could no longer be recognized.
      case .notAllowed, .notAskedHere, .failed, nil: unwithdrawable.formUnion(attempt.names.values)
      }
    }
    for (id, attempt) in recorded.attempts.inOrder where !unsupported.contains(.target(id)) {
      let target = manifest.targets[id]
      // At a target's own place they go with whatever else goes there.
      guard recorded.targets[id]?.destination != attempt.destination, target?.destination != attempt.destination
      else { continue }
      let entries = leftovers(of: id, at: attempt.destination)
      guard !entries.isEmpty else { continue }
      let record = TargetRecord(revision: 0, destination: attempt.destination, entries: entries)
      planWithdrawal(
        id, record, of: Array(entries.keys), from: attempt.destination, isMove: target != nil, at: target?.place)
    }
  }
}
