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

  private static let (arriving, moved) = ("-arriving", "-moved")

  /// Nil for a format that is not known.
  init?(_ header: Header) {
    guard let mark = Self.read(header.format)?.mark else { return nil }
    self = mark
  }

  /// In which format the records are; nil for one that is not known.
  static func format(of header: Header) -> StoreFormat? { read(header.format)?.format }

  private static func read(_ text: String) -> (format: StoreFormat, mark: StoreMark)? {
    if let format = StoreFormat(rawValue: text) { return (format, .here) }
    let words = text.split(separator: " ", maxSplits: 2).map(String.init)
    guard words.count == 3 else { return nil }
    for format in StoreFormat.allCases {
      switch words[0] {
      case format.rawValue + arriving: return (format, .arriving(words[1], from: words[2]))
      case format.rawValue + moved:
        // No place looks like a time: it begins with a slash, or has `://` in it.
        let timed = words[2].split(separator: " ", maxSplits: 1).map(String.init)
        if timed.count == 2, let at = Moment(timed[0]) { return (format, .moved(words[1], to: timed[1], at: at)) }
        return (format, .moved(words[1], to: words[2], at: nil))
      default: continue
      }
    }
    return nil
  }

  /// What stands in the header.
  func format(_ format: StoreFormat) -> String {
    switch self {
    case .here: format.rawValue
    case .arriving(let nonce, let place): "\(format.rawValue)\(Self.arriving) \(nonce) \(place)"
    case .moved(let nonce, let place, let at):
      "\(format.rawValue)\(Self.moved) \(nonce) \(at.map { "\($0) " } ?? "")\(place)"
    }
  }

  func requireHere() throws(StoreError) {
    switch self {
    case .here: return
    case .arriving(_, let from):
      throw StoreError(
        .moved, "The move of this store from \(from) to here is not finished.",
        hint: "Repeat the `keyplan store move` that was interrupted: it completes the move. Nothing is lost.")
    case .moved(_, let to, _):
      throw StoreError(
        .moved, "The store was moved from here to \(to).",
        hint: "Name that place with `store` in the manifest, or in KEYPLAN_STORE. If it is lost for good: "
          + "`keyplan store move --undo`")
    }
  }
}
