import KeyplanModel
import KeyplanPlanning
import KeyplanYAML

extension ManifestParser {
  /// `{ generate: hex }` or `{ generate: { format: hex, bytes: 32 } }`. Nil for any other source.
  mutating func generated(_ tree: LayeredNode) -> Located<GeneratedValue?>? {
    if case .list(let items) = tree.content, let item = items.first(where: Self.isGenerated) {
      notes.report(
        .conflict, "\"generate\" cannot be combined with other sources.",
        hint: "Write it alone: source: { generate: hex }.", at: item.place)
      return Located(value: nil, place: item.place)
    }
    guard Self.isGenerated(tree), let fields = fields(tree, .generated), let form = fields["generate"] else {
      return nil
    }
    return Located(value: generator(form), place: tree.place)
  }

  private static func isGenerated(_ tree: LayeredNode) -> Bool {
    guard case .mapping(let fields) = tree.content else { return false }
    return fields.contains { $0.name == "generate" }
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
