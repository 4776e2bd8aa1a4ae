/// Whether a key's value is served to those who ask for it. One answer for readers, slots and targets.
public enum Serving: Hashable, Sendable {
  /// It is.
  case asUsual
  /// It is, and whoever asks is warned: its end has come under a policy that retires, and no apply has retired it. Either nothing
  /// else is usable, or nobody has applied since; a provider may well accept it, so that what works must not stop at midnight.
  case pastItsEnd(since: Moment)
  /// It is, and whoever asks is warned: its provider no longer accepts it, and nothing else is usable or nobody has applied since.
  case refusedByProvider(KeyCheck)
  /// It is not: an apply retired it.
  case retired(since: Moment)
  /// It is not: a person revoked it.
  case revoked(since: Moment, reason: String?)
}

extension KeyFacts {
  /// The state of a key of these facts; nil where it does not expire. Its age counts from when it was issued, or else stored.
  public func state(storedAt: Moment, at now: Moment) -> Expiry.State? {
    expiry?.state(from: issued ?? storedAt, at: now)
  }

  /// Whether a value that was stored, and perhaps retired or revoked, at these moments is served.
  package func serving(
    storedAt: Moment, retiredAt: Moment?, revocation: Revocation? = nil, check: KeyCheck? = nil, at now: Moment
  ) -> Serving {
    if let revocation { return .revoked(since: revocation.at, reason: revocation.reason) }
    if let retiredAt { return .retired(since: retiredAt) }
    if let check, check.outcome.isUnusable { return .refusedByProvider(check) }
    guard expiry?.then == .retire, case .over(let end) = state(storedAt: storedAt, at: now) else { return .asUsual }
    return .pastItsEnd(since: end)
  }
}

extension KeyRecord {
  /// Whether the current value is served.
  public func serving(at now: Moment) -> Serving {
    facts.serving(
      storedAt: version.storedAt, retiredAt: retiredAt, revocation: revocation, check: version.check, at: now)
  }
}
