package import KeyplanModel
package import KeyplanPlanning

/// A plan with everything that is shown with it. The same report becomes text, Markdown or JSON.
package struct PlanReport: Sendable {
  /// The plan.
  package let plan: Plan
  /// The diagnostics, errors first.
  package let diagnostics: [Diagnostic]
  /// The environment; nil for the one without a name.
  package let environment: String?
  /// The store that it was planned against; nil while there is none.
  package let store: StoreState?
  /// `kp1-…`; nil for a plan that cannot be approved by id.
  package let id: String?
  /// The records that it was planned against. A saved plan is shown without them, with slightly less detail.
  package let recorded: Recorded?
  /// Counts of omitted comparisons.
  package let left: LookedAt
  /// The addresses that it was limited to; empty for a plan of everything.
  package let only: [Address]

  package init(
    _ plan: Plan, diagnostics: [Diagnostic] = [], environment: String? = nil, store: StoreState? = nil,
    id: String? = nil, recorded: Recorded? = nil, left: LookedAt = LookedAt(),
    only: [Address] = []
  ) {
    self.only = only
    self.left = left
    self.plan = plan
    self.diagnostics = diagnostics.sorted()
    self.environment = environment
    self.store = store
    self.id = id
    self.recorded = recorded
  }

  /// The steps in the order in which people read them: removals, replacements, the rest, each by address.
  package var reading: [Step] { Step.reading(plan.steps) }

  /// The facts that retired keys will have after the plan is applied, if they change.
  package var changedFacts: [Address: KeyFacts] {
    let retired = Set(plan.steps.lazy.filter { $0.effect.action == .retire }.map(\.address))
    guard !retired.isEmpty else { return [:] }
    var facts: [Address: KeyFacts] = [:]
    for step in plan.steps where retired.contains(step.address) {
      if case .store(.key(_, .update(let write))) = step.effect { facts[step.address] = write.facts }
    }
    return facts
  }

  /// The steps that require a person.
  package var peopleNeeded: PeopleNeeded { PeopleNeeded(plan.steps) }

  /// Whether an error blocks everything, so that the plan is for reading only.
  package var isHeldBack: Bool { diagnostics.contains { $0.code.severity == .error && $0.code.reach == .everything } }
}

extension Step {
  /// Sorts the most important steps first: removals, then replacements, then the rest, each by address.
  package static func reading(_ steps: [Step]) -> [Step] {
    var groups: [[(name: String, index: Int)]] = [[], [], []]
    for (index, step) in steps.enumerated() {
      groups[step.effect.action.readingGroup].append((step.address.description, index))
    }
    return groups.flatMap { group in
      group.sorted { $0.name == $1.name ? $0.index < $1.index : $0.name < $1.name }.map { steps[$0.index] }
    }
  }
}
