import KeyplanApply

/// Whether a store is where its header lies. The mark stands in the header's format, so that the root authenticates it, and a
/// program that knows nothing of it refuses the store.
enum StoreMark: Hashable {
  case here
  /// It is on its way to here: what lies here may not be all of it. `from` is for people.
  case arriving(Nonce, from: String)
  /// It has gone from here. `to` is for people.
  case moved(Nonce, to: String)

  /// Which move it was; the same at both ends.
  typealias Nonce = String

  private static let (arrivingWord, movedWord) = (Keyring.format + "-arriving", Keyring.format + "-moved")

  /// Nil for a format that is not known.
  init?(_ header: Header) {
    if header.format == Keyring.format {
      self = .here
      return
    }
    let words = header.format.split(separator: " ", maxSplits: 2).map(String.init)
    guard words.count == 3 else { return nil }
    switch words[0] {
    case Self.arrivingWord: self = .arriving(words[1], from: words[2])
    case Self.movedWord: self = .moved(words[1], to: words[2])
    default: return nil
    }
  }

  var format: String {
    switch self {
    case .here: Keyring.format
    case .arriving(let nonce, let place): "\(Self.arrivingWord) \(nonce) \(place)"
    case .moved(let nonce, let place): "\(Self.movedWord) \(nonce) \(place)"
    }
  }

  func requireHere() throws(StoreError) {
    switch self {
    case .here: return
    case .arriving(_, let from):
      throw StoreError(
        .moved, "The store is on its way to here from \(from), and has not come whole.",
        hint: "Move it once more, from there: what is there is whole.")
    case .moved(_, let to):
      throw StoreError(
        .moved, "The store was moved from here to \(to).",
        hint: "Name that place with `store` in the manifest, or in KEYPLAN_STORE.")
    }
  }
}
