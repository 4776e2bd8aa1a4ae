internal import KeyplanCore
internal import KeyplanSecrets

extension Run {
  /// Writes a target's values, unless what is there has moved or is somebody else's.
  func sync(_ step: Step, _ id: Identifier<Target>, _ write: TargetWrite) async {
    var names: [String: Set<Identifier<Key>>] = [:]
    for entry in write.entries {
      names[entry.name] = [entry.key]
      // Another key's value may be there by right: the one that fed this name before.
      if let before = start.targets[id]?.entries[entry.name]?.key { names[entry.name]?.insert(before) }
    }
    let now: [String: FoundEntry]
    switch await found(write.destination, names) {
    case .failure(let refusal): return close(step, refusal.result)
    case .success(let found): now = found
    }
    let keys = Dictionary(write.entries.map { ($0.name, $0.key) }) { first, _ in first }
    if let planned = step.ground.target, !Self.matches(Self.ground(now, keys), planned) {
      return close(step, .stale("\(write.destination.location) was changed since it was planned."))
    }
    let values: Values
    switch collect(write, step.ground, id, now) {
    case .failure(let refusal): return close(step, refusal.result)
    case .success(let collected): values = collected
    }
    if let failure = await change(
      TargetChanges(set: values.set, remove: [], mode: write.mode?.mode), at: write.destination)
    {
      return close(step, failure)
    }
    let record = TargetRecord.syncing(
      write, values.fingerprints, over: targets[id], revision: revision, at: applier.clock())
    targets[id] = record
    // What an earlier attempt may have left under other names is withdrawn by a step of its own.
    let left = start.attempts[id].flatMap { attempt in
      attempt.destination == write.destination ? attempt.without(write.entries.map(\.name)) : nil
    }
    close(step, .done, [.target(id, record), .attempt(id, left)])
  }

  /// Reads the values of all that is about to be written from one snapshot. The store is locked, so they stay current.
  func readValues(for steps: [Step]) {
    var wanted: Set<Identifier<Key>> = []
    for step in steps {
      guard case .sync(let write) = step.effect else { continue }
      for entry in write.entries where keys[entry.key] != nil { wanted.insert(entry.key) }
    }
    guard !wanted.isEmpty else { return }
    let order = wanted.sorted()
    // Where one cannot be read, each step reads its own, so that only those that need it fail.
    guard let found = try? applier.store.values(of: order) else { return }
    values = Dictionary(uniqueKeysWithValues: zip(order, found))
  }

  private func currentValues(of keys: [Identifier<Key>]) throws(StoreError) -> [SharedSecret] {
    let known = keys.compactMap { values[$0] }
    return known.count == keys.count ? known : try applier.store.values(of: keys)
  }

  private struct Values {
    var set: [(name: String, value: SharedSecret)] = []
    var fingerprints: [Identifier<Key>: Fingerprint] = [:]
  }

  private func collect(
    _ write: TargetWrite, _ ground: Ground, _ id: Identifier<Target>, _ now: [String: FoundEntry]
  ) -> Result<Values, Refused> {
    var values = Values()
    var taken: [String] = []
    let current: [SharedSecret]
    do throws(StoreError) {
      current = try currentValues(of: write.entries.map(\.key).filter { keys[$0] != nil })
    } catch {
      return .failure(Refused(result: .failed(error)))
    }
    guard current.count == write.entries.count else {
      let gone = write.entries.filter { keys[$0.key] == nil }.map { "key.\($0.key)" }.joined(separator: ", ")
      return .failure(Refused(result: .stale("No longer recorded: \(gone).")))
    }
    for (entry, value) in zip(write.entries, current) {
      values.fingerprints[entry.key] = keys[entry.key]?.version.fingerprint
      guard entry.reason != .alreadyThere else { continue }
      if let there = now[entry.name] {
        if there.holds(applier.observer.fingerprints.fingerprint(value, of: entry.key), of: entry.key) { continue }
        if isForeign(there, entry, ground, id) { taken.append(entry.name) }
      }
      values.set.append((entry.name, value))
    }
    guard taken.isEmpty || applier.allowances.overwrite || (applier.manifest.targets[id]?.takeOver ?? false) else {
      return .failure(Refused(result: Self.taken(taken, write.destination, id)))
    }
    return .success(values)
  }

  /// Whether a value is somebody else's. Where the planner could read it, it said so; otherwise it is judged here.
  private func isForeign(
    _ there: FoundEntry, _ entry: TargetWrite.Entry, _ ground: Ground, _ id: Identifier<Target>
  ) -> Bool {
    guard ground.target == nil || entry.reason == .notCompared else { return entry.reason == .takeOver }
    let recorded = start.targets[id]?.entries[entry.name]
    return !(recorded.map { there.holds($0.fingerprint, of: $0.key) } ?? false) && !there.isOurs(among: start.keys)
  }

  private static func taken(_ names: [String], _ place: Destination, _ id: Identifier<Target>) -> StepResult {
    .failed(
      reason:
        "\(place.location) already holds other values under \(names.joined(separator: ", ")), and keyplan did not "
        + "write them. Say `takeOver: true` on target.\(id), or --allow-overwrite for this once.", isUnreachable: false)
  }
}
