import KeyplanModel

/// Runs the hooks of the targets that change, and those that an earlier apply did not run to success.
struct HookStage: PlanningStage {
  let context: PlanningContext
  var decisions = Decisions()

  init(_ context: PlanningContext, _ targets: TargetStage) {
    self.context = context
    guard !manifest.hooks.isEmpty else { return }
    let changed = Set(
      targets.decisions.steps.compactMap { step in
        if case .outside(let effect) = step.effect { effect.changedTarget } else { nil }
      })
    for (id, hook) in manifest.hooks.inOrder where !unsupported.contains(.target(id)) {
      guard changed.contains(id) || recorded.dueHooks[id] != nil else { continue }
      // It does not wait for the target's other steps: even a partial change needs the hook.
      add(
        .outside(.run(id, TargetHook(hook))), because: changed.contains(id) ? .follows : .interrupted,
        on: Precondition(revision: recorded.targets[id]?.revision),
        after: hook.surface.map { [.surface($0)] } ?? [])
    }
  }
}
