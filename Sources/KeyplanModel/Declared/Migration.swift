/// A change of where a value is kept, carried out once and remembered.
package struct Migration: Hashable, Sendable {
  /// Its place in the manifest's list, from 1.
  package let number: Int
  /// The former place of the value.
  package let origin: Origin
  /// The owner of the value afterwards.
  package let successor: Successor
  /// The location of the declaration.
  package let place: FileLocation?

  /// The former place of the value.
  package enum Origin: Hashable, Sendable {
    /// The record of this name; the history is kept.
    case key(Identifier<Key>)
    /// A place outside the store, from which the value is removed once the store has it, if that is declared.
    case place(Reference, isRemoved: Bool)
  }

  /// The owner of a value afterwards.
  package enum Successor: Hashable, Sendable {
    /// A key; a name that has moved on itself is already followed to its end.
    case key(Identifier<Key>)
    /// A calendar account, for which another program's refresh token is adopted.
    case account(Identifier<Account>)

    /// The address in plans.
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

  /// The key that has the value afterwards; nil if it is for an account.
  package var key: Identifier<Key>? { if case .key(let id) = successor { id } else { nil } }

  /// The account that has the token afterwards; nil if it is for a key.
  package var account: Identifier<Account>? { if case .account(let id) = successor { id } else { nil } }

  /// The place that a value is adopted from.
  package var original: Reference? {
    switch origin {
    case .key: nil
    case .place(let reference, _): reference
    }
  }

  /// Whether the value is removed from that place in the end.
  package var removesOriginal: Bool {
    switch origin {
    case .key: false
    case .place(_, let isRemoved): isRemoved
    }
  }

  /// The address in plans.
  package var address: Address { .migration(number) }

  /// The mark of the migration in the store. An account has a prefix that no key's name can have.
  package var mark: String {
    switch (origin, successor) {
    case (.key(let old), .key(let new)): Self.mark(moving: old, to: new)
    case (.place(let reference, _), .key(let id)): "adopt \(id) \(reference)"
    case (.key, .account), (.place, .account): "adopt \(successor.address) \(original.map(\.description) ?? "")"
    }
  }

  /// The mark of a key that moved, in the store.
  package static func mark(moving old: Identifier<Key>, to new: Identifier<Key>) -> String { "move \(old) \(new)" }
}
