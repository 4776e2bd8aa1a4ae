import KeyplanApply
import KeyplanCore

/// Whether a store is where its header lies. The mark stands in the header's format, so that the root authenticates it, and a
/// program that knows nothing of it refuses the store.
enum StoreMark: Hashable {
  case here
  /// It is on its way to here: what lies here may not be all of it. `from` is for people.
  case arriving(Nonce, from: String)
  /// It has gone from here. `to` is for people; the time is missing in what the first moves left behind.
  case moved(Nonce, to: String, at: Moment?)

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
    case Self.movedWord:
      // No place looks like a time: it begins with a slash, or has `://` in it.
      let timed = words[2].split(separator: " ", maxSplits: 1).map(String.init)
      if timed.count == 2, let at = Moment(timed[0]) {
        self = .moved(words[1], to: timed[1], at: at)
      } else {
        self = .moved(words[1], to: words[2], at: nil)
      }
    default: return nil
    }
  }

  var format: String {
    switch self {
    case .here: Keyring.format
    case .arriving(let nonce, let place): "\(Self.arrivingWord) \(nonce) \(place)"
    case .moved(let nonce, let place, let at):
      "\(Self.movedWord) \(nonce) \(at.map { "\($0) " } ?? "")\(place)"
    }
  }

  func requireHere() throws(StoreError) {
    switch self {
    case .here: return
    case .arriving(_, let from):
      throw StoreError(
        .moved, "The store is on its way to here from \(from), and has not come whole.",
        hint: "Move it once more, from there: what is there is whole.")
    case .moved(_, let to, _):
      throw StoreError(
        .moved, "The store was moved from here to \(to).",
        hint: "Name that place with `store` in the manifest, or in KEYPLAN_STORE. If it is lost for good: "
          + "`keyplan store move --undo`")
    }
  }
}
