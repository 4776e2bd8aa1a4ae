import KeyplanApply
import KeyplanCore

/// Whether the store is at this location. The mark is part of the header's format, so that the root MAC authenticates
/// it, and programs that do not know it reject the store.
enum StoreMark: Hashable {
  case here
  /// A move to here is not complete: rows may be missing. `from` is for display.
  case arriving(Nonce, from: String)
  /// The store was moved away. `to` is for display; the first versions did not record the time.
  case moved(Nonce, to: String, at: Moment?)

  /// Identifies the move; the same at both locations.
  typealias Nonce = String

  private static let (arriving, moved) = ("-arriving", "-moved")

  /// Nil for an unknown format.
  init?(_ header: Header) {
    guard let mark = Self.read(header.format)?.mark else { return nil }
    self = mark
  }

  /// The format of the records; nil if unknown.
  static func format(of header: Header) -> StoreFormat? { read(header.format)?.format }

  private static func read(_ text: String) -> (format: StoreFormat, mark: StoreMark)? {
    if let format = StoreFormat(rawValue: text) { return (format, .here) }
    let words = text.split(separator: " ", maxSplits: 2).map(String.init)
    guard words.count == 3 else { return nil }
    for format in StoreFormat.allCases {
      switch words[0] {
      case format.rawValue + arriving: return (format, .arriving(words[1], from: words[2]))
      case format.rawValue + moved:
        // A location does not look like a time: it begins with a slash, or contains `://`.
        let timed = words[2].split(separator: " ", maxSplits: 1).map(String.init)
        if timed.count == 2, let at = Moment(timed[0]) { return (format, .moved(words[1], to: timed[1], at: at)) }
        return (format, .moved(words[1], to: words[2], at: nil))
      default: continue
      }
    }
    return nil
  }

  /// The text in the header.
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
        .moved, "Incomplete move of this store from \(from) to here.",
        hint: "Repeat the interrupted `keyplan store move` to complete the move. Nothing is lost.")
    case .moved(_, let to, _):
      throw StoreError(
        .moved, "The store was moved from here to \(to).",
        hint: "Set `store` in the manifest, or KEYPLAN_STORE, to that location. If the store is permanently lost: "
          + "`keyplan store move --undo`")
    }
  }
}
