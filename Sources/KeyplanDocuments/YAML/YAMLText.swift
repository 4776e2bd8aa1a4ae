import KeyplanYAML

/// A YAML text that people wrote, edited where a path of names leads: comments, order, quotes, brackets, indentation and line
/// ends stay as they are.
///
/// A path is the names on the way; a decimal index stands for an item of a list. After each edit the text is read again: where
/// it would not differ from before in what was meant alone, as when aliases repeat the place, the edit is refused. An edit that
/// throws has changed nothing. Refusals are ``DocumentError/Code/notEditable`` with the place that is in the way.
package struct YAMLText: Sendable, Undisclosed {
  /// The text as it is now.
  package private(set) var bytes: [UInt8]
  private(set) var root: Node?
  private(set) var lines: YAMLLines

  /// What a value is replaced with.
  package enum Value: Equatable, Sendable {
    /// A string.
    case scalar(String)
    /// Strings.
    case list([String])
  }

  /// Reads a text; an empty one is a mapping without entries.
  package init(_ bytes: [UInt8]) throws(DocumentError) {
    self.bytes = bytes
    lines = YAMLLines(bytes)
    do { root = try Node.parse(bytes) } catch { throw DocumentError(error) }
  }

  /// Puts other bytes in some places, if the text then reads as `outline`.
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
    refusal(node, "This edit would change more than it is meant to, because of how the text is written here.")
  }

  func refusal(_ node: Node?, _ detail: StaticString) -> DocumentError {
    DocumentError(.notEditable, at: (node ?? root).map { YAMLLines.place($0.start) }, detail)
  }

  /// Where a path leads.
  struct Place {
    /// From the top down, the value itself last.
    var nodes: [Node]
    /// The entry of the value in the mapping around it, if that is what it stands in.
    var entry: Int?
    var node: Node { nodes[nodes.count - 1] }
    var container: Node { nodes[max(0, nodes.count - 2)] }
    var isInFlow: Bool { nodes.dropLast().contains { $0.layout == .flow } }
  }

  /// As far as `path` goes: the place, and the names behind it that are not there.
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

  /// The place that `path` leads to.
  func find(_ path: [String]) throws(DocumentError) -> Place {
    guard let root else { throw refusal(nil, "There is nothing at this path.") }
    let (place, missing) = follow(path, from: root)
    guard missing.isEmpty else { throw refusal(place.node, "Something that the path names is not in here.") }
    return place
  }
}

extension YAMLText {
  /// What is read through an alias is written elsewhere.
  func checkWritten(_ nodes: some Sequence<Node>) throws(DocumentError) {
    if let alias = nodes.first(where: { $0.origin == .alias }) {
      throw refusal(alias, "An alias repeats here what is written elsewhere.")
    }
  }
}

extension Node {
  /// A scalar's text.
  var text: String? { if case .scalar(let scalar) = content { scalar.text } else { nil } }
  var entries: [Entry]? { if case .mapping(let entries) = content { entries } else { nil } }
  var items: [Node]? { if case .sequence(let items) = content { items } else { nil } }
  var range: Range<Int> { start.offset..<end.offset }
}
