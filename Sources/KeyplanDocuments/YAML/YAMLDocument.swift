import KeyplanYAML

/// A YAML 1.2 file with the core schema, read only. A file without a document counts as one without names.
///
/// A name is a JSON Pointer (RFC 6901) if it starts with `/`, and otherwise one name at the top level, as it stands. Keys that
/// are collections cannot be named; keys of one mapping that read the same are refused, quoted or not.
public struct YAMLDocument: Document {
  private var index = ChildIndex()
  private let root: DocumentValue?

  /// Reads a YAML file.
  public init(_ bytes: [UInt8]) throws(DocumentError) {
    let node: Node?
    do { node = try Node.parse(bytes) } catch { throw DocumentError(error) }
    root = node.map(Self.value)
    if let node { try enter(node, as: ChildIndex.root) }
  }

  /// What stands at `name`; a string, a number or a boolean is text.
  public func value(at name: String) throws(DocumentError) -> DocumentValue? {
    let names = try JSONPointer(name).names
    return names.isEmpty ? root : index.value(at: names)
  }

  private static func value(_ node: Node) -> DocumentValue {
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
        try enter(item, named: Array("\(position)".utf8), in: container, at: item.start)
      }
    case .mapping(let entries):
      for entry in entries {
        guard case .scalar(let key) = entry.key.content else { continue }
        try enter(entry.value, named: Array(key.text.utf8), in: container, at: entry.key.start)
      }
    }
  }

  private mutating func enter(_ node: Node, named name: [UInt8], in container: Int, at mark: Mark) throws(DocumentError)
  {
    guard let inner = index.add(Self.value(node), as: name, in: container) else {
      throw DocumentError(
        .duplicateName, at: DocumentError.Place(line: mark.line, column: mark.column),
        "This name stands twice in its mapping.")
    }
    try enter(node, as: inner)
  }
}
