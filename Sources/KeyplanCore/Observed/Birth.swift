/// From when the age of a value counts.
///
/// A date of issue in the manifest is recorded with the value that it was declared for. It does not count for a later value, so
/// that no key is retired because of the date of the one before it.
extension KeyVersion {
  /// The start of its age.
  package var birth: Moment { issuedAt ?? storedAt }
}

extension KeyRecord {
  /// When the current value was issued if the manifest says this; nil where it counts from when it was stored.
  package func issuedAt(under facts: KeyFacts) -> Moment? {
    facts.issued == self.facts.issued ? version.issuedAt : facts.issued
  }

  /// The start of the current value's age if the manifest says this.
  package func birth(under facts: KeyFacts) -> Moment { issuedAt(under: facts) ?? version.storedAt }

  /// The state of the current value; nil where it does not expire.
  /// - Parameter facts: what the manifest says; nil for what is recorded.
  package func state(under facts: KeyFacts? = nil, at now: Moment) -> Expiry.State? {
    (facts ?? self.facts).expiry?.state(from: birth(under: facts ?? self.facts), at: now)
  }

  /// The date of issue that the manifest goes on naming, and that is of another value than the current one.
  package func otherDate(under facts: KeyFacts) -> Moment? {
    guard let issued = facts.issued, issued != issuedAt(under: facts) else { return nil }
    return issued
  }

  /// When a value was issued that is to be recorded with these facts.
  /// - Parameters:
  ///   - fingerprint: nil while the value is known at apply only.
  ///   - old: what the key has until then, or had before it was forgotten.
  package static func issuedAt(of fingerprint: Fingerprint?, _ facts: KeyFacts, over old: KeyRecord?) -> Moment? {
    guard let issued = facts.issued, let old, old.facts.issued == issued else { return facts.issued }
    if let fingerprint, let same = old.storedVersions.first(where: { $0.fingerprint == fingerprint }) {
      return same.issuedAt
    }
    // A value cannot have been stored before it was issued: then the date was declared for this one in advance.
    return issued > old.version.storedAt + Moment.dateTolerance ? issued : nil
  }
}

extension Moment {
  /// How far a date without a time of day may be ahead, because it is read as the start of the day in UTC.
  package static let dateTolerance = Interval.days(1)
}
