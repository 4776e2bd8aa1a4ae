internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts
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
    let (now, placeId): (HeldNames, String?)
    switch await held(write.destination, names, targets[id]) {
    case .failure(let refusal): return close(step, refusal.result)
    case .success(let found): (now, placeId) = found
    }
    let keys = Dictionary(write.entries.map { ($0.name, $0.key) }) { first, _ in first }
    let unread = now.failures
    if case .entries(let found) = now, let planned = step.ground.target,
      !Self.matches(Self.ground(found, keys), planned.filter { unread[$0.key] == nil })
    {
      return close(step, .stale(.changed(.place(write.destination))))
    }
    let moved = now.moved(keys.keys, since: step.ground)
    let closed = start.closedValues(for: step.effect)
    var left = moved.union(unread.keys)
    left.formUnion(keys.filter { entry in closed.contains { $0.key == entry.value } }.keys)
    var values: Values
    switch collect(write, step.ground, id, now, leavingOut: left) {
    case .failure(let refusal): return close(step, refusal.result)
    case .success(let collected): values = collected
    }
    // A value that the place does not take keeps no other one from being written.
    let tooLarge = tooLarge(values.set, at: write.destination)
    values.set.removeAll { tooLarge.names.contains($0.name) }
    left.formUnion(tooLarge.names)
    if values.set.isEmpty, let failure = tooLarge.failure { return close(step, .failed(failure)) }
    let changes = TargetChanges(
      set: values.set, remove: [], mode: write.mode?.mode, expected: now.marks, takesOver: takenOver(by: write, id))
    if let earlier = start.attempts[id] { await removeLeftovers(of: earlier) }
    var outcome = await change(changes, at: write.destination)
    noteChange(outcome, at: id)
    if let name = moved.min(), outcome.result == .done {
      let sum = StepFailure.NamesDone(done: 0, all: write.entries.count)
      outcome.result = .stale(.entryChanged(name, at: write.destination, sum))
    }
    if !closed.isEmpty, outcome.result == .done {
      let sum = StepFailure.NamesDone(done: outcome.done.count, all: write.entries.count)
      outcome.result = .failed(.closed(closed, sum))
    }
    if let failure = tooLarge.failure, outcome.result == .done { outcome.result = .failed(failure) }
    outcome.leave(unread, of: write.entries.count)
    record(step, id, write, values, outcome, now, placeId, leavingOut: left)
  }

  /// Records what is done, whatever became of the rest.
  private func record(
    _ step: Step, _ id: Identifier<Target>, _ write: TargetWrite, _ values: Values, _ outcome: ChangeOutcome,
    _ now: HeldNames, _ placeId: String?, leavingOut moved: Set<String>
  ) {
    let written = Set(values.set.map(\.name))
    // Names that were there already are done without having been written, unless nothing could be written at all.
    let done = write.entries.filter { entry in
      if written.contains(entry.name) { return outcome.done[entry.name] != nil }
      return outcome.result == .done || (!outcome.done.isEmpty && !moved.contains(entry.name))
    }
    guard outcome.result == .done || !done.isEmpty || !outcome.unknown.isEmpty else {
      return close(step, outcome.result)
    }
    var marks: [String: Mark] = [:]
    for entry in done { marks[entry.name] = outcome.done[entry.name] ?? now.marks?[entry.name] ?? nil }
    var changes: [RecordChange] = []
    if !done.isEmpty || outcome.result == .done {
      let part = TargetWrite(destination: write.destination, entries: done, total: write.total, mode: write.mode)
      let record = TargetRecord.syncing(
        part, values.fingerprints, marks, placeId: placeId, over: targets[id], revision: revision,
        at: applier.clock())
      targets[id] = record
      changes.append(.target(id, record))
    }
    // What an earlier attempt may have left under other names is withdrawn by a step of its own.
    let earlier = start.attempts[id]
    let left = earlier.flatMap { $0.destination == write.destination ? $0.without(done.map(\.name)) : nil }
    let names = Dictionary(
      write.entries.filter { outcome.unknown.contains($0.name) }.map { ($0.name, $0.key) }
    ) { first, _ in first }
    let open = names.isEmpty ? left : WriteAttempt(destination: write.destination, names: names).following(left)
    close(step, outcome.result, changes + [.attempt(id, open)])
  }

  /// Removes files beside a place that an interrupted write left there: they can contain an old value.
  func removeLeftovers(of attempt: WriteAttempt) async {
    await applier.observer.targets[attempt.destination.type]?.removeLeftovers(at: attempt.destination)
  }

  /// The names whose values the plan takes over from others.
  private func takenOver(by write: TargetWrite, _ id: Identifier<Target>) -> Set<String> {
    let isAllowed = applier.allowances.overwrite || (applier.manifest.targets[id]?.takeOver ?? false)
    let entries = write.entries.filter { isAllowed || $0.reason == .takeOver || $0.reason == .changedThere }
    return Set(entries.map(\.name))
  }

  /// Reads the values of all that is about to be written from one snapshot. The store is locked, so they stay current.
  func readValues(for steps: [OutsideStep]) {
    var wanted: Set<Identifier<Key>> = []
    for step in steps {
      guard case .sync(_, let write) = step.effect else { continue }
      for entry in write.entries where keys[entry.key] != nil && start.closedValue(of: entry.key) == nil {
        wanted.insert(entry.key)
      }
    }
    guard !wanted.isEmpty else { return }
    let order = wanted.sorted()
    // Where one cannot be read, each step reads its own, so that only those that need it fail.
    guard let found = try? applier.store.values(of: order) else { return }
    values = Dictionary(uniqueKeysWithValues: zip(order, found))
  }

  private func currentValues(of keys: [Identifier<Key>]) throws(StoreError) -> [SecretBox] {
    let known = keys.compactMap { values[$0] }
    return known.count == keys.count ? known : try applier.store.values(of: keys)
  }

  private struct Values {
    var set: [(name: String, value: SecretBox)] = []
    var fingerprints: [Identifier<Key>: Fingerprint] = [:]
  }

  private func collect(
    _ write: TargetWrite, _ ground: Precondition, _ id: Identifier<Target>, _ now: HeldNames,
    leavingOut moved: Set<String>
  ) -> Result<Values, Refused> {
    var values = Values()
    var taken: [String] = []
    let gone = write.entries.map(\.key).filter { keys[$0] == nil }
    guard gone.isEmpty else { return .failure(Refused(result: .stale(.keysNotRecorded(gone)))) }
    let current: [Identifier<Key>: SecretBox]
    do throws(StoreError) {
      let open = write.entries.map(\.key).filter { start.closedValue(of: $0) == nil }
      current = Dictionary(zip(open, try currentValues(of: open))) { first, _ in first }
    } catch {
      return .failure(Refused(result: .failed(error)))
    }
    // Of a saved plan: it may be older than the revocation.
    let revoked = write.entries.map(\.key).filter { keys[$0]?.revocation != nil }
    guard revoked.isEmpty else { return .failure(Refused(result: .stale(.keysRevoked(revoked)))) }
    if let part = write.entries.map(\.key).first(where: isMixed) {
      return .failure(Refused(result: .stale(.changed(.record(.key(part))))))
    }
    for entry in write.entries {
      values.fingerprints[entry.key] = keys[entry.key]?.version.fingerprint
      guard entry.reason != .alreadyThere, !moved.contains(entry.name), let value = current[entry.key] else { continue }
      switch now {
      case .unseen: break
      case .marks(let marks):
        guard let mark = marks[entry.name] else { break }
        if isWritten(entry, values.fingerprints[entry.key], mark, id) { continue }
        if isForeign(mark, entry, ground, id) { taken.append(entry.name) }
      case .entries(let found):
        guard let there = found[entry.name] else { break }
        if there.holds(applier.observer.fingerprints.fingerprint(value, of: entry.key), of: entry.key) { continue }
        if isForeign(there, entry, ground, id) { taken.append(entry.name) }
      }
      values.set.append((entry.name, value))
    }
    guard taken.isEmpty || applier.allowances.overwrite || (applier.manifest.targets[id]?.takeOver ?? false) else {
      return .failure(Refused(result: .failed(.taken(taken, at: write.destination, of: id))))
    }
    return .success(values)
  }

  /// The names whose values are larger than a place takes, and the failure that names the first.
  private func tooLarge(
    _ set: [(name: String, value: SecretBox)], at place: Destination
  ) -> (names: Set<String>, failure: StepFailure?) {
    guard let limit = applier.observer.targets[place.type]?.backend.target?.limits.valueBytes else { return ([], nil) }
    let names = set.filter { $0.value.count > limit }.map(\.name)
    return (Set(names), names.min().map { .tooLarge($0, at: place, limit: limit) })
  }

  /// Whether a value is somebody else's. Where the planner could read it, it said so; otherwise it is judged here.
  private func isForeign(
    _ there: FoundEntry, _ entry: TargetWrite.Entry, _ ground: Precondition, _ id: Identifier<Target>
  ) -> Bool {
    guard ground.target == nil || entry.reason == .notCompared else { return entry.reason == .takeOver }
    let recorded = start.targets[id]?.entries[entry.name]
    return !(recorded.map { there.holds($0.fingerprint, of: $0.key) } ?? false) && !there.isOurs(among: start.keys)
  }

  /// Whether the value is known to be there already, because this program wrote it and nothing changed since.
  private func isWritten(
    _ entry: TargetWrite.Entry, _ fingerprint: Fingerprint?, _ mark: Mark?, _ id: Identifier<Target>
  ) -> Bool {
    guard start.attempts[id]?.names[entry.name] == nil, let recorded = start.targets[id]?.entries[entry.name],
      recorded.kept == nil, let known = recorded.mark
    else { return false }
    return known == mark && recorded.key == entry.key && recorded.fingerprint == fingerprint
  }

  /// Whether a value that cannot be read is somebody else's, by the same rules.
  private func isForeign(
    _ mark: Mark?, _ entry: TargetWrite.Entry, _ ground: Precondition, _ id: Identifier<Target>
  ) -> Bool {
    guard ground.marks == nil else { return entry.reason == .takeOver }
    if start.attempts[id]?.names[entry.name] != nil { return false }
    guard let recorded = start.targets[id]?.entries[entry.name], recorded.kept == nil else { return true }
    return recorded.mark != nil && mark != nil && recorded.mark != mark
  }

  /// Whether what is there is what was planned against; what was not compared only has to be there.
  private static func matches(_ found: [String: Fingerprint], _ planned: [String: Fingerprint]) -> Bool {
    found.count == planned.count
      && planned.allSatisfy { name, print in found[name].map { print == .notCompared || $0 == print } ?? false }
  }

  /// The readable values, in the form of a precondition.
  private static func ground(
    _ found: [String: FoundEntry], _ keys: [String: Identifier<Key>]
  ) -> [String: Fingerprint] {
    var ground: [String: Fingerprint] = [:]
    for (name, entry) in found where entry.failure == nil {
      ground[name] = keys[name].map { entry.fingerprint(of: $0) }
    }
    return ground
  }
}
