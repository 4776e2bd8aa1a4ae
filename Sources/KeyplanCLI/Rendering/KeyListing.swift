import KeyplanCore

/// The keys as `keyplan keys` lists them: all that are declared or recorded, by name.
struct KeyListing: Sendable {
  /// The keys.
  let rows: [Row]

  /// One key, without its value.
  struct Row: Sendable {
    /// Its name.
    let name: Identifier<Key>
    /// As declared, or else as recorded.
    let facts: KeyFacts
    /// Whether the manifest declares it.
    let isDeclared: Bool
    /// The recorded version of its value; nil where nothing is recorded.
    let version: KeyVersion?
    /// When it was retired.
    let retiredAt: Moment?
    /// How it stands; nil where it has no end or no value.
    let expiry: Expiry.State?
    /// The slots in which it is active, by name.
    let slots: [Identifier<Slot>]
  }

  /// What is declared wins over what is recorded; what is active is what is recorded.
  init(_ manifest: Manifest?, _ recorded: Recorded, at now: Moment) {
    var slots: [Identifier<Key>: [Identifier<Slot>]] = [:]
    for (slot, record) in recorded.slots { slots[record.key, default: []].append(slot) }
    let declared = manifest?.keys ?? [:]
    rows = Set(declared.keys).union(recorded.keys.keys).sorted().compactMap { name in
      let record = recorded.keys[name]
      guard let facts = declared[name]?.facts ?? record?.facts else { return nil }
      return Row(
        name: name, facts: facts, isDeclared: manifest == nil || declared[name] != nil, version: record?.version,
        retiredAt: record?.retiredAt,
        expiry: record.flatMap { facts.state(storedAt: $0.version.storedAt, at: now) },
        slots: slots[name, default: []].sorted())
    }
  }
}
