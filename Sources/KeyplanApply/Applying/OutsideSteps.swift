internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts
internal import KeyplanSecrets

extension Run {
  /// Carries steps outside out side by side. That they begin is durable before the first of them does anything.
  func carryOutOutside(_ steps: [OutsideStep]) async {
    guard !steps.isEmpty else { return }
    let intents =
      steps.compactMap(attempt) + steps.compactMap(beginHook) + steps.compactMap(beginRefresh)
      + steps.flatMap(beginEnd)
    if let error = commit(steps.map { .began($0.effect.subject) } + intents) {
      for typed in steps { end(typed.step, .failed(error)) }
      return
    }
    readValues(for: steps)
    // Originals often stand in one file, which two removals at once would each put back for the other.
    let bound = if case .removeOriginal = steps.first?.effect { 1 } else { Applier.bound }
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
  private func attempt(_ step: OutsideStep) -> RecordChange? {
    guard case .sync(let id, let write) = step.effect else { return nil }
    let names = Dictionary(write.entries.map { ($0.name, $0.key) }) { first, _ in first }
    let attempt = WriteAttempt(destination: write.destination, names: names).following(start.attempts[id])
    return .attempt(id, attempt)
  }

  private func carryOutOutside(_ typed: OutsideStep) async {
    let step = typed.step
    if let result = obstacle(before: step) { return close(step, result) }
    applier.begin(step)
    switch typed.effect {
    case .sync(let id, let write): await sync(step, id, write)
    case .withdraw(let id, let removal): await withdraw(step, id, removal)
    case .run(let id, let hook): await run(step, id, hook)
    case .removeOriginal(let number, .key(let key), let origin): await remove(step, key, from: origin, number)
    case .removeOriginal(let number, .account(let id), let origin):
      await removeTakenOver(step, id, from: origin, number)
    case .mint(let id, let mint): await self.mint(step, id, mint)
    case .settle(let id, let late): await settle(step, id, late)
    case .disable(let id, let end): await self.end(step, id, end, disabling: true)
    case .end(let id, let end): await self.end(step, id, end, disabling: false)
    case .renew(let id, let keys): await renew(step, id, keys)
    case .refresh(let id, let refresh): await self.refresh(step, id, refresh)
    case .select(let id, let selection): await select(step, id, selection)
    case .signOut(let id, let signOut): await self.signOut(step, id, signOut)
    }
  }

  /// Records the result, and that the step has ended.
  func close(_ step: Step, _ result: StepResult, _ changes: [RecordChange] = [], note: StepNote? = nil) {
    var changes = changes
    // Nothing was written by a step that failed as a whole, and what an earlier one may have left is still not known.
    if result != .done, changes.isEmpty, case .outside(.sync(let id, _)) = step.effect {
      changes.append(.attempt(id, start.attempts[id]))
    }
    // What is done of a step that failed is recorded at once.
    let isUrgent = !step.effect.isRepeatable || (result != .done && changes.count > 1)
    if result != .done, changes.isEmpty { changes = (withdrawRefresh(step).map { [$0] } ?? []) + withdrawEnd(step) }
    changes += [hookChange(after: step), failureChange(after: step, result), .finished(step.address)].compactMap(\.self)
    end(step, result, note: note, recording: changes, isUrgent: isUrgent)
  }
}

extension Run {
  /// Records the error of a failed step, so that drift reports it until a step there succeeds.
  private func failureChange(after step: Step, _ result: StepResult) -> RecordChange? {
    guard step.effect.recordsFailure else { return nil }
    let address = step.address
    let before = start.failures[address]
    let isAccount = if case .calendar = address { true } else { false }
    switch result {
    // Drift asks calendar services itself, and `--unreachable-after` decides which of their outages count.
    case .failed(let failure) where failure.isUnreachable && isAccount: return nil
    case .failed(let failure):
      failed.insert(address)
      return .failure(address, StepError(since: before?.since ?? applier.clock(), reason: failure.reason))
    // One of several steps for a key may have failed before another succeeded.
    case .done: return before == nil || failed.contains(address) ? nil : .failure(address, nil)
    case .notTried, .stale, .needsPerson, .needsKey: return nil
    }
  }
}

extension StepFailure {
  /// What the place said, bounded; nil where it said nothing.
  fileprivate var reason: String? {
    let text: String? =
      switch self {
      case .outside(let failure), .nameRefused(_, let failure, _, _), .hook(let failure): failure.reason
      case .reported(let reason, _, _), .revocationUnavailable(let reason, _): reason
      case .unconfirmed(_, _, _, _, let reason): reason
      default: nil
      }
    guard let text else { return nil }
    return String(decoding: text.utf8.prefix(StepError.reasonLimit), as: UTF8.self)
  }
}

extension Effect {
  /// Whether a step that a crash left open shows its result at its place, or in the records, and is planned again from that. What a service
  /// answered, or a source no longer has, does not.
  fileprivate var isRepeatable: Bool {
    switch self {
    case .outside(.sync), .outside(.withdraw), .outside(.run): true
    case .outside, .store, .person: false
    }
  }
}
