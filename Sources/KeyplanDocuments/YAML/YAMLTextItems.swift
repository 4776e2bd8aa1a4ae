import KeyplanYAML

extension YAMLText {
  /// Adds an item at the end of the list at `path`, which is created if it is missing.
  ///
  /// - Parameters:
  ///   - item: a value on one line, for example `{ a: b }`.
  ///   - neighbours: names at the top level; a list created there is placed after the last of them that exists.
  package mutating func append(_ item: String, to path: [String], after neighbours: [String] = [])
    throws(DocumentError)
  {
    guard let name = path.last, let value = try? Node.parse(Array(item.utf8)), value.start.line == value.end.line,
      !item.utf8.contains(where: \.isBreak)
    else { throw DocumentError(.invalidValue, "The item to add is not a single value on one line.") }
    guard let root, case let (place, missing) = follow(path, from: root), missing.isEmpty else {
      let list = "\(Self.quoted(name)):\n  - \(item)"
      return try insert(list, into: Array(path.dropLast()), after: neighbours)
    }
    let isList = place.node.items != nil
    guard isList || isNull(place.node) else { throw refusal(place.node, "Items can only be added to a list.") }
    try checkWritten(place.nodes)
    let new = Outline(value)
    let outline = Outline(root).changed(at: path[...]) { old in
      if case .list(let items) = old { .list(items + [new]) } else { .list([new]) }
    }
    let items = place.node.items ?? []
    let splices: [(range: Range<Int>, bytes: [UInt8])]
    if items.isEmpty {
      splices = try beginning(place, with: item, new)
    } else if place.node.layout == .flow {
      splices = inserting(Self.flow(new), intoBracketsOf: place.node, after: items.map(Element.init))
    } else {
      splices = inserting(item, after: items[items.count - 1], of: place.node)
    }
    try splice(splices, toRead: outline, at: place.node)
  }

  /// Converts an absent value, `null` or `[]` to a list, in block style where possible.
  private func beginning(
    _ place: Place, with item: String, _ outline: Outline
  ) throws(DocumentError) -> [(range: Range<Int>, bytes: [UInt8])] {
    let node = place.node
    guard !lines.hasProperties(node), !bytes[node.range].contains(.hash) else {
      throw refusal(node, "An anchor, a tag or a comment is in the place of the new item.")
    }
    if place.isInFlow {
      let lead: [UInt8] = node.range.isEmpty && !bytes[node.range.lowerBound - 1].isBlank ? [.space] : []
      return [(node.range, lead + [UInt8(ascii: "[")] + Self.flow(outline) + [UInt8(ascii: "]")])]
    }
    guard let index = place.entry, let key = place.container.entries?[index].key,
      let colon = lines.colon(after: key, of: node), key.start.line == node.start.line
    else { throw refusal(node, "The value is not on the same line as its name.") }
    let end = lines.end(of: node.end.offset)
    let lead = bytes[end - 1].isBreak ? [] : lines.newline
    let block = written([Array("- \(item)".utf8)], indentation: lines.column(of: key.start.offset) + step)
    return [(colon..<max(colon, node.end.offset), []), (end..<end, lead + block)]
  }

  private func inserting(_ item: String, after last: Node, of node: Node) -> [(range: Range<Int>, bytes: [UInt8])] {
    let indentation = lines.column(of: node.start.offset)
    // Without indentation, a comment below may belong to the next section.
    let end = lines.endOfComments(lines.endOfLast(last.end.offset), indentedBy: max(1, indentation))
    let lead = end > lines.base && !bytes[end - 1].isBreak ? lines.newline : []
    return [(end..<end, lead + written([Array("- \(item)".utf8)], indentation: indentation))]
  }

  /// Removes an item of a list, with its comments. A list that becomes empty is written as `[]`.
  package mutating func removeItem(_ path: [String]) throws(DocumentError) {
    let place = try find(path)
    guard let root, let items = place.container.items, let index = path.last.flatMap({ Int($0) }) else {
      throw refusal(place.node, "Only an item of a list can be removed.")
    }
    try checkWritten(place.nodes.dropLast())
    let outline = Outline(root).changed(at: path.dropLast()[...]) { old in
      guard case .list(var items) = old else { return old }
      items.remove(at: index)
      return .list(items)
    }
    let splices: [(range: Range<Int>, bytes: [UInt8])]
    if place.container.layout == .flow {
      splices = try cutting(index, of: items.map(Element.init), fromBracketsOf: place.container)
    } else {
      splices = try cutting(place, isOnly: items.count == 1)
    }
    try splice(splices, toRead: outline, at: place.node)
  }

  /// The lines of an item in block style.
  private func cutting(_ place: Place, isOnly: Bool) throws(DocumentError) -> [(range: Range<Int>, bytes: [UInt8])] {
    let line = lines.start(of: place.node.start.offset)
    let before = bytes[line..<place.node.start.offset]
    guard before.count(where: { $0 == UInt8(ascii: "-") }) == 1,
      before.allSatisfy({ $0.isBlank || $0 == UInt8(ascii: "-") })
    else { throw refusal(place.node, "This item is not on a line of its own after a dash.") }
    let indentation = before.prefix { $0 == .space }.count
    let start = lines.startOfComments(above: line, indentedBy: indentation)
    let end = lines.endOfComments(lines.endOfLast(place.node.end.offset), indentedBy: indentation + 1)
    guard isOnly else { return [(start..<end, [])] }
    guard place.nodes.count > 2, let parent = parent(of: place.container, in: place.nodes[place.nodes.count - 3]),
      let colon = lines.colon(after: parent.key, of: parent.value)
    else { throw refusal(place.node, "This is the only item of a list that has no name.") }
    return [(colon..<colon, Array(" []".utf8)), (start..<end, [])]
  }

  /// Wraps the scalar, or the list in brackets, at `path` in a mapping: `a: b` becomes `a:` with `name: b` below it.
  package mutating func nest(_ path: [String], under name: String) throws(DocumentError) {
    let place = try find(path)
    let node = place.node
    guard let root, node.layout == .flow, node.entries == nil, !node.range.isEmpty, let index = place.entry,
      let key = place.container.entries?[index].key, let colon = lines.colon(after: key, of: node),
      key.start.line == node.start.line
    else { throw refusal(node, "Only a value on the same line as its name can be wrapped in a mapping.") }
    try checkWritten(place.nodes)
    let outline = Outline(root).changed(at: path[...]) { .mapping([Outline.Pair(key: .string(name), value: $0)]) }
    let written = YAMLQuotes.write(Array(name.utf8), inFlow: place.isInFlow) + Array(": ".utf8)
    let splices: [(range: Range<Int>, bytes: [UInt8])]
    if place.isInFlow {
      let start = node.range.lowerBound
      let end = node.range.upperBound
      splices = [(start..<start, Array("{ ".utf8) + written), (end..<end, Array(" }".utf8))]
    } else {
      let indentation = lines.column(of: key.start.offset) + step
      splices = [
        (colon..<node.start.offset, lines.newline + Array(repeating: .space, count: indentation) + written)
      ]
    }
    try splice(splices, toRead: outline, at: node)
  }
}
