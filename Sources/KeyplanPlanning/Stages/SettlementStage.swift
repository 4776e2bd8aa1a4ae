internal import KeyplanModel

/// Marks steps of an interrupted run as finished if nothing is left to do.
struct SettlementStage: PlanningStage {
  let context: PlanningContext
  var decisions = Decisions()

  /// - Parameter others: the decisions of all other stages.
  init(_ context: PlanningContext, after others: Decisions, _ claims: [Destination: TargetStage.Claim]) {
    self.context = context
    let planned = Set(others.steps.filter { $0.effect.action != .run }.map(\.address))
    let hooked = Set(others.steps.filter { $0.effect.action == .run }.map(\.address))
    let blocked = Set(others.diagnostics.lazy.filter { $0.code.severity == .error }.compactMap(\.address))
    // A hook that is no longer declared is never run again.
    let dropped = recorded.dueHooks.keys.filter { manifest.hooks[$0] == nil }.map(Address.target).filter {
      !unsupported.contains($0)
    }
    // This plan reports the keys that appeared. Nothing else is left to do.
    let named = recorded.mints.filter { !$0.value.unexplained.isEmpty }.keys.map(Address.key)
    let open = Set(recorded.interrupted.keys).union(recorded.attempts.keys.map(Address.target)).union(dropped).union(
      named)
    for address in open.sorted() where !planned.contains(address) && !blocked.contains(address) {
      if case .target(let id) = address, let attempt = recorded.attempts[id],
        !context.leftovers(of: id, at: attempt.destination, claims).isEmpty
      {
        continue
      }
      // A hook that runs again finishes its own interrupted run, and not a write.
      if hooked.contains(address), case .target(let id) = address, recorded.attempts[id] == nil { continue }
      add(
        .store(.settle(address)), because: .interrupted,
        on: Precondition(revision: recorded.revision(of: address) ?? nil))
    }
  }
}
