internal import KeyplanCore
internal import KeyplanSecrets

extension Run {
  /// Carries steps outside out side by side. That they begin is durable before the first of them does anything.
  func carryOutOutside(_ steps: [Step]) async {
    guard !steps.isEmpty else { return }
    let intents = steps.compactMap(attempt) + steps.compactMap(beginRefresh)
    if let error = commit(steps.map { .began($0.address) } + intents) {
      for step in steps { end(step, .failed(error)) }
      return
    }
    readValues(for: steps)
    // Originals often stand in one file, which two removals at once would each put back for the other.
    let bound = steps.first.map(Applier.kind) == .removing ? 1 : Applier.bound
    await withTaskGroup(of: Void.self) { group in
      for (index, step) in steps.enumerated() {
        if index >= bound { await group.next() }
        group.addTask { await self.carryOutOutside(step) }
      }
    }
    recordEnded()
    values = [:]
  }

  /// What a step may write, beside what an earlier one may have written there.
  private func attempt(_ step: Step) -> RecordChange? {
    guard case (.sync(let write), .target(let id)) = (step.effect, step.address) else { return nil }
    let names = Dictionary(write.entries.map { ($0.name, $0.key) }) { first, _ in first }
    let attempt = WriteAttempt(destination: write.destination, names: names).following(start.attempts[id])
    return .attempt(id, attempt)
  }

  private func carryOutOutside(_ step: Step) async {
    if let result = obstacle(before: step) { return close(step, result) }
    applier.begin(step)
    switch (step.effect, step.address) {
    case (.sync(let write), .target(let id)): await sync(step, id, write)
    case (.withdraw(let removal), .target(let id)): await withdraw(step, id, removal)
    case (.remove(.key(let key), let origin), .migration(let number)): await remove(step, key, from: origin, number)
    case (.remove(.account(let id), let origin), .migration(let number)):
      await removeTakenOver(step, id, from: origin, number)
    case (.refresh(let refresh), .calendar(let id)): await self.refresh(step, id, refresh)
    case (.select(let selection), .calendar(let id)): await select(step, id, selection)
    case (.signOut(let signOut), .calendar(let id)): await self.signOut(step, id, signOut)
    default:
      close(step, .stale("\(step.address) cannot take a \(step.effect.action) step."))
    }
  }

  private func withdraw(_ step: Step, _ id: Identifier<Target>, _ removal: TargetRemoval) async {
    let record = targets[id]
    let attempt = start.attempts[id].flatMap { $0.destination == removal.destination ? $0 : nil }
    guard record != nil || attempt != nil else {
      return close(step, .stale("target.\(id) is no longer recorded."))
    }
    var owners: [String: Set<Identifier<Key>>] = [:]
    for name in removal.names {
      owners[name] = Set([record?.entries[name]?.key, attempt?.names[name]].compactMap(\.self))
    }
    if !owners.isEmpty, let planned = step.ground.target {
      switch await found(removal.destination, owners) {
      case .failure(let refusal): return close(step, refusal.result)
      case .success(let now) where !owners.allSatisfy({ Self.holds(now[$0], planned[$0], of: $1) }):
        return close(step, .stale("\(removal.destination.location) was changed since it was planned."))
      case .success: break
      }
    }
    var names = removal.names
    // What planning did not look at is looked at now: somebody else's value stays.
    if step.ground.target == nil, !owners.isEmpty, case .success(let now) = await found(removal.destination, owners) {
      names.removeAll { name in
        guard let there = now[name] else { return false }
        let entry = record?.entries[name]
        return !(entry.map { there.holds($0.fingerprint, of: $0.key) } ?? false) && !there.isOurs(among: start.keys)
      }
    }
    if let failure = await change(TargetChanges(set: [], remove: names), at: removal.destination) {
      return close(step, failure)
    }
    let left = record?.withdrawing(removal, revision: revision)
    targets[id] = left
    close(step, .done, (record == nil ? [] : [.target(id, left)]) + [.attempt(id, nil)])
  }

  /// Writes, unless there is nothing to write: then the step is a mere record.
  func change(_ changes: TargetChanges, at destination: Destination) async -> StepResult? {
    guard !changes.set.isEmpty || !changes.remove.isEmpty || changes.mode != nil else { return nil }
    guard let target = applier.observer.targets[destination.type] else {
      let reason = "This version of keyplan knows no targets of type \(destination.type)."
      return .failed(reason: reason, isUnreachable: false)
    }
    do {
      try await target.write(changes, at: destination)
      return nil
    } catch {
      return .failed(reason: error.reason, isUnreachable: error.isUnreachable)
    }
  }

  /// Writes the result down, and that the step is over: a step that failed left its place as it was.
  func close(_ step: Step, _ result: StepResult, _ changes: [RecordChange] = [], note: String? = nil) {
    var changes = changes
    // Nothing was written by a step that failed, and what an earlier one may have left is still not known.
    if result != .done, case (.sync, .target(let id)) = (step.effect, step.address) {
      changes.append(.attempt(id, start.attempts[id]))
    }
    if result != .done, changes.isEmpty, let withdrawn = withdrawRefresh(step) { changes = [withdrawn] }
    end(step, result, note: note, recording: changes + [.finished(step.address)], isUrgent: !step.effect.isRepeatable)
  }

  /// Whether a name still holds, or still lacks, what it did: by the key of its record, or of an attempt to write it.
  private static func holds(
    _ found: FoundEntry?, _ planned: Fingerprint?, of keys: Set<Identifier<Key>>
  ) -> Bool {
    guard let found, let planned else { return found == nil && planned == nil }
    return keys.contains { found.fingerprint(of: $0) == planned }
  }

  struct Refused: Error { let result: StepResult }

  /// What a place holds now under these names; nothing where it cannot show it.
  func found(
    _ destination: Destination, _ names: [String: Set<Identifier<Key>>]
  ) async -> Result<[String: FoundEntry], Refused> {
    switch await applier.observer.ask(destination, names) {
    case .unreachable(let reason): .failure(Refused(result: .failed(reason: reason, isUnreachable: true)))
    case .unreadable(let reason): .failure(Refused(result: .failed(reason: reason, isUnreachable: false)))
    case .writeOnly, .notAllowed, .notAskedHere: .success([:])
    case .entries(let entries): .success(entries)
    }
  }

  /// Whether what is there is what was planned against; what was not compared only has to be there.
  static func matches(_ found: [String: Fingerprint], _ planned: [String: Fingerprint]) -> Bool {
    found.count == planned.count
      && planned.allSatisfy { name, print in found[name].map { print == .notCompared || $0 == print } ?? false }
  }

  /// What was found, as a ground would say it.
  static func ground(_ found: [String: FoundEntry], _ keys: [String: Identifier<Key>]) -> [String: Fingerprint] {
    var ground: [String: Fingerprint] = [:]
    for (name, entry) in found { ground[name] = keys[name].map { entry.fingerprint(of: $0) } }
    return ground
  }
}

extension Effect {
  /// Whether a step that a crash left open shows its result at its place, and is planned again from that. What a service
  /// answered, or a source no longer has, does not.
  fileprivate var isRepeatable: Bool {
    switch self {
    case .sync, .withdraw: true
    default: false
    }
  }
}
