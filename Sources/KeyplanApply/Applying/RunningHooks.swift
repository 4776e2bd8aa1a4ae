internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts

extension Run {
  /// That a hook is due is durable before the first name changes: after a crash nobody could find out otherwise.
  func beginHook(_ step: OutsideStep) -> RecordChange? {
    guard let id = step.effect.changedTarget, applier.manifest.hooks[id] != nil else { return nil }
    return .hook(id, isDue: true)
  }

  /// Notes what a write to a target makes of its hook.
  func noteChange(_ outcome: ChangeOutcome, at id: Identifier<Target>) {
    if !outcome.done.isEmpty || !outcome.unknown.isEmpty { dueHooks.insert(id) }
    if !outcome.unknown.isEmpty { unconfirmed.insert(id) }
  }

  /// What a step that has ended makes of its target's hook; nil where it changes nothing about it.
  func hookChange(after step: Step) -> RecordChange? {
    guard case .outside(let effect) = step.effect, case .target(let id) = step.address else { return nil }
    if case .run = effect { return nil }
    guard applier.manifest.hooks[id] != nil else {
      return start.dueHooks[id] == nil ? nil : .hook(id, isDue: false)
    }
    return effect.changedTarget == nil ? nil : .hook(id, isDue: dueHooks.contains(id))
  }

  /// Runs a target's hook, unless nothing was written there.
  func run(_ step: Step, _ id: Identifier<Target>, _ hook: TargetHook) async {
    guard let declared = applier.manifest.hooks[id] else { return close(step, .stale(.undeclared(step.address))) }
    guard TargetHook(declared) == hook else { return close(step, .stale(.redeclared(step.address))) }
    guard dueHooks.contains(id) else {
      guard isUnfinished(step.address) else { return close(step, .done, note: .nothingChanged) }
      return close(step, .notTried(.dependency(step.address)))
    }
    if let refused = refusal(of: declared) { return close(step, refused) }
    guard let hooks = applier.hooks else { return close(step, .failed(.unsupported(.hooks))) }
    var variables = ["KEYPLAN_TARGET": id.name]
    if let environment = applier.manifest.environment { variables["KEYPLAN_ENVIRONMENT"] = environment }
    do throws(AccessFailure) {
      try await hooks.run(declared, with: variables)
    } catch {
      return close(step, .failed(.hook(error)))
    }
    if !unconfirmed.contains(id) { dueHooks.remove(id) }
    close(step, .done, [.hook(id, isDue: dueHooks.contains(id))])
  }

  /// Why a hook must not run now: its permission is missing, or the files that it names are no longer those that were allowed.
  private func refusal(of hook: Reference) -> StepResult? {
    guard let item = hook.surface else { return nil }
    guard limits.permits(item) || allowing.contains(.surface(item)) else { return .stale(.notAllowed) }
    let files = applier.observer.checkout.inspector?.terms(of: [hook])[hook] ?? []
    return files.isSubset(of: limits.terms(of: item)) ? nil : .stale(.changed(.files(item)))
  }
}
