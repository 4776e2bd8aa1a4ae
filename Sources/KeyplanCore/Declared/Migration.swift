/// A change of where a value is kept, carried out once and remembered.
public struct Migration: Hashable, Sendable {
  /// Its place in the manifest's list, from 1.
  public let number: Int
  /// Where the value was.
  public let origin: Origin
  /// The key that has the value afterwards; a name that has moved on itself is already followed to its end.
  public let key: Identifier<Key>
  /// Where the manifest declares it.
  public let place: Place?

  /// Where the value was.
  public enum Origin: Hashable, Sendable {
    /// Recorded under this name; the history comes along.
    case key(Identifier<Key>)
    /// In some place of its own, from which it is taken away once the store has it, if that is wanted.
    case place(Reference, isRemoved: Bool)
  }

  /// Trusts its arguments: the manifest's reader has checked them.
  public init(_ number: Int, _ origin: Origin, to key: Identifier<Key>, place: Place? = nil) {
    self.number = number
    self.origin = origin
    self.key = key
    self.place = place
  }

  /// The place that a value is adopted from.
  public var original: Reference? {
    switch origin {
    case .key: nil
    case .place(let reference, _): reference
    }
  }

  /// Whether the value is taken away from that place in the end.
  public var removesOriginal: Bool {
    switch origin {
    case .key: false
    case .place(_, let isRemoved): isRemoved
    }
  }

  /// Where it is shown.
  public var address: Address { .migration(number) }

  /// What a store remembers of it.
  public var mark: String {
    switch origin {
    case .key(let old): Self.mark(moving: old, to: key)
    case .place(let reference, _): "adopt \(key) \(reference)"
    }
  }

  /// What a store remembers of a key that moved.
  public static func mark(moving old: Identifier<Key>, to new: Identifier<Key>) -> String { "move \(old) \(new)" }
}
