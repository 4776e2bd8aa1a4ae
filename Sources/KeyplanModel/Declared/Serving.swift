/// Whether readers get a key's value. The same for readers, slots and targets.
package enum Serving: Hashable, Sendable {
  /// It is.
  case asUsual
  /// It is, with a warning: it has expired under a policy that retires, and no apply has retired it. Either nothing else is usable, or there
  /// was no apply since; the provider may still accept it, so expiry alone must not cause an outage.
  ///
  /// - part: here and below the key that this is about, if the value is made of that key's value.
  case pastItsEnd(since: Moment, part: Identifier<Key>? = nil)
  /// It is, with a warning: its provider no longer accepts it, and nothing else is usable or there was no apply since.
  case refusedByProvider(KeyCheck, part: Identifier<Key>? = nil)
  /// It is not: an apply retired it.
  case retired(since: Moment, part: Identifier<Key>? = nil)
  /// It is not: a person revoked it.
  case revoked(since: Moment, reason: String?, part: Identifier<Key>? = nil)

  /// The key that this is about, if the value is made of that key's value.
  package var part: Identifier<Key>? {
    switch self {
    case .asUsual: nil
    case .pastItsEnd(_, let part), .refusedByProvider(_, let part), .retired(_, let part), .revoked(_, _, let part):
      part
    }
  }

  /// Whether it is served, with or without a warning.
  package var isServed: Bool {
    switch self {
    case .asUsual, .pastItsEnd, .refusedByProvider: true
    case .retired, .revoked: false
    }
  }

  /// The state of a value that is made of one in this state.
  package func inherited(from key: Identifier<Key>) -> Serving {
    switch self {
    case .asUsual: .asUsual
    case .pastItsEnd(let since, let part): .pastItsEnd(since: since, part: part ?? key)
    case .refusedByProvider(let check, let part): .refusedByProvider(check, part: part ?? key)
    case .retired(let since, let part): .retired(since: since, part: part ?? key)
    case .revoked(let since, let reason, let part): .revoked(since: since, reason: reason, part: part ?? key)
    }
  }

  /// The worst of several states; the first of those that are as bad.
  package static func worst(of all: some Sequence<Serving>) -> Serving {
    all.reduce(.asUsual) { $0.severity < $1.severity ? $1 : $0 }
  }

  private var severity: Int {
    switch self {
    case .asUsual: 0
    case .pastItsEnd: 1
    case .refusedByProvider: 2
    case .retired: 3
    case .revoked: 4
    }
  }
}

extension KeyFacts {
  /// Whether a value of this age, and perhaps retired or revoked, is served.
  package func serving(
    from birth: Moment, retiredAt: Moment?, revocation: Revocation? = nil, check: KeyCheck? = nil, at now: Moment
  ) -> Serving {
    if let revocation { return .revoked(since: revocation.at, reason: revocation.reason, part: revocation.part) }
    if let retiredAt { return .retired(since: retiredAt) }
    if let check, check.outcome.isUnusable { return .refusedByProvider(check) }
    guard expiry?.then == .retire, case .over(let end) = expiry?.state(from: birth, at: now) else { return .asUsual }
    return .pastItsEnd(since: end)
  }
}

extension KeyRecord {
  /// Whether the current value is served.
  package func serving(at now: Moment) -> Serving {
    combined(
      facts.serving(
        from: version.birth, retiredAt: retiredAt, revocation: revocation, check: version.check, at: now), at: now)
  }

  /// The same under facts that may not be applied yet.
  package func serving(under facts: KeyFacts, at now: Moment) -> Serving {
    combined(
      facts.serving(
        from: birth(under: facts), retiredAt: retiredAt, revocation: revocation, check: version.check, at: now),
      at: now)
  }

  /// A value cannot be used if one that it is made of cannot.
  private func combined(_ own: Serving, at now: Moment) -> Serving {
    guard let inherited else { return own }
    return .worst(of: [own] + inherited.parts.map { $0.serving(at: now) })
  }
}
