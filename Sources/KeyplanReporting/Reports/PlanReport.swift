package import KeyplanCore

/// A plan with all that is shown beside it. The same report becomes text, Markdown or JSON.
package struct PlanReport: Sendable {
  /// The plan.
  package let plan: Plan
  /// What a person must know about it, errors first.
  package let diagnostics: [Diagnostic]
  /// The environment; nil for the one without a name.
  package let environment: String?
  /// The store that it was planned against; nil while there is none.
  package let store: StoreState?
  /// `kp1-…`; nil for a plan that cannot be approved by id.
  package let id: String?
  /// The records that it was planned against. A saved plan is shown without them and says a little less.
  package let recorded: Recorded?

  package init(
    _ plan: Plan, diagnostics: [Diagnostic] = [], environment: String? = nil, store: StoreState? = nil,
    id: String? = nil, recorded: Recorded? = nil
  ) {
    self.plan = plan
    self.diagnostics = diagnostics.sorted()
    self.environment = environment
    self.store = store
    self.id = id
    self.recorded = recorded
  }

  /// The steps in the order in which people read them: removals, replacements, the rest, each by address.
  package var reading: [Step] { Step.reading(plan.steps) }

  /// What keys that are retired will have recorded of them once the plan is applied, where that changes.
  package var changedFacts: [Address: KeyFacts] {
    let retired = Set(plan.steps.lazy.filter { $0.effect == .retire }.map(\.address))
    guard !retired.isEmpty else { return [:] }
    var facts: [Address: KeyFacts] = [:]
    for step in plan.steps where retired.contains(step.address) {
      if case .update(let write) = step.effect { facts[step.address] = write.facts }
    }
    return facts
  }

  /// How many accounts wait for somebody who signs in.
  package var needingPerson: Int { plan.steps.count(where: \.effect.needsPerson) }

  /// Whether an error holds everything back, so that the plan is for reading only.
  package var isHeldBack: Bool { diagnostics.contains { $0.code.severity == .error && $0.code.reach == .everything } }
}

extension Effect {
  /// Whether no apply can do it.
  package var needsPerson: Bool { if case .authorize = self { true } else { false } }
}

extension Step {
  /// What must not be missed comes first: removals, then replacements, then the rest, each by address.
  package static func reading(_ steps: [Step]) -> [Step] {
    var groups: [[(name: String, index: Int)]] = [[], [], []]
    for (index, step) in steps.enumerated() {
      groups[step.effect.readingGroup].append((step.address.description, index))
    }
    return groups.flatMap { group in
      group.sorted { $0.name == $1.name ? $0.index < $1.index : $0.name < $1.name }.map { steps[$0.index] }
    }
  }
}

extension Effect {
  fileprivate var readingGroup: Int {
    switch self {
    case .forget, .withdraw, .remove, .disallow, .deactivate, .retire, .signOut: 0
    case .replace, .rollback, .accept: 1
    case .allow, .upgrade, .guards, .rewrap, .move, .store, .adopt, .update, .activate, .sync, .settle, .restore,
      .authorize, .adoptToken,
      .refresh,
      .select:
      2
    }
  }

  /// The action's name and the place of its count in summaries.
  package static let counted = [
    "upgrade", "allow", "disallow", "guard", "rewrap", "move", "store", "adopt", "replace", "update", "activate",
    "deactivate", "sync",
    "withdraw",
    "remove", "settle",
    "retire",
    "forget", "rollback", "restore", "accept", "authorize", "adoptToken", "refresh", "select", "signOut",
  ]
}

/// How many steps of each action there are.
package struct Tally: Sendable {
  private var counts: [String: Int] = [:]

  package init(_ steps: some Sequence<Step> = []) { steps.forEach { count($0.effect) } }

  /// Counts one more.
  package mutating func count(_ effect: Effect) { counts[effect.action, default: 0] += 1 }

  /// The counts by action, zeros left out.
  package var byAction: [String: Int] { counts }

  /// `1 to store`, `2 to sync`; zeros are left out. Who must sign in is counted apart.
  package var planned: [String] { phrases(leavingOut: "authorize") { "\($1) to \(Effect.verb($0))" } }

  /// `1 stored`, `2 synced`.
  package var done: [String] { phrases { "\($1) \(Effect.done($0))" } }

  private func phrases(leavingOut left: String? = nil, _ phrase: (String, Int) -> String) -> [String] {
    Effect.counted.filter { $0 != left }.compactMap { action in counts[action].map { phrase(action, $0) } }
  }
}

extension Effect {
  /// The action as people say it.
  package static func verb(_ action: String) -> String {
    switch action {
    case "rollback": "roll back"
    case "adoptToken": "import"
    case "signOut": "sign out"
    case "authorize": "sign in"
    case "guard": "record"
    default: action
    }
  }

  /// The action's participle: `stored`, `synced`.
  package static func done(_ action: String) -> String {
    switch action {
    case "forget": "forgotten"
    case "rollback": "rolled back"
    case "withdraw": "withdrawn"
    case "rewrap": "rewrapped"
    case "adoptToken": "imported"
    case "signOut": "signed out"
    case "authorize": "signed in"
    case "guard": "recorded"
    case let action where action.hasSuffix("e"): action + "d"
    default: action + "ed"
    }
  }

  /// What is being done: `storing`, `syncing`.
  package static func doing(_ action: String) -> String {
    switch action {
    case "forget": "forgetting"
    case "rollback": "rolling back"
    case "rewrap": "rewrapping"
    case "adoptToken": "importing"
    case "signOut": "signing out"
    case "authorize": "signing in"
    case "guard": "recording"
    case let action where action.hasSuffix("e"): action.dropLast() + "ing"
    default: action + "ing"
    }
  }
}
