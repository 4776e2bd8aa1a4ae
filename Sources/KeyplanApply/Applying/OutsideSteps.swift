internal import KeyplanCore
internal import KeyplanSecrets

extension Run {
  /// Carries steps on targets out side by side. That they begin is durable before the first of them does anything.
  func carryOutOutside(_ steps: [Step]) async {
    if let error = commit(steps.map { .began($0.address) }) {
      for step in steps { end(step, .failed(reason: error.detail, isUnreachable: false)) }
      return
    }
    await withTaskGroup(of: Void.self) { group in
      for (index, step) in steps.enumerated() {
        if index >= Applier.bound { await group.next() }
        group.addTask { await self.carryOutOutside(step) }
      }
    }
  }

  private func carryOutOutside(_ step: Step) async {
    let result = obstacle(before: step)
    if let result { return close(step, result) }
    guard case .target(let id) = step.address else { return close(step, .stale("\(step.address) is no target.")) }
    switch step.effect {
    case .sync(let write): await sync(step, id, write)
    case .withdraw(let removal): await withdraw(step, id, removal)
    default: close(step, .stale("\(step.address) cannot take a \(step.effect.action) step."))
    }
  }

  private func sync(_ step: Step, _ id: Identifier<Target>, _ write: TargetWrite) async {
    let names = Dictionary(write.entries.map { ($0.name, Set([$0.key])) }) { $0.union($1) }
    if let refusal = await moved(step, id, write, names) { return close(step, refusal) }
    var set: [(name: String, value: SharedSecret)] = []
    var fingerprints: [Identifier<Key>: Fingerprint] = [:]
    for entry in write.entries {
      guard let record = keys[entry.key] else { return close(step, .stale("key.\(entry.key) is no longer recorded.")) }
      fingerprints[entry.key] = record.version.fingerprint
      guard entry.reason != .alreadyThere else { continue }
      do {
        set.append((entry.name, try applier.store.value(of: entry.key, version: nil)))
      } catch {
        return close(step, .failed(reason: error.detail, isUnreachable: false))
      }
    }
    if let failure = await change(TargetChanges(set: set, remove: []), at: write.destination) {
      return close(step, failure)
    }
    let record = TargetRecord.syncing(write, fingerprints, over: targets[id], revision: revision, at: applier.clock())
    targets[id] = record
    close(step, .done, [.target(id, record)])
  }

  private func withdraw(_ step: Step, _ id: Identifier<Target>, _ removal: TargetRemoval) async {
    guard let record = targets[id] else { return close(step, .stale("target.\(id) is no longer recorded.")) }
    var names: [String: Set<Identifier<Key>>] = [:]
    for name in removal.names {
      if let key = start.targets[id]?.entries[name]?.key { names[name] = [key] }
    }
    if !names.isEmpty, let planned = step.ground.target {
      switch await found(removal.destination, names) {
      case .failure(let refusal): return close(step, refusal.result)
      case .success(let now) where now != planned:
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
  private func change(_ changes: TargetChanges, at destination: Destination) async -> StepResult? {
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
  private func close(_ step: Step, _ result: StepResult, _ changes: [RecordChange] = []) {
    let error = commit(changes + [.finished(step.address)])
    guard result == .done, let error else { return end(step, result) }
    end(step, .failed(reason: "It was done, and could not be recorded. \(error.detail)", isUnreachable: false))
  }

  struct Refused: Error { let result: StepResult }

  /// What a place holds now under these names, as a ground would say it.
  private func found(
    _ destination: Destination, _ names: [String: Set<Identifier<Key>>]
  ) async -> Result<[String: Fingerprint], Refused> {
    switch await applier.observer.ask(destination, names) {
    case .unreachable(let reason): return .failure(Refused(result: .failed(reason: reason, isUnreachable: true)))
    case .unreadable(let reason): return .failure(Refused(result: .failed(reason: reason, isUnreachable: false)))
    case .writeOnly, .notAllowed: return .success([:])
    case .entries(let entries):
      var prints: [String: Fingerprint] = [:]
      for (name, entry) in entries { prints[name] = names[name]?.first.flatMap { entry.fingerprint(of: $0) } }
      return .success(prints)
    }
  }

  /// Why a target may not be written any more: what it holds is not what the step was planned against.
  private func moved(
    _ step: Step, _ id: Identifier<Target>, _ write: TargetWrite, _ names: [String: Set<Identifier<Key>>]
  ) async -> StepResult? {
    switch await found(write.destination, names) {
    case .failure(let refusal): return refusal.result
    case .success(let now):
      if let planned = step.ground.target {
        return now == planned ? nil : .stale("\(write.destination.location) was changed since it was planned.")
      }
      // Not readable when it was planned: values that are not ours are refused here, as the planner would have done.
      guard !(applier.manifest.targets[id]?.takeOver ?? false), !applier.allowances.overwrite else { return nil }
      let taken = write.entries.filter { entry in
        guard let value = now[entry.name] else { return false }
        let recorded = start.targets[id]?.entries[entry.name]?.fingerprint
        return value != keys[entry.key]?.version.fingerprint && value != recorded
      }
      guard !taken.isEmpty else { return nil }
      let list = taken.map(\.name).joined(separator: ", ")
      return .failed(
        reason: "\(write.destination.location) already holds other values under \(list), and keyplan did not write "
          + "them. Say `takeOver: true` on target.\(id), or --allow-overwrite for this once.", isUnreachable: false)
    }
  }
}
