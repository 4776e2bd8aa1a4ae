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
      close(step, .stale(.unknownStep(step.address, action: step.effect.action)))
    }
  }

  /// Records the result, and that the step has ended.
  func close(_ step: Step, _ result: StepResult, _ changes: [RecordChange] = [], note: StepNote? = nil) {
    var changes = changes
    // Nothing was written by a step that failed as a whole, and what an earlier one may have left is still not known.
    if result != .done, changes.isEmpty, case (.sync, .target(let id)) = (step.effect, step.address) {
      changes.append(.attempt(id, start.attempts[id]))
    }
    // What is done of a step that failed is recorded at once.
    let isUrgent = !step.effect.isRepeatable || (result != .done && changes.count > 1)
    if result != .done, changes.isEmpty, let withdrawn = withdrawRefresh(step) { changes = [withdrawn] }
    end(step, result, note: note, recording: changes + [.finished(step.address)], isUrgent: isUrgent)
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
