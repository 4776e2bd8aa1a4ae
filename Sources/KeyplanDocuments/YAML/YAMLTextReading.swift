import KeyplanYAML

extension YAMLText {
  /// A scalar that is not null.
  package struct Leaf: Sendable, Undisclosed {
    /// The names and indices that lead to it.
    package let path: [String]
    package let text: String
    package let place: DocumentError.Place
  }

  /// The form of a value.
  package enum Form: Equatable, Sendable {
    /// `null`, `~` or absent.
    case nothing
    case text(String)
    /// A list; nil for an item that is not a scalar.
    case list([String?])
    /// A mapping with these names, in brackets or by indentation.
    case mapping([String], inBrackets: Bool)

    /// The names of a mapping; empty for anything else.
    package var names: [String] { if case .mapping(let names, _) = self { names } else { [] } }
  }

  /// All scalars below `path` that are not null, in the order of the text, including those repeated by aliases.
  package func leaves(below path: [String] = []) -> [Leaf] {
    guard let root else { return [] }
    let (place, missing) = follow(path, from: root)
    guard missing.isEmpty else { return [] }
    var leaves: [Leaf] = []
    var path = path
    Self.collect(place.node, &path, into: &leaves)
    return leaves
  }

  private static func collect(_ node: Node, _ path: inout [String], into leaves: inout [Leaf]) {
    switch node.content {
    case .scalar(let scalar):
      guard scalar.resolved != .null else { return }
      leaves.append(Leaf(path: path, text: scalar.text, place: YAMLLines.place(node.start)))
    case .sequence(let items):
      for (index, item) in items.enumerated() {
        path.append(String(index))
        collect(item, &path, into: &leaves)
        path.removeLast()
      }
    case .mapping(let entries):
      for entry in entries {
        guard let name = entry.key.text else { continue }
        path.append(name)
        collect(entry.value, &path, into: &leaves)
        path.removeLast()
      }
    }
  }

  /// The form of the value at `path`; nil if it does not exist.
  package func form(of path: [String]) -> Form? {
    guard let root else { return nil }
    let (place, missing) = follow(path, from: root)
    guard missing.isEmpty else { return nil }
    switch place.node.content {
    case .scalar(let scalar): return scalar.resolved == .null ? .nothing : .text(scalar.text)
    case .sequence(let items): return .list(items.map(\.text))
    case .mapping(let entries):
      return .mapping(entries.compactMap(\.key.text), inBrackets: place.node.layout == .flow)
    }
  }

  /// The position of an entry's name or of an item.
  package func place(of path: [String]) -> DocumentError.Place? {
    guard let root else { return nil }
    let (place, missing) = follow(path, from: root)
    guard missing.isEmpty else { return nil }
    let key = place.entry.flatMap { place.container.entries?[$0].key }
    return YAMLLines.place((key ?? place.node).start)
  }

  /// `text` as it is written within a line: plain if every parser reads it as that string, else in double quotes.
  package static func quoted(_ text: String, inBrackets: Bool = false) -> String {
    String(decoding: YAMLQuotes.write(Array(text.utf8), inFlow: inBrackets), as: UTF8.self)
  }
}
