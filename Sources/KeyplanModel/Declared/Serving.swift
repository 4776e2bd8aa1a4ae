/// Whether readers get a key's value. The same for readers, slots and targets.
package enum Serving: Hashable, Sendable {
  /// It is.
  case asUsual
  /// It is, with a warning: it has expired under a policy that retires, and no apply has retired it. Either nothing else is usable, or there
  /// was no apply since; the provider may still accept it, so expiry alone must not cause an outage.
  case pastItsEnd(since: Moment)
  /// It is, with a warning: its provider no longer accepts it, and nothing else is usable or there was no apply since.
  case refusedByProvider(KeyCheck)
  /// It is not: an apply retired it.
  case retired(since: Moment)
  /// It is not: a person revoked it.
  case revoked(since: Moment, reason: String?)

  /// Whether it is served, with or without a warning.
  package var isServed: Bool {
    switch self {
    case .asUsual, .pastItsEnd, .refusedByProvider: true
    case .retired, .revoked: false
    }
  }
}

extension KeyFacts {
  /// Whether a value of this age, and perhaps retired or revoked, is served.
  package func serving(
    from birth: Moment, retiredAt: Moment?, revocation: Revocation? = nil, check: KeyCheck? = nil, at now: Moment
  ) -> Serving {
    if let revocation { return .revoked(since: revocation.at, reason: revocation.reason) }
    if let retiredAt { return .retired(since: retiredAt) }
    if let check, check.outcome.isUnusable { return .refusedByProvider(check) }
    guard expiry?.then == .retire, case .over(let end) = expiry?.state(from: birth, at: now) else { return .asUsual }
    return .pastItsEnd(since: end)
  }
}

extension KeyRecord {
  /// Whether the current value is served.
  package func serving(at now: Moment) -> Serving {
    facts.serving(
      from: version.birth, retiredAt: retiredAt, revocation: revocation, check: version.check, at: now)
  }

  /// The same under facts that may not be applied yet.
  package func serving(under facts: KeyFacts, at now: Moment) -> Serving {
    facts.serving(
      from: birth(under: facts), retiredAt: retiredAt, revocation: revocation, check: version.check, at: now)
  }
}
