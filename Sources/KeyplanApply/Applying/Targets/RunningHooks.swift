internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts

extension TargetStep {
  /// Runs a target's hook, unless nothing was written there.
  func run(_ hook: TargetHook, _ ledger: isolated Ledger) async throws(Refusal) {
    guard let declared = context.manifest.hooks[id] else { throw .stale(.undeclared(step.address)) }
    guard TargetHook(declared) == hook else { throw .stale(.redeclared(step.address)) }
    guard ledger.records.dueHooks.contains(id) else {
      guard ledger.unfinished.contains(step.address) else { return ledger.close(step, .done, note: .nothingChanged) }
      throw Refusal(.notTried(.dependency(step.address)))
    }
    try checkPermission(of: declared)
    guard let hooks = context.applier.hooks else { throw .failed(.unsupported(.hooks)) }
    var variables = ["KEYPLAN_TARGET": id.name]
    if let environment = context.manifest.environment { variables["KEYPLAN_ENVIRONMENT"] = environment }
    do throws(AccessFailure) {
      try await hooks.run(declared, with: variables)
    } catch {
      throw .failed(.hook(error))
    }
    ledger.close(step, .done, [ledger.records.hookRan(at: id)])
  }

  /// Refuses a hook whose permission is missing, or that names other files than those that were allowed.
  private func checkPermission(of hook: Reference) throws(Refusal) {
    guard let item = hook.surface else { return }
    guard context.permits(item) else { throw .stale(.notAllowed) }
    let files = context.observer.checkout.inspector?.terms(of: [hook])[hook] ?? []
    guard files.isSubset(of: context.limits.terms(of: item)) else { throw .stale(.changed(.files(item))) }
  }
}
