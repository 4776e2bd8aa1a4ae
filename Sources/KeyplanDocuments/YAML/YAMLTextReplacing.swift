import KeyplanYAML

extension YAMLText {
  /// Renames an entry of a mapping, and replaces each scalar at `references`, which must be the old name, with the new
  /// one.
  package mutating func rename(_ path: [String], to name: String, references: [[String]] = []) throws(DocumentError) {
    let place = try find(path)
    guard let root, let index = place.entry, let entries = place.container.entries, let old = path.last else {
      throw refusal(place.node, "Only an entry of a mapping can be renamed.")
    }
    guard !entries.contains(where: { Outline($0.key) == .string(name) }) else {
      throw DocumentError(
        .duplicateName, at: YAMLLines.place(entries[index].key.start), "This mapping already contains the new name.")
    }
    var outline = Outline(root)
    var splices = [
      try rewriting(entries[index].key, to: name, isInFlow: place.container.layout == .flow || place.isInFlow)
    ]
    var seen: Set<[String]> = []
    for reference in references where seen.insert(reference).inserted {
      let place = try find(reference)
      try checkWritten(place.nodes)
      guard place.node.text == old else { throw refusal(place.node, "This value is not the old name.") }
      splices.append(try rewriting(place.node, to: name, isInFlow: place.isInFlow))
      outline = outline.changed(at: reference[...]) { _ in .string(name) }
    }
    outline = outline.changed(at: path.dropLast()[...]) { $0.withEntries { $0[index].key = .string(name) } }
    try splice(splices, toRead: outline, at: entries[index].key)
  }

  /// Replaces a scalar or a list of scalars. A list keeps its brackets or dashes; unchanged items keep their quotes,
  /// and in block style their comments. A scalar that is replaced by a list is written in brackets.
  package mutating func replace(_ path: [String], with value: Value) throws(DocumentError) {
    let place = try find(path)
    guard let root, Outline(place.node) != Outline(value) else { return }
    try checkWritten(place.nodes)
    guard !lines.hasProperties(place.node) else {
      throw refusal(place.node, "A value with an anchor or a tag cannot be replaced.")
    }
    let outline = Outline(root).changed(at: path[...]) { _ in Outline(value) }
    try splice(try replacing(place, with: value), toRead: outline, at: place.node)
  }

  private func rewriting(
    _ node: Node, to text: String, isInFlow: Bool
  ) throws(DocumentError) -> (range: Range<Int>, bytes: [UInt8]) {
    guard case .scalar(let scalar) = node.content, node.layout == .flow, node.origin == .written,
      !lines.hasProperties(node)
    else { throw refusal(node, "Expected a scalar on one line, without an anchor, an alias or a tag.") }
    return (node.range, YAMLQuotes.write(Array(text.utf8), preferring: YAMLQuotes(scalar.style), inFlow: isInFlow))
  }

  private func replacing(
    _ place: Place, with value: Value
  ) throws(DocumentError) -> [(range: Range<Int>, bytes: [UInt8])] {
    let node = place.node
    switch (node.content, value) {
    case (.mapping, _): throw refusal(node, "A mapping cannot be replaced.")
    case (.scalar(let scalar), .scalar(let text)) where !node.range.isEmpty && node.layout == .flow:
      let written = YAMLQuotes.write(Array(text.utf8), preferring: YAMLQuotes(scalar.style), inFlow: place.isInFlow)
      return [(node.range, written)]
    case (.scalar, _):
      guard node.layout == .flow else {
        throw refusal(node, "A value written with | or > cannot be edited. Write it in quotes instead.")
      }
      return try writing(flow(value, known: [node], isInFlow: place.isInFlow), over: place)
    case (.sequence, .list(let texts)) where node.layout == .block && !texts.isEmpty:
      return try reordering(node, to: texts)
    case (.sequence(let items), .list(let texts)) where node.layout == .flow:
      return [(node.range, try inBrackets(node, items, texts))]
    case (.sequence(let items), _):
      let written = flow(value, known: items, isInFlow: place.isInFlow)
      if node.layout == .flow { return [(node.range, written)] }
      let chunks = try chunks(of: node).chunks
      guard let index = place.entry, let key = place.container.entries?[index].key,
        let colon = lines.colon(after: key, of: node), let first = chunks.first, let last = chunks.last
      else { throw refusal(node, "The list has no name.") }
      return [(colon..<colon, [.space] + written), (first.lowerBound..<last.upperBound, [])]
    }
  }

