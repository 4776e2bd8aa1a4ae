internal import KeyplanModel

extension PlanningContext {
  /// Values that an interrupted write left at a place under names that are no longer declared: those that prove to be keyplan's own, and
  /// differ from the recorded ones.
  /// - Parameter claims: the names that declared targets will have, by place.
  func leftovers(
    of id: Identifier<Target>, at destination: Destination, _ claims: [Destination: TargetStage.Claim]
  ) -> [String: TargetRecord.Entry] {
    guard let attempt = recorded.attempts[id], attempt.destination == destination else { return [:] }
    let record = recorded.targets[id].flatMap { $0.destination == destination ? $0 : nil }
    let claim = claims[destination]
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
}
