/// What the identity in use can open of the values that only some recipients can.
package struct ValueAccess: Hashable, Sendable {
  /// The recipients to which the identity belongs; nil where that is not known.
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

/// A value that is needed and that only others can open.
public struct ClosedValue: Hashable, Sendable {
  /// Whose value it is.
  public let key: Identifier<Key>
  /// The recipients that can open it.
  public let recipients: [Identifier<Recipient>]

  package init(key: Identifier<Key>, recipients: [Identifier<Recipient>]) {
    (self.key, self.recipients) = (key, recipients)
  }
}

extension Recorded {
  /// The value of a key, if only others can open it: as it is recorded, or as it would be under these facts.
  package func closedValue(of key: Identifier<Key>, as facts: KeyFacts? = nil) -> ClosedValue? {
    guard let access else { return nil }
    if let recipients = access.closed[key] { return ClosedValue(key: key, recipients: recipients) }
    guard let recipients = facts?.recipients, recipients != keys[key]?.facts.recipients, let readers = access.readers,
      readers.isDisjoint(with: recipients)
    else { return nil }
    return ClosedValue(key: key, recipients: recipients)
  }

  /// The values that an effect needs and that only others can open. Whatever else it does, it does without them.
  package func closedValues(for effect: Effect) -> [ClosedValue] {
    guard access != nil else { return [] }
    switch effect {
    case .store(.rewrap(let rewrap)): return rewrap.replacesRootKey ? allClosed : []
    case .store(.key(let id, let effect)): return closedValue(for: effect, of: id).map { [$0] } ?? []
    case .outside(.sync(_, let write)):
      let needed = Set(write.entries.lazy.filter { $0.reason != .alreadyThere }.map(\.key))
      return needed.sorted().compactMap { closedValue(of: $0) }
    case .store, .outside, .person: return []
    }
  }

  private func closedValue(for effect: KeyEffect, of key: Identifier<Key>) -> ClosedValue? {
    switch effect {
    case .store(let write), .replace(let write), .adopt(let write, _): closedValue(of: key, as: write.facts)
    case .update(let write):
      write.facts.recipients == keys[key]?.facts.recipients ? nil : closedValue(of: key, as: write.facts)
    case .accept: closedValue(of: key)
    // The records have the new name already, unless the names are those before the moves.
    case .move(let old): closedValue(of: key) ?? closedValue(of: old)
    case .rollback, .restore, .retire, .revoke, .purge, .forget: nil
    }
  }

  private var allClosed: [ClosedValue] {
    guard let access else { return [] }
    let kept = forgotten.map { ClosedValue(key: $0.key, recipients: $0.record.facts.recipients ?? []) }
    return access.closed.inOrder.map { ClosedValue(key: $0.key, recipients: $0.value) }
      + kept.filter { access.closedForgotten.contains($0.recipients) }
  }
}
