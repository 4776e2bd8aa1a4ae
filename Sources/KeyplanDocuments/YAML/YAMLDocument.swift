import KeyplanYAML

/// A YAML 1.2 file with the core schema, edited in place. A file without a document is treated as an empty mapping.
///
/// A name that begins with `/` is a JSON Pointer (RFC 6901); any other is a literal name at the top level. Keys that
/// are collections cannot be named; duplicate keys of a mapping are rejected, quoted or not.
///
/// A new value keeps the existing quotes if they can represent it. Otherwise it is written plain if every parser of
/// YAML 1.2 and 1.1 reads the same string, else in double quotes. Ambiguous edits are rejected: of values with an
/// anchor, a tag or an alias, of `|` and `>` scalars, and of anything in brackets or below `<<`. A value with a tag outside
/// of the core schema, such as `!vault`, is neither read nor edited; the rest of the file is.
package struct YAMLDocument: EditableDocument {
  var tree: ValueTree<YAMLPlace>
  let lines: YAMLLines
  let isEmpty: Bool

  package init(_ bytes: [UInt8]) throws(DocumentError) {
    let node: Node?
    do { node = try Node.parse(bytes, allowsForeignTags: true) } catch { throw DocumentError(error) }
    lines = YAMLLines(bytes)
    isEmpty = node == nil
    tree = ValueTree(node.map(Self.value) ?? .other(.object), at: node.map { YAMLPlace(key: nil, node: $0) })
    if let node { try enter(node, as: ValueTree<YAMLPlace>.root) }
  }

  /// The names at the top level; empty if it is not a mapping.
  package var names: [String] {
    guard tree.values[0].current == .other(.object) else { return [] }
    return tree.present(in: 0).map { String(decoding: tree.values[$0].name, as: UTF8.self) }
  }

  /// The value at `name`; a string, a number or a boolean is text.
  package func value(at name: String) throws(DocumentError) -> DocumentValue? {
    let names = try JSONPointer(name).names
    if names.isEmpty, isEmpty { return nil }
    let (index, missing) = tree.follow(names[...])
    guard let value = tree.values[index].current else { return nil }
    return missing.isEmpty || value == .other(.tagged) ? value : nil
  }

  static func value(_ node: Node) -> DocumentValue {
    if node.hasForeignTag { return .other(.tagged) }
    return switch node.content {
    case .sequence: .other(.array)
    case .mapping: .other(.object)
    case .scalar(let scalar): scalar.resolved == .null ? .other(.null) : .text(Array(scalar.text.utf8))
    }
  }

  private mutating func enter(_ node: Node, as container: Int) throws(DocumentError) {
    // The content below a tag is for its own program.
    guard !node.hasForeignTag else { return }
    switch node.content {
    case .scalar: break
    case .sequence(let items):
      for (position, item) in items.enumerated() {
        try enter(YAMLPlace(key: nil, node: item), named: Array("\(position)".utf8), in: container)
      }
    case .mapping(let entries):
      for entry in entries {
        guard case .scalar(let key) = entry.key.content else { continue }
        try enter(YAMLPlace(key: entry.key, node: entry.value), named: Array(key.text.utf8), in: container)
      }
    }
  }

  private mutating func enter(_ place: YAMLPlace, named name: [UInt8], in container: Int) throws(DocumentError) {
    guard let inner = tree.add(Self.value(place.node), as: name, in: container, at: place) else {
      throw DocumentError(
        .duplicateName, at: YAMLLines.place((place.key ?? place.node).start), "This name occurs twice in its mapping.")
    }
    try enter(place.node, as: inner)
  }
}

/// The location of a value in the source.
struct YAMLPlace: Sendable {
  /// Nil for an item and for the top-level value.
  let key: Node?
  let node: Node
}
