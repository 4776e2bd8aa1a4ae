import KeyplanYAML

/// A single value of a document: a string, a number, a boolean or a null.
package struct DocumentLeaf: Sendable, Undisclosed {
  package enum Part: Hashable, Sendable {
    case name(String)
    /// An element of an array, from 0.
    case index(Int)
  }

  /// From the top level.
  package let path: [Part]
  /// The content of a string, or the source text of anything else.
  package let text: [UInt8]
  /// Whether it is written without quotes, so that it can be another kind of value than a string.
  package let isPlain: Bool

  package init(_ path: [Part], _ text: [UInt8], isPlain: Bool) {
    self.path = path
    self.text = text
    self.isPlain = isPlain
  }
}

extension YAMLDocument {
  /// The values in file order, as they were parsed; aliases repeat them.
  ///
  /// - Throws: ``DocumentError/Code/unsupported`` for a name that is not a string.
  package func leaves() throws(DocumentError) -> [DocumentLeaf] {
    var leaves: [DocumentLeaf] = []
    if let root = tree.values[0].place?.node { try Self.collect(root, [], into: &leaves) }
    return leaves
  }

  private static func collect(
    _ node: Node, _ path: [DocumentLeaf.Part], into leaves: inout [DocumentLeaf]
  ) throws(DocumentError) {
    switch node.content {
    case .scalar(let scalar):
      leaves.append(DocumentLeaf(path, Array(scalar.text.utf8), isPlain: scalar.style == .plain))
    case .sequence(let items):
      for (index, item) in items.enumerated() { try collect(item, path + [.index(index)], into: &leaves) }
    case .mapping(let entries):
      for entry in entries {
        guard case .scalar(let key) = entry.key.content, case .string(let name) = key.resolved else {
          throw DocumentError(
            .unsupported, at: YAMLLines.place(entry.key.start), "A name that is not a string is not supported.")
        }
        try collect(entry.value, path + [.name(name)], into: &leaves)
      }
    }
  }

  /// The offset of the line of a name at the top level; nil if it is missing or not the first on its line.
  package func line(of name: String) -> Int? {
    guard let slot = tree.find([Array(name.utf8)]), let key = tree.values[slot].place?.key,
      key.start.offset == lines.start(of: key.start.offset)
    else { return nil }
    return key.start.offset
  }
}

extension JSONDocument {
  /// The values in file order.
  package var leaves: [DocumentLeaf] {
    var leaves: [DocumentLeaf] = []
    if let root = tree.root { collect(root, [], into: &leaves) }
    return leaves
  }

  private func collect(_ value: JSONTree.Value, _ path: [DocumentLeaf.Part], into leaves: inout [DocumentLeaf]) {
    switch value {
    case .scalar(.string, let written):
      leaves.append(DocumentLeaf(path, JSONString.read(tree.source[written]), isPlain: false))
    case .scalar(_, let written): leaves.append(DocumentLeaf(path, Array(tree.source[written]), isPlain: true))
    case .container(let index):
      let container = tree.containers[index]
      for (position, member) in container.members.enumerated() {
        guard let value = member.value else { continue }
        let name = String(decoding: container.isObject ? JSONString.read(tree.source[member.name]) : [], as: UTF8.self)
        collect(value, path + [container.isObject ? .name(name) : .index(position)], into: &leaves)
      }
    }
  }
}
