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

extension Effect {
  /// Whether it removes only records: nothing is removed at the target.
  fileprivate var isRelease: Bool {
    guard case .outside(.withdraw(_, let removal)) = self else { return false }
    return removal.names.isEmpty
  }

  /// The participle of its action: `stored`; `released` for names at a target that stay as they are.
  package var participle: String { isRelease ? Tally.released : action.participle }
}

/// The number of steps of each action.
package struct Tally: Sendable {
  private var counts: [Action: Int] = [:]
  /// Those of the withdrawals that remove nothing.
  private var releases = 0
  fileprivate static let released = "released"

  package init(_ steps: some Sequence<Step> = []) { steps.forEach { count($0.effect) } }

  /// Counts one more.
  package mutating func count(_ effect: Effect) {
    counts[effect.action, default: 0] += 1
    if effect.isRelease { releases += 1 }
  }

  /// The counts by action, zeros left out.
  package var byAction: [String: Int] {
    Dictionary(uniqueKeysWithValues: counts.map { ($0.key.rawValue, $0.value) })
  }

  /// `1 to store`, `2 to sync`; zeros are left out. Steps that require a person are counted separately.
  package var planned: [String] {
    phrases({ [.authorize, .issue].contains($0) ? nil : "\($1) to \($0.verb)" }, released: "to release")
  }

  /// `1 stored`, `2 synced`.
  package var done: [String] { phrases({ "\($1) \($0.participle)" }, released: Self.released) }

  private func phrases(_ phrase: (Action, Int) -> String?, released: String) -> [String] {
    Action.allCases.flatMap { action -> [String] in
      let own = (counts[action] ?? 0) - (action == .withdraw ? releases : 0)
      let phrases = own > 0 ? [phrase(action, own)].compactMap(\.self) : []
      return phrases + (action == .withdraw && releases > 0 ? ["\(releases) \(released)"] : [])
    }
  }
}
