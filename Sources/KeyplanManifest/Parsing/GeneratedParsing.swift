import KeyplanModel
import KeyplanPlanning
import KeyplanYAML

extension ManifestParser {
  /// `{ generate: hex }` or `{ generate: { format: hex, bytes: 32 } }`. Nil for any other source.
  mutating func generated(_ tree: LayeredNode) -> Located<GeneratedValue?>? {
    switch soleSource("generate", in: tree, example: "{ generate: hex }") {
    case nil: return nil
    case .listed(let place): return Located(value: nil, place: place)
    case .alone:
      guard let form = fields(tree, .generated)?["generate"] else { return nil }
      return Located(value: generator(form), place: tree.place)
    }
  }

  private mutating func generator(_ tree: LayeredNode) -> GeneratedValue? {
    guard case .mapping = tree.content else {
      return choice(tree, "generate", of: GeneratedValue.Format.allCases).flatMap { GeneratedValue($0) }
    }
    guard let fields = fields(tree, .generator) else { return nil }
    var format = GeneratedValue.Format.hex
    if let written = fields["format"] {
      guard let chosen = choice(written, "format", of: GeneratedValue.Format.allCases) else { return nil }
      format = chosen
    }
    guard let written = fields["bytes"] else { return GeneratedValue(format) }
    guard format != .uuid else {
      notes.report(
        .conflict, "A UUID has a fixed length.", hint: "Leave out \"bytes\".", at: written.place)
      return nil
    }
    return number(written, "bytes", in: GeneratedValue.allowedBytes).flatMap { GeneratedValue(format, bytes: $0) }
  }
}
