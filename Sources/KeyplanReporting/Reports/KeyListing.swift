package import KeyplanModel

/// A word for what is wrong with a key. Names are stable; programs may match on them.
package enum KeyStanding: String, Sendable, Codable, CaseIterable {
  case noValue, revoked, retired, rejected, noCredit, expired, exposed, notDeclared

  /// The word for people.
  package var words: String {
    switch self {
    case .noValue: "no value yet"
    case .noCredit: "no credit"
    case .notDeclared: "not declared"
    case .revoked, .retired, .rejected, .expired, .exposed: rawValue
    }
  }
}

/// The keys as `keyplan keys` lists them: all declared or recorded ones, by name.
package struct KeyListing: Sendable {
  /// The keys.
  package let rows: [Row]

  /// One key, without its value.
  package struct Row: Sendable {
    /// Its name.
    package let name: Identifier<Key>
    /// As declared, or else as recorded.
    package let facts: KeyFacts
    /// Whether the manifest declares it.
    package let isDeclared: Bool
    /// The recorded version of its value; nil if it is not recorded.
    package let version: KeyVersion?
    /// Whether its value is served under the declared policy; nil if it is not recorded.
    package let serving: Serving?
    /// The time at which it was retired.
    package let retiredAt: Moment?
    /// The revocation of its value.
    package let revocation: Revocation?
    /// The recipients who know its value, or one that it is made of, and were removed since.
    package let exposures: [Exposure]
    /// The keys that its value is made of; empty for a value that is not composed.
    package let parts: [Identifier<Key>]
    /// The key because of whose end its value ends, if that is not its own.
    package let endingPart: Identifier<Key>?
    /// The declared date of issue of its value; nil if none is declared for this value.
    package let issuedAt: Moment?
    /// Its state; nil if it does not expire or has no value.
    package let expiry: Expiry.State?
    /// The time before its end from which on keyplan warns; nil if it does not expire.
    package let warn: Interval?
    /// The slots in which it is active, by name.
    package let slots: [Identifier<Slot>]

    /// Everything that is wrong with it, the worst first: every listing shows these.
    package var standings: [KeyStanding] {
      if isUsual { return [] }
      let served: KeyStanding? =
        switch serving {
        case .revoked: .revoked
        case .retired: .retired
        case .refusedByProvider: .rejected
        case .pastItsEnd: .expired
        case .asUsual, nil: nil
        }
      let check = version?.check?.outcome
      let isOver = if case .over = expiry { true } else { false }
      let all: [(KeyStanding, Bool)] = [
        (.noValue, version == nil), (.revoked, revocation != nil), (.retired, retiredAt != nil),
        (.rejected, check?.isUnusable == true), (.noCredit, check == .noCredit), (.expired, isOver && retiredAt == nil),
        (.exposed, !exposures.isEmpty), (.notDeclared, !isDeclared),
      ]
      return all.filter { $0.1 || $0.0 == served }.map(\.0)
    }

    /// Whether nothing is wrong, as with most keys of a long list.
    private var isUsual: Bool {
      guard let version, version.check == nil, serving == .asUsual, isDeclared, exposures.isEmpty else { return false }
      if case .over = expiry { return false }
      return revocation == nil && retiredAt == nil
    }

    /// Whether commands no longer return its value.
    package var isOut: Bool {
      switch serving {
      case .retired, .revoked: true
      case .asUsual, .pastItsEnd, .refusedByProvider, nil: false
      }
    }
  }

  /// Declared facts take precedence over recorded ones; active keys are those recorded.
  package init(_ manifest: Manifest?, _ recorded: Recorded, at now: Moment) {
    var slots: [Identifier<Key>: [Identifier<Slot>]] = [:]
    for (slot, record) in recorded.slots { slots[record.key, default: []].append(slot) }
    let declared = manifest?.keys ?? [:]
    rows = Set(declared.keys).union(recorded.keys.keys).sorted().compactMap { name in
      let record = recorded.keys[name]
      guard let facts = declared[name]?.facts ?? record?.facts else { return nil }
      let ending = record.flatMap { $0.ending(under: facts, at: now) }
      return Row(
        name: name, facts: facts, isDeclared: manifest == nil || declared[name] != nil, version: record?.version,
        serving: record?.serving(under: facts, at: now), retiredAt: record?.retirement,
        revocation: record?.revocation, exposures: record?.exposures ?? [], parts: facts.composition?.parts ?? [],
        endingPart: record?.endingPart(under: facts, at: now),
        issuedAt: record.map { $0.issuedAt(under: facts) } ?? facts.issued,
        expiry: ending?.state, warn: ending?.warn,
        slots: slots[name, default: []].sorted())
    }
  }
}
