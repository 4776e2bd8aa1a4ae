internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts
internal import KeyplanSecrets

/// A step at a target: writing, withdrawing or running its hook.
struct TargetStep: Sendable {
  let context: RunContext
  let step: Step
  let id: Identifier<Target>
  /// Of the steps under way.
  let values: BatchValues

  func currentValues(
    of keys: [Identifier<Key>], _ ledger: isolated Ledger
  ) throws(Refusal) -> [Identifier<Key>: SecretBox] {
    if keys.allSatisfy({ values.current[$0] != nil }) { return values.current }
    let found = try ledger.read { store throws(StoreError) in try store.values(of: keys) }
    return Dictionary(zip(keys, found)) { first, _ in first }
  }

  /// The present content of a place under these names, as far as the place shows it.
  func held(
    _ destination: Destination, _ names: [String: Set<Identifier<Key>>], _ record: TargetRecord?
  ) async throws(Refusal) -> (names: HeldNames, placeId: String?) {
    let sight = await context.observer.look(destination, names)
    if let record, record.destination == destination, let known = record.placeId, let found = sight.placeId,
      known != found
    {
      throw .stale(.replaced(destination))
    }
    switch sight.finding {
    case .failed(let failure): throw .failed(failure)
    case .notAllowed, .notAskedHere: return (.unseen, sight.placeId)
    case .entries(let entries): return (.entries(entries), sight.placeId)
    case .marks(let marks): return (.marks(marks), sight.placeId)
    }
  }

  /// Writes, unless there is nothing to write: then the step is a mere record.
  func change(_ changes: TargetChanges, at destination: Destination) async -> ChangeOutcome {
    let target = context.observer.targets[destination.type]
    guard !changes.set.isEmpty || !changes.remove.isEmpty || changes.mode != nil else {
      // A write that failed after it had replaced the values can have left an old one.
      await target?.removeLeftovers(at: destination)
      return ChangeOutcome()
    }
    guard let target else { return ChangeOutcome(result: .failed(.unsupported(.targets(type: destination.type)))) }
    let results: [String: WriteResult]
    do throws(AccessFailure) {
      results = try await target.write(changes, at: destination)
    } catch {
      return ChangeOutcome(result: .failed(error))
    }
    var outcome = ChangeOutcome(changes.names, results, at: destination)
    if target.backend.target?.readsBack == .marks { await outcome.readMarks(changes, target, destination) }
    return outcome
  }
}

/// The values that a batch of steps writes, from one snapshot. The store is locked, so they stay current.
struct BatchValues: Sendable {
  let current: [Identifier<Key>: SecretBox]

  init(of steps: [OutsideStep], _ ledger: isolated Ledger) {
    var wanted: Set<Identifier<Key>> = []
    for step in steps {
      guard case .sync(_, let write) = step.effect else { continue }
      for entry in write.entries
      where ledger.records.keys[entry.key] != nil && ledger.context.start.closedValue(of: entry.key) == nil {
        wanted.insert(entry.key)
      }
    }
    let order = wanted.sorted()
    // If one is unreadable, each step reads its own values, so that only the steps that need it fail.
    let found = order.isEmpty ? [] : (try? ledger.store.values(of: order)) ?? []
    current = Dictionary(zip(order, found)) { first, _ in first }
  }
}

extension Observer {
  /// Removes the files that an interrupted write left next to a place: they can contain an old value.
  func removeLeftovers(of attempt: WriteAttempt) async {
    await targets[attempt.destination.type]?.removeLeftovers(at: attempt.destination)
  }
}
