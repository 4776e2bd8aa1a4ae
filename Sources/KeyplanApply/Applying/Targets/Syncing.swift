internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts
internal import KeyplanSecrets

extension TargetStep {
  /// Writes a target's values, unless what is there has moved or is somebody else's.
  func sync(_ write: TargetWrite, _ ledger: isolated Ledger) async throws(Refusal) {
    let start = context.start
    var names: [String: Set<Identifier<Key>>] = [:]
    for entry in write.entries {
      names[entry.name] = [entry.key]
      // Another key's value may be there by right: the one that fed this name before.
      if let before = start.targets[id]?.entries[entry.name]?.key { names[entry.name]?.insert(before) }
    }
    let (now, placeId) = try await held(write.destination, names, ledger.records.targets[id])
    let keys = write.keys
    let unread = now.failures
    if case .entries(let found) = now, let planned = step.ground.target,
      !Self.matches(Self.ground(found, keys), planned.filter { unread[$0.key] == nil })
    {
      throw .stale(.changed(.place(write.destination)))
    }
    let moved = now.moved(keys.keys, since: step.ground)
    let closed = start.closedValues(for: step.effect)
    var left = moved.union(unread.keys)
    left.formUnion(keys.filter { entry in closed.contains { $0.key == entry.value } }.keys)
    var values = try collect(write, now, leavingOut: left, ledger)
    // A value that the place does not take keeps no other one from being written.
    let tooLarge = tooLarge(values.set, at: write.destination)
    values.set.removeAll { tooLarge.names.contains($0.name) }
    left.formUnion(tooLarge.names)
    if values.set.isEmpty, let failure = tooLarge.failure(at: write.destination, nil) { throw .failed(failure) }
    let changes = TargetChanges(
      set: values.set, remove: [], mode: write.mode?.mode, expected: now.marks, takesOver: takenOver(by: write))
    if let earlier = start.attempts[id] { await context.observer.removeLeftovers(of: earlier) }
    var outcome = await change(changes, at: write.destination)
    ledger.records.noteChange(outcome, at: id)
    if let name = moved.min(), outcome.result == .done {
      let sum = StepFailure.NamesDone(done: 0, all: write.entries.count)
      outcome.result = .stale(.entryChanged(name, at: write.destination, sum))
    }
    let sum = StepFailure.NamesDone(done: outcome.done.count, all: write.entries.count)
    if !closed.isEmpty, outcome.result == .done { outcome.result = .failed(.closed(closed, sum)) }
    if outcome.result == .done, let failure = tooLarge.failure(at: write.destination, sum) {
      outcome.result = .failed(failure)
    }
    outcome.leave(unread, of: write.entries.count)
    record(write, values, outcome, now, placeId, leavingOut: left, ledger)
  }

  /// Records what is done, whatever became of the rest.
  private func record(
    _ write: TargetWrite, _ values: Values, _ outcome: ChangeOutcome, _ now: HeldNames,
    _ placeId: String?, leavingOut moved: Set<String>, _ ledger: isolated Ledger
  ) {
    let written = Set(values.set.map(\.name))
    // Names that were there already are done without having been written, unless nothing could be written at all.
    let done = write.entries.filter { entry in
      if written.contains(entry.name) { return outcome.done[entry.name] != nil }
      return outcome.result == .done || (!outcome.done.isEmpty && !moved.contains(entry.name))
    }
    guard outcome.result == .done || !done.isEmpty || !outcome.unknown.isEmpty else {
      return ledger.close(step, outcome.result)
    }
    var marks: [String: Mark] = [:]
    for entry in done { marks[entry.name] = outcome.done[entry.name] ?? now.marks?[entry.name] ?? nil }
    var changes: [RecordChange] = []
    if !done.isEmpty || outcome.result == .done {
      let part = TargetWrite(destination: write.destination, entries: done, total: write.total, mode: write.mode)
      let record = TargetRecord.syncing(
        part, values.fingerprints, marks, placeId: placeId, over: ledger.records.targets[id],
        revision: ledger.revision, at: context.now)
      changes.append(ledger.records.put(record, id))
    }
    // What an earlier attempt may have left under other names is withdrawn by a step of its own.
    let earlier = context.start.attempts[id]
    let left = earlier.flatMap { $0.destination == write.destination ? $0.without(done.map(\.name)) : nil }
    let names = write.keys.filter { outcome.unknown.contains($0.key) }
    let open = names.isEmpty ? left : WriteAttempt(destination: write.destination, names: names).following(left)
    ledger.close(step, outcome.result, changes + [.attempt(id, open)])
  }

  /// Whether a target's values may be written over those of others.
  private var mayTakeOver: Bool {
    context.applier.allowances.overwrite || (context.manifest.targets[id]?.takeOver ?? false)
  }

