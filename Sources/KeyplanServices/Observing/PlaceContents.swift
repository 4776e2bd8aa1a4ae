package import KeyplanModel
package import KeyplanSecrets

/// The finding for one name at a place.
package enum EntryFinding: Sendable {
  /// Definitely not there.
  case missing
  case found(ServiceEntry)
  /// There, and without a value at this place.
  case vacant(ServiceEntry)
  /// It is unknown whether it is there, or what its value is.
  case failed(AccessFailure)
}

/// An entry as a service shows it.
package struct ServiceEntry: Sendable {
  /// The name as the service writes it.
  package var name: String
  package var value: SecretBox?
  /// Whether the value is not text: a number, an object.
  package var isOther = false
  /// Whether the value cannot be read.
  package var isHidden = false
  /// Whether it also serves other places.
  package var isShared = false
  package var mark: String?
  package var version: BoundValue?
  package var id: String?
  package var kept: KeptEntry?

  /// The mark, or else the version; it changes with each write.
  package var currentMark: String? {
    if let mark { return mark }
    switch version {
    case .text(let text), .number(let text): return text
    default: return nil
    }
  }
}

/// The entries of a place, by the identity of their names.
package struct PlaceContents: Sendable {
  private(set) var entries: [String: EntryFinding] = [:]
  /// The identities of entries that the place has from somewhere else.
  private(set) var inherited: Set<String> = []
  /// The version of all entries together.
  package var version: BoundValue?

  package subscript(identity: String) -> EntryFinding? {
    get { entries[identity] }
    set { entries[identity] = newValue }
  }

  /// Whether a further entry counts. Own entries come before inherited ones, and of two inherited ones the last.
  package mutating func takes(_ identity: String, isInherited: Bool) -> Bool {
    let isKnown = entries[identity] != nil
    if isInherited {
      guard !isKnown || inherited.contains(identity) else { return false }
      inherited.insert(identity)
      return true
    }
    if inherited.remove(identity) != nil { entries[identity] = nil }
    return true
  }
}