  private func writing(_ written: [UInt8], over place: Place) throws(DocumentError) -> [(
    range: Range<Int>, bytes: [UInt8]
  )] {
    guard place.node.range.isEmpty else { return [(place.node.range, written)] }
    guard let index = place.entry, let key = place.container.entries?[index].key,
      let colon = lines.colon(after: key, of: place.node)
    else { throw refusal(place.node, "Expected \":\" after this key.") }
    return [(colon..<colon, [.space] + written)]
  }

  /// A value on one line. Texts that occur in `known` keep their quotes.
  private func flow(_ value: Value, known: [Node], isInFlow: Bool) -> [UInt8] {
    switch value {
    case .scalar(let text): item(text, known, isInFlow: isInFlow)
    case .list(let texts):
      [UInt8(ascii: "[")] + Array(texts.map { item($0, known, isInFlow: true) }.joined(separator: ", ".utf8))
        + [UInt8(ascii: "]")]
    }
  }

  private func item(_ text: String, _ known: [Node], isInFlow: Bool) -> [UInt8] {
    for case .scalar(let scalar) in known.map(\.content) where scalar.text == text {
      return YAMLQuotes.write(Array(text.utf8), preferring: YAMLQuotes(scalar.style), inFlow: isInFlow)
    }
    return YAMLQuotes.write(Array(text.utf8), inFlow: isInFlow)
  }

  /// The texts in the brackets of a list, with the existing white space between items.
  private func inBrackets(_ node: Node, _ items: [Node], _ texts: [String]) throws(DocumentError) -> [UInt8] {
    guard let first = items.first, let last = items.last, !texts.isEmpty else {
      return flow(.list(texts), known: [], isInFlow: true)
    }
    let between = zip(items, items.dropFirst()).map { bytes[$0.end.offset..<$1.start.offset] }
    let (head, tail) = (bytes[node.start.offset..<first.start.offset], bytes[last.end.offset..<node.end.offset])
    guard !(between + [head, tail]).contains(where: { $0.contains(.hash) }) else {
      throw refusal(node, "A list with comments in its brackets cannot be edited.")
    }
    var written = Array(head)
    for (index, text) in texts.enumerated() {
      if index > 0 {
        written += index <= between.count ? Array(between[index - 1]) : between.last.map(Array.init) ?? Array(", ".utf8)
      }
      written += item(text, items, isInFlow: true)
    }
    return written + tail
  }

  /// The lines of each item of a list in block style, including comments, and the text before an item on its line.
  private func chunks(of node: Node) throws(DocumentError) -> (chunks: [Range<Int>], lead: [UInt8]) {
    var chunks: [Range<Int>] = []
    var lead: [UInt8] = []
    for item in node.items ?? [] {
      let line = lines.start(of: item.start.offset)
      let before = bytes[line..<item.start.offset]
      guard case .scalar = item.content, item.layout == .flow, item.origin == .written, !item.range.isEmpty,
        !lines.hasProperties(item), before.count(where: { $0 == UInt8(ascii: "-") }) == 1,
        before.allSatisfy({ $0.isBlank || $0 == UInt8(ascii: "-") })
      else { throw refusal(item, "Expected a list of scalars, each after a dash on a line of its own.") }
      if chunks.isEmpty { lead = Array(before) }
      let indentation = before.prefix { $0 == .space }.count
      let end = lines.endOfComments(lines.endOfLast(item.end.offset), indentedBy: indentation + 1)
      chunks.append(lines.startOfComments(above: line, indentedBy: indentation)..<end)
    }
    return (chunks, lead)
  }

  private func reordering(_ node: Node, to texts: [String]) throws(DocumentError) -> [(
    range: Range<Int>, bytes: [UInt8]
  )] {
    let items = node.items ?? []
    let (chunks, lead) = try chunks(of: node)
    guard let first = chunks.first, let last = chunks.last else { return [] }
    var unused = Array(items.indices)
    var written: [UInt8] = []
    for (position, text) in texts.enumerated() {
      if let index = unused.firstIndex(where: { items[$0].text == text }) {
        written += bytes[chunks[unused.remove(at: index)]]
      } else {
        written += lead + YAMLQuotes.write(Array(text.utf8))
      }
      if written.last?.isBreak != true { written += lines.newline }
      // Blank lines between items stay in place.
      if position + 1 < chunks.count, position + 1 < texts.count {
        written += bytes[chunks[position].upperBound..<chunks[position + 1].lowerBound]
      }
    }
    let range = first.lowerBound..<last.upperBound
    if !bytes[last.upperBound - 1].isBreak { written.removeLast(lines.newline.count) }
    return [(range, written)]
  }
}
