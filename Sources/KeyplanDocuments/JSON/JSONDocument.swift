import KeyplanJSON

/// A JSON file (RFC 8259), edited in place. An empty file is treated as an empty object.
///
/// A name that begins with `/` is a JSON Pointer (RFC 6901); any other is a literal name at the top level. Duplicate
/// names in an object are rejected, as are extensions that many parsers tolerate: comments, trailing commas, unpaired surrogates.
/// New names are added at the end of their object in the style of their siblings.
package struct JSONDocument: EditableDocument {
  var tree: JSONTree

  /// Parses a JSON file.
  package init(_ bytes: [UInt8]) throws(DocumentError) { tree = try JSONScanner.tree(of: bytes) }

  /// The names at the top level; empty if it is not an object.
  package var names: [String] { names(in: tree.root) }

  /// The names in the object at `name`; empty if there is no object.
  package func names(in name: String) throws(DocumentError) -> [String] {
    names(in: tree.value(at: try JSONPointer(name)))
  }

  private func names(in value: JSONTree.Value?) -> [String] {
    guard case .container(let index) = value, tree.containers[index].isObject else { return [] }
    return tree.containers[index].members.filter { $0.value != nil }
      .map { String(decoding: JSONString.read(tree.source[$0.name]), as: UTF8.self) }
  }

  /// The names at which the file has text, in its order, without elements of arrays and empty names: a name at the top level as it is, any
  /// other as a JSON Pointer.
  package func texts() throws(DocumentError) -> [String] {
    var found: [String] = []
    var open = names.reversed().map { [$0] }
    while let path = open.popLast() {
      guard !path.contains("") else { continue }
      let isPlain = path.count == 1 && !path[0].utf8.contains(.slash)
      let name = isPlain ? path[0] : Self.pointer(to: path)
      switch try value(at: name) {
      case .text: found.append(name)
      case .other(.object): open += try names(in: name).reversed().map { path + [$0] }
      case .other, nil: continue
      }
    }
    return found
  }

  /// The JSON Pointer to the value with these nested names.
  package static func pointer(to names: [String]) -> String {
    // By bytes: a mark that combines with `~` or `/` makes another character of it.
    var bytes: [UInt8] = []
    for name in names {
      bytes.append(UInt8(ascii: "/"))
      for byte in name.utf8 {
        switch byte {
        case UInt8(ascii: "~"): bytes += "~0".utf8
        case UInt8(ascii: "/"): bytes += "~1".utf8
        default: bytes.append(byte)
        }
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  package var bytes: [UInt8] { tree.bytes }

  /// The value at `name`; a string, a number or a boolean is text.
  package func value(at name: String) throws(DocumentError) -> DocumentValue? {
    switch tree.value(at: try JSONPointer(name)) {
    case nil: nil
    case .container(let index): .other(tree.containers[index].isObject ? .object : .array)
    case .scalar(.null, _): .other(.null)
    case .scalar(.string, let written): .text(JSONString.read(tree.source[written]))
    case .scalar(_, let written): .text(Array(tree.source[written]))
    }
  }

  /// Replaces the string or null at `name`, or adds it together with the missing objects above it.
  ///
  /// - Throws: ``DocumentError/Code/notEditable`` if another kind of value is at `name`, or one of its parents is not
  ///   an object; ``DocumentError/Code/invalidValue`` for a value that is not UTF-8.
  package mutating func set(_ name: String, to value: [UInt8]) throws(DocumentError) {
    guard invalidUTF8(in: value) == nil else {
      throw DocumentError(.invalidValue, "The value is not UTF-8.")
    }
    try tree.set(try JSONPointer(name), to: value)
  }

  /// Removes the name, its value and one comma. Empty objects are kept.
  ///
  /// - Throws: ``DocumentError/Code/notEditable`` if the value is an object or an array, or an element of an array.
  package mutating func remove(_ name: String) throws(DocumentError) {
    try tree.remove(try JSONPointer(name))
  }
}
