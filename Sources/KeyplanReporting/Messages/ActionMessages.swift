internal import KeyplanModel
package import KeyplanPlanning

extension Action {
  /// Sorts the most important steps first: removals, then replacements, then the rest.
  package var readingGroup: Int {
    switch self {
    case .forget, .withdraw, .remove, .disallow, .deactivate, .retire, .signOut, .revoke, .purge, .disableIssued,
      .revokeIssued:
      0
    case .mint, .replace, .rollback, .accept: 1
    default: 2
    }
  }

  /// The action as people say it: `to store`, `to roll back`.
  package var verb: String {
    switch self {
    case .rollback: "roll back"
    case .adoptToken: "import"
    case .rewrap: "re-encrypt"
    case .signOut: "sign out"
    case .authorize: "sign in"
    case .guards: "record"
    case .disableIssued: "disable"
    case .revokeIssued: "revoke"
    case .issue: "issue by hand"
    default: rawValue
    }
  }

  /// The action's participle: `stored`, `synced`.
  package var participle: String {
    switch self {
    case .forget: "forgotten"
    case .rollback: "rolled back"
    case .withdraw: "withdrawn"
    case .run: "run"
    case .signOut: "signed out"
    case .authorize: "signed in"
    case .issue: "issued by hand"
    default: verb.last == "e" ? verb + "d" : verb + "ed"
    }
  }

  /// The action in progress: `storing`, `syncing`.
  package var gerund: String {
    switch self {
    case .forget: "forgetting"
    case .rollback: "rolling back"
    case .run: "running"
    case .signOut: "signing out"
    case .authorize: "signing in"
    case .issue: "issuing by hand"
    default: verb.last == "e" ? verb.dropLast() + "ing" : verb + "ing"
    }
  }
}

/// The number of steps of each action.
package struct Tally: Sendable {
  private var counts: [Action: Int] = [:]

  package init(_ steps: some Sequence<Step> = []) { steps.forEach { count($0.effect) } }

  /// Counts one more.
  package mutating func count(_ effect: Effect) { counts[effect.action, default: 0] += 1 }

  /// The counts by action, zeros left out.
  package var byAction: [String: Int] {
    Dictionary(uniqueKeysWithValues: counts.map { ($0.key.rawValue, $0.value) })
  }

  /// `1 to store`, `2 to sync`; zeros are left out. Steps that require a person are counted separately.
  package var planned: [String] { phrases { [.authorize, .issue].contains($0) ? nil : "\($1) to \($0.verb)" } }

  /// `1 stored`, `2 synced`.
  package var done: [String] { phrases { "\($1) \($0.participle)" } }

  private func phrases(_ phrase: (Action, Int) -> String?) -> [String] {
    Action.allCases.compactMap { action in counts[action].flatMap { phrase(action, $0) } }
  }
}
