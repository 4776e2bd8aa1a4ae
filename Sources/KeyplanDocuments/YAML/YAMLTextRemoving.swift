import KeyplanYAML

extension YAMLText {
  /// Removes an entry of a mapping, with the comment on its line, those indented below it, and those directly above it
  /// with the same indentation. A mapping that becomes empty is written as `{}`.
  package mutating func remove(_ path: [String]) throws(DocumentError) {
    let place = try find(path)
    guard let root, let index = place.entry, let entries = place.container.entries else {
      throw refusal(place.node, "Only an entry of a mapping can be removed.")
    }
    try checkWritten(place.nodes.dropLast())
    let isOnly = entries.count == 1
    var outline: Outline? = Outline(root).changed(at: path.dropLast()[...]) { $0.withEntries { $0.remove(at: index) } }
    if isOnly, place.nodes.count == 2, root.layout == .block { outline = nil }
    let splices: [(range: Range<Int>, bytes: [UInt8])]
    if place.container.layout == .flow {
      splices = try cutting(index, of: entries.map(Element.init), fromBracketsOf: place.container)
    } else {
      splices = try cutting(entries[index], place, isOnly: isOnly)
    }
    try splice(splices, toRead: outline, at: entries[index].key)
  }

  private func cutting(
    _ entry: Entry, _ place: Place, isOnly: Bool
  ) throws(DocumentError) -> [(range: Range<Int>, bytes: [UInt8])] {
    let key = entry.key.start.offset
    guard lines.isFirst(key) else { throw refusal(entry.key, "This entry is not the first on its line.") }
    let indentation = lines.column(of: key)
    var start = lines.startOfComments(above: lines.start(of: key), indentedBy: indentation)
    let end = lines.endOfComments(
      lines.endOfLast(entry.end), indentedBy: indentation + 1)
    // Of the blank lines around it, those above are removed too.
    if end == bytes.count || lines.filler(at: end) == .blank {
      while let above = lines.start(ofLineAbove: start), lines.filler(at: above) == .blank { start = above }
    }
    var splices: [(range: Range<Int>, bytes: [UInt8])] = [(start..<end, [])]
    if isOnly, place.nodes.count > 2 {
      guard let parent = parent(of: place.container, in: place.nodes[place.nodes.count - 3]),
        let colon = lines.colon(after: parent.key, of: parent.value)
      else { throw refusal(entry.key, "This is the only entry of a mapping that has no name.") }
      splices.append((colon..<colon, Array(" {}".utf8)))
    }
    return splices
  }

  func parent(of node: Node, in outer: Node) -> Entry? {
    outer.entries?.first { $0.value.start == node.start && $0.value.end == node.end }
  }

  /// Removes an entry or an item from brackets.
  func cutting(
    _ index: Int, of elements: [Element], fromBracketsOf node: Node
  ) throws(DocumentError) -> [(range: Range<Int>, bytes: [UInt8])] {
    let (start, end) = (elements[index].start, elements[index].end)
    let next = index + 1 < elements.count ? elements[index + 1].start.offset : node.end.offset - 1
    let comma = comma(from: end, to: next)
    let lineEnd = lines.end(of: comma ?? end)
    let standsAlone = lines.isFirst(start.offset) && lineEnd <= next
    if standsAlone, node.start.line < start.line {
      let line = lines.start(of: start.offset)
      let above = lines.startOfComments(above: line, indentedBy: lines.column(of: start.offset))
      var splices: [(range: Range<Int>, bytes: [UInt8])] = [(above..<lineEnd, [])]
      if comma == nil, index > 0, let previous = self.comma(from: elements[index - 1].end, to: start.offset) {
        splices.append((previous..<(previous + 1), []))
      }
      return splices
    }
    let cut: Range<Int>
    if elements.count == 1 {
      cut = (node.start.offset + 1)..<(node.end.offset - 1)
    } else if index > 0 {
      cut = elements[index - 1].end..<end
    } else {
      cut = start.offset..<next
    }
    let gap =
      bytes[cut.lowerBound..<max(cut.lowerBound, min(start.offset, cut.upperBound))]
      + bytes[min(end, cut.upperBound)..<cut.upperBound]
    guard !gap.contains(.hash) else {
      throw DocumentError(
        .notEditable, at: YAMLLines.place(start), "There is a comment beside this entry in brackets.")
    }
    return [(cut, [])]
  }
}

extension YAMLLines {
  /// Nil for the first line.
  func start(ofLineAbove start: Int) -> Int? {
    guard start > base else { return nil }
    let isPair = start - base >= 2 && bytes[start - 2] == .carriageReturn && bytes[start - 1] == .lineFeed
    return self.start(of: start - (isPair ? 2 : 1))
  }
}
