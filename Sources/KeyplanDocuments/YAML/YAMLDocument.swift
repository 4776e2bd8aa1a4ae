import KeyplanYAML

/// A YAML 1.2 file with the core schema, read and edited in place. A file without a document counts as one without names.
///
/// A name is a JSON Pointer (RFC 6901) if it starts with `/`, and otherwise one name at the top level, as it stands. Keys that
/// are collections cannot be named; keys of one mapping that read the same are refused, quoted or not.
///
/// What is written keeps the quotes that are there if they can hold the value. Otherwise it stands plain where every reader of
/// YAML 1.2 and 1.1 takes it for the same string, and else in double quotes. What an edit would have to guess at is refused:
/// values with an anchor, a tag or an alias, `|` and `>` scalars, and what stands in brackets or below `<<`.
package struct YAMLDocument: EditableDocument {
  var tree: ValueTree<YAMLPlace>
  let lines: YAMLLines
  let isEmpty: Bool

  /// Reads a YAML file.
  package init(_ bytes: [UInt8]) throws(DocumentError) {
    let node: Node?
    do { node = try Node.parse(bytes) } catch { throw DocumentError(error) }
    lines = YAMLLines(bytes)
    isEmpty = node == nil
    tree = ValueTree(node.map(Self.value) ?? .other(.object), at: node.map { YAMLPlace(key: nil, node: $0) })
    if let node { try enter(node, as: ValueTree<YAMLPlace>.root) }
  }

  /// The names at the top level; none where that is no mapping.
  package var names: [String] {
    guard tree.values[0].current == .other(.object) else { return [] }
    return tree.present(in: 0).map { String(decoding: tree.values[$0].name, as: UTF8.self) }
  }

  /// What stands at `name`; a string, a number or a boolean is text.
  package func value(at name: String) throws(DocumentError) -> DocumentValue? {
    let names = try JSONPointer(name).names
    if names.isEmpty, isEmpty { return nil }
    return tree.find(names).flatMap { tree.values[$0].current }
  }

  static func value(_ node: Node) -> DocumentValue {
    switch node.content {
    case .sequence: .other(.array)
    case .mapping: .other(.object)
    case .scalar(let scalar): scalar.resolved == .null ? .other(.null) : .text(Array(scalar.text.utf8))
    }
  }

  private mutating func enter(_ node: Node, as container: Int) throws(DocumentError) {
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

/// Where a value stands.
struct YAMLPlace: Sendable {
  /// Nil for an item, and for what is at the top.
  let key: Node?
  let node: Node
}
