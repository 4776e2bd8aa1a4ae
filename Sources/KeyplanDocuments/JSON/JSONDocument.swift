/// A JSON file (RFC 8259), read and edited in place. An empty file counts as an object without names.
///
/// A name is a JSON Pointer (RFC 6901) if it starts with `/`, and otherwise one name at the top level, as it stands.
/// Duplicate names in an object are refused, and so is what many parsers let pass: comments, final commas, lone surrogates.
/// New names go to the end of their object in the style of their siblings.
package struct JSONDocument: EditableDocument {
  private var tree: JSONTree

  /// Reads a JSON file.
  package init(_ bytes: [UInt8]) throws(DocumentError) { tree = try JSONScanner.tree(of: bytes) }

  /// The names at the top level; none where that is no object.
  package var names: [String] { names(in: tree.root) }

  /// The names in the object at `name`; none where there is no object.
  package func names(in name: String) throws(DocumentError) -> [String] {
    names(in: tree.value(at: try JSONPointer(name)))
  }

  private func names(in value: JSONTree.Value?) -> [String] {
    guard case .container(let index) = value, tree.containers[index].isObject else { return [] }
    return tree.containers[index].members.filter { $0.value != nil }
      .map { String(decoding: JSONString.read(tree.source[$0.name]), as: UTF8.self) }
  }

  /// The JSON Pointer that leads through these names.
  package static func pointer(to names: [String]) -> String {
    names.map { name in
      "/"
        + name.split(separator: "~", omittingEmptySubsequences: false).joined(separator: "~0")
        .split(separator: "/", omittingEmptySubsequences: false).joined(separator: "~1")
    }.joined()
  }

  /// The file as it is now.
  package var bytes: [UInt8] { tree.bytes }

  /// What stands at `name`; a string, a number or a boolean is text.
  package func value(at name: String) throws(DocumentError) -> DocumentValue? {
    switch tree.value(at: try JSONPointer(name)) {
    case nil: nil
    case .container(let index): .other(tree.containers[index].isObject ? .object : .array)
    case .scalar(.null, _): .other(.null)
    case .scalar(.string, let written): .text(JSONString.read(tree.source[written]))
    case .scalar(_, let written): .text(Array(tree.source[written]))
    }
  }

  /// Replaces the string or null at `name`, or adds it, with the objects on the way that are missing.
  ///
  /// - Throws: ``DocumentError/Code/notEditable`` where something else stands at `name`, or something that is no object on
  ///   the way; ``DocumentError/Code/invalidValue`` for a value that is not UTF-8.
  package mutating func set(_ name: String, to value: [UInt8]) throws(DocumentError) {
    guard invalidUTF8(in: value) == nil else {
      throw DocumentError(.invalidValue, "The value is not UTF-8.")
    }
    try tree.set(try JSONPointer(name), to: value)
  }

  /// Removes the name, its value and one comma. Objects that become empty stay.
  ///
  /// - Throws: ``DocumentError/Code/notEditable`` where the value is an object or an array, or stands in an array.
  package mutating func remove(_ name: String) throws(DocumentError) {
    try tree.remove(try JSONPointer(name))
  }
}
