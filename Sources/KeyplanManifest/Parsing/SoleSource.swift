import KeyplanModel
import KeyplanPlanning

/// A source of the form `{ WORD: … }`, which cannot be combined with others.
enum SoleSource {
  /// The only source, with its value.
  case alone(LayeredNode)
  /// One of several, which was reported.
  case listed(FileLocation)
}

extension ManifestParser {
  /// Nil for any other source.
  /// - Parameter example: its form, for the hint.
  mutating func soleSource(_ word: String, in tree: LayeredNode, example: String) -> SoleSource? {
    if case .list(let items) = tree.content, let item = items.first(where: { Self.value(of: word, in: $0) != nil }) {
      notes.report(
        .conflict, "\"\(word)\" cannot be combined with other sources.", hint: "Write it alone: source: \(example).",
        at: item.place)
      return .listed(item.place)
    }
    return Self.value(of: word, in: tree).map { .alone($0) }
  }

  private static func value(of word: String, in tree: LayeredNode) -> LayeredNode? {
    guard case .mapping(let fields) = tree.content else { return nil }
    return fields.first { $0.name == word }?.value
  }
}
