import KeyplanModel
import KeyplanPorts

/// Whether the store is at this location. The mark is part of the header's format, so that the root MAC authenticates
/// it, and programs that do not know it reject the store.
enum StoreMark: Hashable {
  case here
  /// A move to here is not complete: rows may be missing. `from` is for display.
  case arriving(Nonce, from: String)
  /// The store was moved away. `to` is for display.
  case moved(Nonce, to: String, at: Moment)

  /// Identifies the move; the same at both locations.
  typealias Nonce = String

  private static let (arriving, moved) = ("-arriving", "-moved")

  /// Nil for an unknown format.
  init?(_ header: Header) {
    guard header.format != StoreFormat.name else {
      self = .here
      return
    }
    let words = header.format.split(separator: " ", maxSplits: 3).map(String.init)
    switch words.first {
    case StoreFormat.name + Self.arriving where words.count > 2:
      self = .arriving(words[1], from: words[2...].joined(separator: " "))
    case StoreFormat.name + Self.moved where words.count == 4:
      guard let at = Moment(words[2]) else { return nil }
      self = .moved(words[1], to: words[3], at: at)
    default: return nil
    }
  }

  /// The text in the header.
  var format: String {
    switch self {
    case .here: StoreFormat.name
    case .arriving(let nonce, let place): "\(StoreFormat.name)\(Self.arriving) \(nonce) \(place)"
    case .moved(let nonce, let place, let at): "\(StoreFormat.name)\(Self.moved) \(nonce) \(at) \(place)"
    }
  }

  func requireHere() throws(StoreError) {
    switch self {
    case .here: return
    case .arriving(_, let from):
      throw StoreError(
        .moved, "Incomplete move of this store from \(from) to here.",
        hint: "Complete the move by repeating it: keyplan store move --to PLACE")
    case .moved(_, let to, _):
      throw StoreError(
        .moved, "The store was moved from here to \(to).",
        hint: "Set `store` in the manifest, or KEYPLAN_STORE, to that location. If it is lost for good, name "
          + "this place: `keyplan store move --undo --store PLACE`")
    }
  }
}
