internal import KeyplanModel
internal import KeyplanPlanning

/// The reasons that a step is not tried.
extension Ledger {
  func obstacle(before step: Step) -> StepResult? {
    if let storeError { return .notTried(.store(storeError)) }
    if Task.isCancelled { return .notTried(.interrupted) }
    if let address = step.after.first(where: unfinished.contains) { return .notTried(.dependency(address)) }
    if let item = context.forbidden(to: step, records.mints) { return .stale(.changed(.terms(item))) }
    if let closed = context.closed(to: step.effect) { return .failed(.closed(closed, nil)) }
    guard let revision = context.start.revision(of: step.address) else { return nil }
    return revision == step.ground.revision ? nil : .stale(.changed(.record(step.address)))
  }

  /// Ends the steps that cannot be tried, and returns the others.
  func unobstructed<Effect>(_ steps: some Sequence<TypedStep<Effect>>) -> [TypedStep<Effect>] {
    steps.filter { typed in
      guard let obstacle = obstacle(before: typed.step) else { return true }
      end(typed.step, obstacle)
      return false
    }
  }
}

extension RunContext {
  /// The values without which an effect does nothing, if only others can open them.
  fileprivate func closed(to effect: Effect) -> [ClosedValue]? {
    let values = start.closedValues(for: effect)
    guard !values.isEmpty else { return nil }
    guard case .outside(.sync(_, let write)) = effect else { return values }
    let closed = Set(values.map(\.key))
    return write.entries.contains { $0.reason != .alreadyThere && !closed.contains($0.key) } ? nil : values
  }

  /// Whether something outside may be used: it was allowed, or this plan allows it.
  func permits(_ item: ExternalAccess) -> Bool { allowing.contains(.surface(item)) || limits.permits(item) }

  /// The first permission that a step's commands and connections lack. The manifest and files of the checkout may have changed since a
  /// saved plan was made, and with them what the commands run, and the addresses and credentials of the connections.
  fileprivate func forbidden(to step: Step, _ mints: [Identifier<Key>: MintAttempt]) -> ExternalAccess? {
    if let item = items(usedBy: step).first(where: { $0.kind == .command && !permits($0) }) { return item }
    guard !manifest.connections.isEmpty else { return nil }
    return schemes(usedBy: step, mints).lazy.compactMap { self.limits.forbidden($0, allowing: self.allowing) }.first
  }
}
