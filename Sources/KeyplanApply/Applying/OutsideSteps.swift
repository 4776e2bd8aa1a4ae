internal import KeyplanCore
internal import KeyplanSecrets

extension Run {
  /// Carries steps outside out side by side. That they begin is durable before the first of them does anything.
  func carryOutOutside(_ steps: [Step]) async {
    if let error = commit(steps.map { .began($0.address) }) {
      for step in steps { end(step, .failed(reason: error.detail, isUnreachable: false)) }
      return
    }
    // Originals often stand in one file, which two removals at once would each put back for the other.
    let bound = steps.first.map(Applier.kind) == .removing ? 1 : Applier.bound
    await withTaskGroup(of: Void.self) { group in
      for (index, step) in steps.enumerated() {
        if index >= bound { await group.next() }
        group.addTask { await self.carryOutOutside(step) }
      }
    }
  }

  private func carryOutOutside(_ step: Step) async {
    if let result = obstacle(before: step) { return close(step, result) }
    applier.begin(step)
    switch (step.effect, step.address) {
    case (.sync(let write), .target(let id)): await sync(step, id, write)
    case (.withdraw(let removal), .target(let id)): await withdraw(step, id, removal)
    case (.remove(let key, let origin), .migration(let number)): await remove(step, key, from: origin, number)
    case (.allow, _), (.disallow, _), (.rewrap, _), (.move, _), (.adopt, _), (.store, _), (.replace, _), (.update, _),
      (.activate, _),
      (.deactivate, _), (.settle, _), (.retire, _), (.forget, _), (.rollback, _), (.restore, _), (.accept, _),
      (.sync, _), (.withdraw, _), (.remove, _):
      close(step, .stale("\(step.address) cannot take a \(step.effect.action) step."))
    }
  }

  private func withdraw(_ step: Step, _ id: Identifier<Target>, _ removal: TargetRemoval) async {
    guard let record = targets[id] else { return close(step, .stale("target.\(id) is no longer recorded.")) }
    var owners: [String: Identifier<Key>] = [:]
    for name in removal.names { owners[name] = record.entries[name]?.key }
    if !owners.isEmpty, let planned = step.ground.target {
      switch await found(removal.destination, owners.mapValues { [$0] }) {
      case .failure(let refusal): return close(step, refusal.result)
      case .success(let now) where Self.ground(now, owners) != planned:
        return close(step, .stale("\(removal.destination.location) was changed since it was planned."))
      case .success: break
      }
    }
    if let failure = await change(TargetChanges(set: [], remove: removal.names), at: removal.destination) {
      return close(step, failure)
    }
    let left = record.withdrawing(removal, revision: revision)
    targets[id] = left
    close(step, .done, [.target(id, left)])
  }

  /// Writes, unless there is nothing to write: then the step is a mere record.
  func change(_ changes: TargetChanges, at destination: Destination) async -> StepResult? {
    guard !changes.set.isEmpty || !changes.remove.isEmpty else { return nil }
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
  func close(_ step: Step, _ result: StepResult, _ changes: [RecordChange] = []) {
    let error = commit(changes + [.finished(step.address)])
    guard result == .done, let error else { return end(step, result) }
    end(step, .failed(reason: "It was done, and could not be recorded. \(error.detail)", isUnreachable: false))
  }

  struct Refused: Error { let result: StepResult }

  /// What a place holds now under these names; nothing where it cannot show it.
  func found(
    _ destination: Destination, _ names: [String: Set<Identifier<Key>>]
  ) async -> Result<[String: FoundEntry], Refused> {
    switch await applier.observer.ask(destination, names) {
    case .unreachable(let reason): .failure(Refused(result: .failed(reason: reason, isUnreachable: true)))
    case .unreadable(let reason): .failure(Refused(result: .failed(reason: reason, isUnreachable: false)))
    case .writeOnly, .notAllowed: .success([:])
    case .entries(let entries): .success(entries)
    }
  }

  /// What was found, as a ground would say it.
  static func ground(_ found: [String: FoundEntry], _ keys: [String: Identifier<Key>]) -> [String: Fingerprint] {
    var ground: [String: Fingerprint] = [:]
    for (name, entry) in found { ground[name] = keys[name].map { entry.fingerprint(of: $0) } }
    return ground
  }
}
