/// The restricted values that the identity in use can open.
package struct ValueAccess: Hashable, Sendable {
  /// The recipients to which the identity belongs; nil if that is not known.
  package let readers: Set<Identifier<Recipient>>?
  /// The recorded keys whose values it cannot open, each with the recipients that can.
  package private(set) var closed: [Identifier<Key>: [Identifier<Recipient>]]
  /// The same for keys that are forgotten and still kept.
  package let closedForgotten: Set<[Identifier<Recipient>]>

  package init(
    readers: Set<Identifier<Recipient>>?, closed: [Identifier<Key>: [Identifier<Recipient>]] = [:],
    closedForgotten: Set<[Identifier<Recipient>]> = []
  ) {
    (self.readers, self.closed, self.closedForgotten) = (readers, closed, closedForgotten)
  }

  mutating func move(_ names: [Identifier<Key>: Identifier<Key>]) {
    guard !closed.isEmpty else { return }
    closed = Dictionary(closed.map { (names[$0.key] ?? $0.key, $0.value) }) { first, _ in first }
  }
}

/// A required value that only other recipients can open.
package struct ClosedValue: Hashable, Sendable {
  /// The key that has the value.
  package let key: Identifier<Key>
  /// The recipients that can open it.
  package let recipients: [Identifier<Recipient>]

  package init(key: Identifier<Key>, recipients: [Identifier<Recipient>]) {
    (self.key, self.recipients) = (key, recipients)
  }
}

extension Recorded {
  /// The value of a key, if only other recipients can open it: as recorded, or as it would be under these facts.
  package func closedValue(of key: Identifier<Key>, as facts: KeyFacts? = nil) -> ClosedValue? {
    guard let access else { return nil }
    if let recipients = access.closed[key] { return ClosedValue(key: key, recipients: recipients) }
    guard let recipients = facts?.recipients, recipients != keys[key]?.facts.recipients, let readers = access.readers,
      readers.isDisjoint(with: recipients)
    else { return nil }
    return ClosedValue(key: key, recipients: recipients)
  }

  /// All values that only other recipients can open.
  package var allClosed: [ClosedValue] {
    guard let access else { return [] }
    let kept = forgotten.map { ClosedValue(key: $0.key, recipients: $0.record.facts.recipients ?? []) }
    return access.closed.inOrder.map { ClosedValue(key: $0.key, recipients: $0.value) }
      + kept.filter { access.closedForgotten.contains($0.recipients) }
  }
}
