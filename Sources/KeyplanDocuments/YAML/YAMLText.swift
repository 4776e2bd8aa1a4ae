import KeyplanYAML

/// A YAML text written by people, edited at a path of names: comments, order, quotes, brackets, indentation and line
/// ends stay the same.
///
/// A path is the names of the value and its parents; a decimal index is an item of a list. After each edit the text is
/// parsed again: if it differs from before in more than the intended change, as when aliases repeat the value, the edit
/// is rejected. An edit that throws changes nothing. Such errors are ``DocumentError/Code/notEditable`` with the
/// position of the part that prevents the edit.
package struct YAMLText: Sendable, Undisclosed {
  package private(set) var bytes: [UInt8]
  private(set) var root: Node?
  private(set) var lines: YAMLLines

  package enum Value: Equatable, Sendable {
    case scalar(String)
    case list([String])
  }

  /// Parses a text; an empty one is an empty mapping.
  package init(_ bytes: [UInt8]) throws(DocumentError) {
    self.bytes = bytes
    lines = YAMLLines(bytes)
    do { root = try Node.parse(bytes) } catch { throw DocumentError(error) }
  }

  /// Replaces some ranges, if the resulting text then has the content `outline`.
  mutating func splice(
    _ splices: [(range: Range<Int>, bytes: [UInt8])], toRead outline: Outline?, at place: Node?
  ) throws(DocumentError) {
    var text = Splicing(bytes)
    for splice in splices.sorted(by: {
      ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound)
    }) {
      text.replace(splice.range, with: splice.bytes)
    }
    let after = text.finish()
    let node: Node?
    do { node = try Node.parse(after) } catch { throw unlike(place) }
    guard node.map(Outline.init) == outline else { throw unlike(place) }
    (bytes, root, lines) = (after, node, YAMLLines(after))
  }

  private func unlike(_ node: Node?) -> DocumentError {
    refusal(node, "The formatting here does not allow this edit: it would change other values too.")
  }

  func refusal(_ node: Node?, _ detail: StaticString) -> DocumentError {
    DocumentError(.notEditable, at: (node ?? root).map { YAMLLines.place($0.start) }, detail)
  }

  /// The location of a path's value.
  struct Place {
    /// From the top level down to the value itself.
    var nodes: [Node]
    /// The index of the value's entry, if its container is a mapping.
    var entry: Int?
    var node: Node { nodes[nodes.count - 1] }
    var container: Node { nodes[max(0, nodes.count - 2)] }
    var isInFlow: Bool { nodes.dropLast().contains { $0.layout == .flow } }
  }

  /// Follows `path` as far as it exists: the location, and the names missing below it.
  func follow(_ path: [String], from root: Node) -> (place: Place, missing: ArraySlice<String>) {
    var (place, missing) = (Place(nodes: [root]), path[...])
    while let name = missing.first {
      switch place.node.content {
      case .mapping(let entries):
        guard let index = entries.firstIndex(where: { $0.key.text == name }) else { return (place, missing) }
        place.nodes.append(entries[index].value)
        place.entry = index
      case .sequence(let items):
        guard let index = Int(name), items.indices.contains(index) else { return (place, missing) }
        place.nodes.append(items[index])
        place.entry = nil
      case .scalar: return (place, missing)
      }
      missing.removeFirst()
    }
    return (place, missing)
  }

  func find(_ path: [String]) throws(DocumentError) -> Place {
    guard let root else { throw refusal(nil, "There is no value at this path.") }
    let (place, missing) = follow(path, from: root)
    guard missing.isEmpty else { throw refusal(place.node, "A name of the path is missing here.") }
    return place
  }
}

extension YAMLText {
  /// Throws if a value is repeated by an alias, since it is written elsewhere.
  func checkWritten(_ nodes: some Sequence<Node>) throws(DocumentError) {
    if let alias = nodes.first(where: { $0.origin == .alias }) {
      throw refusal(alias, "This value is an alias of one that is written elsewhere.")
    }
  }
}

extension Node {
  var text: String? { if case .scalar(let scalar) = content { scalar.text } else { nil } }
  var entries: [Entry]? { if case .mapping(let entries) = content { entries } else { nil } }
  var items: [Node]? { if case .sequence(let items) = content { items } else { nil } }
  var range: Range<Int> { start.offset..<end.offset }
}
