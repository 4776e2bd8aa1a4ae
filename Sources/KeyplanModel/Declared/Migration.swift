/// A change of where a value is kept, carried out once and remembered.
package struct Migration: Hashable, Sendable {
  /// Its place in the manifest's list, from 1.
  package let number: Int
  /// Where the value was.
  package let origin: Origin
  /// Who has the value afterwards.
  package let successor: Successor
  /// Where the manifest declares it.
  package let place: FileLocation?

  /// Where the value was.
  package enum Origin: Hashable, Sendable {
    /// Recorded under this name; the history comes along.
    case key(Identifier<Key>)
    /// In some place of its own, from which it is taken away once the store has it, if that is wanted.
    case place(Reference, isRemoved: Bool)
  }

  /// Who has a value afterwards.
  package enum Successor: Hashable, Sendable {
    /// A key; a name that has moved on itself is already followed to its end.
    case key(Identifier<Key>)
    /// A calendar account, for which another program's refresh token is taken over.
    case account(Identifier<Account>)

    /// Where it is shown.
    package var address: Address {
      switch self {
      case .key(let id): .key(id)
      case .account(let id): .calendar(id)
      }
    }
  }

  /// Trusts its arguments: the manifest's reader has checked them.
  package init(_ number: Int, _ origin: Origin, to successor: Successor, place: FileLocation? = nil) {
    self.number = number
    self.origin = origin
    self.successor = successor
    self.place = place
  }

  /// The same for a key.
  package init(_ number: Int, _ origin: Origin, to key: Identifier<Key>, place: FileLocation? = nil) {
    self.init(number, origin, to: .key(key), place: place)
  }

  /// The key that has the value afterwards; nil where it is for an account.
  package var key: Identifier<Key>? { if case .key(let id) = successor { id } else { nil } }

  /// The account that has the token afterwards; nil where it is for a key.
  package var account: Identifier<Account>? { if case .account(let id) = successor { id } else { nil } }

  /// The place that a value is adopted from.
  package var original: Reference? {
    switch origin {
    case .key: nil
    case .place(let reference, _): reference
    }
  }

  /// Whether the value is taken away from that place in the end.
  package var removesOriginal: Bool {
    switch origin {
    case .key: false
    case .place(_, let isRemoved): isRemoved
    }
  }

  /// Where it is shown.
  package var address: Address { .migration(number) }

  /// What a store remembers of it. An account has a prefix that no key's name can have.
  package var mark: String {
    switch (origin, successor) {
    case (.key(let old), .key(let new)): Self.mark(moving: old, to: new)
    case (.place(let reference, _), .key(let id)): "adopt \(id) \(reference)"
    case (.key, .account), (.place, .account): "adopt \(successor.address) \(original.map(\.description) ?? "")"
    }
  }

  /// What a store remembers of a key that moved.
  package static func mark(moving old: Identifier<Key>, to new: Identifier<Key>) -> String { "move \(old) \(new)" }
}
