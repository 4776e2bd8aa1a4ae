/// The start of a value's age.
///
/// A date of issue in the manifest is recorded with the value that it was declared for. It does not apply to later values, so that no key
/// is retired because of the date of its predecessor.
extension KeyVersion {
  /// The start of its age.
  package var birth: Moment { issuedAt ?? storedAt }
}

extension KeyRecord {
  /// The current value's date of issue under these facts; nil if its age counts from when it was stored.
  package func issuedAt(under facts: KeyFacts) -> Moment? {
    facts.issued == self.facts.issued ? version.issuedAt : facts.issued
  }

  /// The start of the current value's age under these facts.
  package func birth(under facts: KeyFacts) -> Moment { issuedAt(under: facts) ?? version.storedAt }

  /// The state of the current value; nil if it does not expire. A value ends with the first of those that it is made of.
  /// - Parameter facts: the declared facts; nil for the recorded ones.
  package func state(under facts: KeyFacts? = nil, at now: Moment) -> Expiry.State? {
    let own = (facts ?? self.facts).expiry?.state(from: birth(under: facts ?? self.facts), at: now)
    guard let inherited else { return own }
    return ([own].compactMap(\.self) + inherited.parts.compactMap { $0.state(at: now) }).min { $0.end < $1.end }
  }

  /// The time before an end from which on keyplan warns of it, where no policy says another one.
  private static let usualWarning = Interval.days(14)

  /// The end that the provider named with its last answer, as a policy that warns of it; nil if it named none.
  package func told(under facts: KeyFacts) -> Expiry? {
    guard let check = version.check, !check.outcome.isUnusable, let end = check.expires else { return nil }
    return Expiry(.on(end), warn: facts.expiry?.warn ?? Self.usualWarning, then: .warn)
  }

  /// The first end of the current value, and how long before it keyplan warns: that of its policy, of a value that it is made of, or the
  /// one that the provider named. Nil if nothing ends it.
  /// - Parameter facts: the declared facts; nil for the recorded ones.
  package func ending(under facts: KeyFacts? = nil, at now: Moment) -> (state: Expiry.State, warn: Interval)? {
    let facts = facts ?? self.facts
    guard facts.expiry != nil || version.check != nil || inherited != nil else { return nil }
    let birth = birth(under: facts)
    var first: (state: Expiry.State, warn: Interval)?
    func take(_ state: Expiry.State, _ warn: Interval) {
      if let known = first, known.state.end <= state.end { return }
      first = (state, warn)
    }
    if let own = facts.expiry { take(own.state(from: birth, at: now), own.warn) }
    if let told = told(under: facts) { take(told.state(from: birth, at: now), told.warn) }
    for part in inherited?.parts ?? [] {
      if let state = part.state(at: now) { take(state, part.expiry?.warn ?? Self.usualWarning) }
    }
    return first
  }

  /// The key because of whose end the current value ends, if that is not its own.
  package func endingPart(under facts: KeyFacts? = nil, at now: Moment) -> Identifier<Key>? {
    guard let inherited, let end = ending(under: facts, at: now)?.state.end else { return nil }
    let facts = facts ?? self.facts
    let own = [facts.expiry, told(under: facts)].compactMap { $0?.end(from: birth(under: facts)) }
    return own.contains(end) ? nil : inherited.parts.first { $0.state(at: now)?.end == end }?.key
  }

  /// The key because of which a composed value cannot be used, or ends; nil for a usable one, and for any other value.
  package func unusablePart(under facts: KeyFacts? = nil, at now: Moment) -> Identifier<Key>? {
    guard inherited != nil else { return nil }
    return serving(under: facts ?? self.facts, at: now).part ?? endingPart(under: facts, at: now)
  }

  /// The declared date of issue if it belongs to another value than the current one; otherwise nil.
  package func otherDate(under facts: KeyFacts) -> Moment? {
    guard let issued = facts.issued, issued != issuedAt(under: facts) else { return nil }
    return issued
  }

  /// The date of issue to record with a value.
  /// - Parameters:
  ///   - fingerprint: of the value; nil if the value is known at apply only.
  ///   - old: the previous record, also of a forgotten key.
  package static func issuedAt(of fingerprint: Fingerprint?, _ facts: KeyFacts, over old: KeyRecord?) -> Moment? {
    guard let issued = facts.issued, let old, old.facts.issued == issued else { return facts.issued }
    if let fingerprint, let same = old.storedVersions.first(where: { $0.fingerprint == fingerprint }) {
      return same.issuedAt
    }
    // The previous value cannot have been issued after it was stored: the date was declared in advance for this one.
    return issued > old.version.storedAt + Moment.dateTolerance ? issued : nil
  }
}

extension KeyFacts {
  /// The date of issue if it is in the future; otherwise nil.
  package func futureDate(at now: Moment) -> Moment? { issued.flatMap { $0 > now + Moment.dateTolerance ? $0 : nil } }
}

extension Moment {
  /// The tolerance for dates without a time of day, which are read as the start of the day in UTC.
  package static let dateTolerance = Interval.days(1)
}