  /// The names whose values the plan takes over from others.
  private func takenOver(by write: TargetWrite) -> Set<String> {
    let isAllowed = mayTakeOver
    let entries = write.entries.filter { isAllowed || $0.reason == .takeOver || $0.reason == .changedThere }
    return Set(entries.map(\.name))
  }

  private struct Values {
    var set: [(name: String, value: SecretBox)] = []
    var fingerprints: [Identifier<Key>: Fingerprint] = [:]
  }

  private func collect(
    _ write: TargetWrite, _ now: HeldNames, leavingOut moved: Set<String>, _ ledger: isolated Ledger
  ) throws(Refusal) -> Values {
    let keys = ledger.records.keys
    var values = Values()
    var taken: [String] = []
    let gone = write.entries.map(\.key).filter { keys[$0] == nil }
    guard gone.isEmpty else { throw .stale(.keysNotRecorded(gone)) }
    let open = write.entries.map(\.key).filter { context.start.closedValue(of: $0) == nil }
    let current = try currentValues(of: open, ledger)
    // Of a saved plan: it may be older than the revocation.
    let revoked = write.entries.map(\.key).filter { keys[$0]?.revocation != nil }
    guard revoked.isEmpty else { throw .stale(.keysRevoked(revoked)) }
    if let part = write.entries.map(\.key).first(where: ledger.isMixed) { throw .stale(.changed(.record(.key(part)))) }
    for entry in write.entries {
      values.fingerprints[entry.key] = keys[entry.key]?.version.fingerprint
      guard entry.reason != .alreadyThere, !moved.contains(entry.name), let value = current[entry.key] else { continue }
      switch now {
      case .unseen: break
      case .marks(let marks):
        guard let mark = marks[entry.name] else { break }
        if isWritten(entry, values.fingerprints[entry.key], mark) { continue }
        if isForeign(mark, entry) { taken.append(entry.name) }
      case .entries(let found):
        guard let there = found[entry.name] else { break }
        if there.holds(context.observer.fingerprints.fingerprint(value, of: entry.key), of: entry.key) { continue }
        if isForeign(there, entry) { taken.append(entry.name) }
      }
      values.set.append((entry.name, value))
    }
    guard taken.isEmpty || mayTakeOver else { throw .failed(.taken(taken, at: write.destination, of: id)) }
    return values
  }

  /// The names whose values are larger than a place takes.
  private struct TooLarge {
    var names: Set<String> = []
    var limit = 0

    /// The failure that names the first; nil if there is none.
    func failure(at place: Destination, _ done: StepFailure.NamesDone?) -> StepFailure? {
      names.min().map { .tooLarge($0, at: place, limit: limit, done) }
    }
  }

  private func tooLarge(_ set: [(name: String, value: SecretBox)], at place: Destination) -> TooLarge {
    guard let limit = context.observer.targets[place.type]?.backend.target?.limits.valueBytes else { return TooLarge() }
    return TooLarge(names: Set(set.filter { $0.value.count > limit }.map(\.name)), limit: limit)
  }

  /// Whether a value is somebody else's. Where the planner could read it, it said so; otherwise it is judged here.
  private func isForeign(_ there: FoundEntry, _ entry: TargetWrite.Entry) -> Bool {
    guard step.ground.target == nil || entry.reason == .notCompared else { return entry.reason == .takeOver }
    return isForeign(there, context.start.targets[id]?.entries[entry.name])
  }

  /// Whether a value is neither the recorded one nor another one of the store.
  func isForeign(_ there: FoundEntry, _ recorded: TargetRecord.Entry?) -> Bool {
    !(recorded.map { there.holds($0.fingerprint, of: $0.key) } ?? false) && !there.isOurs(among: context.start.keys)
  }

  /// Whether the value is known to be there already, because this program wrote it and nothing changed since.
  private func isWritten(_ entry: TargetWrite.Entry, _ fingerprint: Fingerprint?, _ mark: Mark?) -> Bool {
    let start = context.start
    guard start.attempts[id]?.names[entry.name] == nil, let recorded = start.targets[id]?.entries[entry.name],
      recorded.kept == nil, let known = recorded.mark
    else { return false }
    return known == mark && recorded.key == entry.key && recorded.fingerprint == fingerprint
  }

  /// Whether a value that cannot be read is somebody else's, by the same rules.
  private func isForeign(_ mark: Mark?, _ entry: TargetWrite.Entry) -> Bool {
    guard step.ground.marks == nil else { return entry.reason == .takeOver }
    if context.start.attempts[id]?.names[entry.name] != nil { return false }
    guard let recorded = context.start.targets[id]?.entries[entry.name], recorded.kept == nil else { return true }
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

extension TargetWrite {
  /// The keys of all entries, by name.
  var keys: [String: Identifier<Key>] { Dictionary(entries.map { ($0.name, $0.key) }) { first, _ in first } }
}
