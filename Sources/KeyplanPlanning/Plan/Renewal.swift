package import KeyplanModel

/// The way in which a key gets a new value: decided here, from what the manifest declares or the store has recorded, and put into words by
/// every message that asks for one.
package struct Renewal: Hashable, Sendable {
  package enum Way: Hashable, Sendable {
    /// A person puts the new value where its source points.
    case source
    /// A person gives it to keyplan.
    case set
    /// keyplan generates it.
    case generated
    /// keyplan makes it of the values of these keys.
    case composed([Identifier<Key>])
    /// keyplan has it made at its provider.
    case made
    /// A person makes it at its provider and gives it to keyplan with its ID.
    case madeByHand
  }

  package let way: Way
  /// Whether the key ends on a date that the manifest names, which the new value would inherit.
  package let hasFixedEnd: Bool

  package init(_ way: Way, hasFixedEnd: Bool = false) { (self.way, self.hasFixedEnd) = (way, hasFixedEnd) }

  /// - Parameter part: the key because of which a composed value is to be replaced; nil for all that it is made of.
  package init(_ key: Key, because part: Identifier<Key>? = nil) {
    let way: Way =
      if let parts = key.composition?.parts {
        .composed(part.map { [$0] } ?? parts)
      } else if key.generated != nil {
        .generated
      } else if let minting = key.minting {
        minting.manual == nil ? .made : .madeByHand
      } else {
        key.sources.isEmpty ? .set : .source
      }
    self.init(way, key.facts)
  }

  /// From a record, which does not contain whether a person makes the keys of a place.
  /// - Parameter part: as for a declared key.
  package init(recorded facts: KeyFacts, because part: Identifier<Key>? = nil) {
    let way: Way =
      if let parts = facts.composition?.parts {
        .composed(part.map { [$0] } ?? parts)
      } else if facts.generated != nil {
        .generated
      } else if facts.mintedAt != nil {
        .made
      } else {
        facts.sources.isEmpty ? .set : .source
      }
    self.init(way, facts)
  }

  /// The keys that the value is made of; empty for any other value.
  package var parts: [Identifier<Key>] { if case .composed(let parts) = way { parts } else { [] } }

  private init(_ way: Way, _ facts: KeyFacts) {
    let isFixed = if case .on? = facts.expiry?.limit { true } else { false }
    self.init(way, hasFixedEnd: isFixed)
  }
}

extension Key {
  /// The time at which the recorded value is to be replaced under its policy; nil if no policy replaces it.
  func rotationEnd(of record: KeyRecord) -> Moment? {
    guard generated != nil || minting != nil, let expiry = facts.expiry, expiry.then == .rotate else { return nil }
    return expiry.end(from: record.birth(under: facts))
  }
}

extension Manifest {
  /// Diagnostics and findings contain how their key gets a new value, because their fix depends on it.
  func marking(_ diagnostics: [Diagnostic], in recorded: Recorded, at now: Moment) -> [Diagnostic] {
    diagnostics.map { diagnostic in
      let id: Identifier<Key>
      switch diagnostic.issue {
      case .key(let key, _), .target(_, .retiredKey(let key)), .target(_, .revokedKey(let key)): id = key
      default: return diagnostic
      }
      guard let key = keys[id] else { return diagnostic }
      return Diagnostic(
        diagnostic.issue, at: diagnostic.place,
        renewal: Renewal(key, because: recorded.keys[id]?.unusablePart(under: key.facts, at: now)))
    }
  }

  func marking(_ finding: Finding, in recorded: Recorded, at now: Moment) -> Finding {
    let id: Identifier<Key>?
    switch (finding.fact, finding.address) {
    case (.slotWithoutKey(let key, _), _): id = key
    case (_, .key(let key)): id = key
    default: id = nil
    }
    guard let id, let key = keys[id] else { return finding }
    return Finding(
      finding.fact, at: finding.address, level: finding.level, since: finding.since,
      renewal: Finding.KeyRenewal(
        key: id, renewal: Renewal(key, because: recorded.keys[id]?.unusablePart(under: key.facts, at: now))))
  }
}
