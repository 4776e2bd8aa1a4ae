package import KeyplanModel

extension Plan {
  /// Plans the steps from the recorded state to the declared one.
  ///
  /// Pure and total: the same arguments always give the same plan, and problems become diagnostics in addition to the plan, not errors
  /// instead of it. If one of the diagnostics blocks everything, the plan is for reading only.
  package static func reconciling(
    _ manifest: Manifest, with observed: Observation, allowing allowances: Allowances = Allowances(), at now: Moment
  ) -> (plan: Plan, diagnostics: [Diagnostic]) {
    reconciling(PlanningContext(manifest: manifest, observed: observed, allowances: allowances, now: now))
  }

  /// The same, for a caller that needs more of the context.
  static func reconciling(_ context: PlanningContext) -> (plan: Plan, diagnostics: [Diagnostic]) {
    let manifest = context.manifest
    let moves = MoveStage(context)
    let keys = KeyStage(context)
    let slots = SlotStage(context, keys)
    let retirements = RetirementStage(context, keys, slots)
    let parts = PartStage(context, keys)
    let targets = TargetStage(context, slots, parts, retirements)
    let hooks = HookStage(context, targets)
    let issued = IssuedStage(context, moves, keys, retirements, targets)
    let accounts = AccountStage(context)
    let permissions = PermissionStage(context, keys.surface)
    let stages: [any PlanningStage] = [
      StoreStage(context), moves, keys, permissions, slots, parts, retirements, targets, hooks, issued, accounts,
      RemovalStage(context, retirements.states, accounts, targets.claims),
      RevocationStage(context, targets, hooks, accounts, issued),
      ForgetStage(context, keys.recordedCount, moves, retirements, targets, issued),
      RuleStage(context, retirements),
      ExposureStage(context, retirements.states), CheckStage(context, retirements.states),
    ]
    var decided = Decisions(stages.map(\.decisions))
    decided.steps.removeAll { $0.givesValue(toOneOf: retirements.refused) }
    decided.dropSteps(waitingFor: permissions.refused)
    decided += AccessStage(context, decided.steps).decisions
    decided += SettlementStage(context, after: decided, targets.claims).decisions
    let diagnostics = manifest.marking(decided.diagnostics, in: context.recorded, at: context.now)
    return (Plan(steps: context.ordered(decided.steps)), diagnostics.sorted())
  }
}

extension Decisions {
  fileprivate init(_ all: [Decisions]) {
    steps = all.flatMap(\.steps)
    diagnostics = all.flatMap(\.diagnostics)
  }

  /// Drops the steps that wait for one of these addresses, and those that wait for them.
  fileprivate mutating func dropSteps(waitingFor addresses: Set<Address>) {
    var gone = addresses
    var found = addresses
    while !found.isEmpty {
      let dropped = steps.filter { $0.after.contains(where: found.contains) }
      steps.removeAll { $0.after.contains(where: found.contains) }
      found = Set(dropped.map(\.address)).subtracting(gone)
      gone.formUnion(found)
    }
  }

  fileprivate static func += (left: inout Decisions, right: Decisions) {
    left.steps += right.steps
    left.diagnostics += right.diagnostics
  }
}

extension Step {
  fileprivate func givesValue(toOneOf keys: Set<Identifier<Key>>) -> Bool {
    guard !keys.isEmpty, case .store(.key(let id, let effect)) = effect, keys.contains(id) else { return false }
    switch effect {
    case .store, .replace, .adopt: return true
    case .move, .update, .rollback, .restore, .accept, .retire, .forget, .revoke, .purge: return false
    }
  }
}

extension PlanningContext {
  /// By phase, then by address; composed values by what they are made of.
  fileprivate func ordered(_ steps: [Step]) -> [Step] {
    (moves.isEmpty ? steps : steps.map(waitingForMoves))
      .map { (phase: phase(of: $0.effect).rawValue, depth: depth(of: $0), name: $0.address.description, step: $0) }
      .sorted { ($0.phase, $0.depth, $0.name) < ($1.phase, $1.depth, $1.name) }
      .map(\.step)
  }

  /// Composed values are made after those that they are made of.
  private func depth(of step: Step) -> Int {
    guard step.effect.phase == .composing, case .key(let id) = step.address else { return 0 }
    return manifest.composed.depths[id] ?? 0
  }

  private func phase(of effect: Effect) -> Phase {
    guard case .outside(.withdraw(let id, let removal)) = effect, !removal.isMove, manifest.targets[id] == nil else {
      return effect.phase
    }
    return .leaving
  }
}
