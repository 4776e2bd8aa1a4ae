import KeyplanYAML

extension YAMLText {
  /// Adds an entry at the end of the mapping at `path`, which is created if it is missing.
  ///
  /// - Parameters:
  ///   - entry: one entry of a mapping in block YAML, beginning in the first column, for example `name: { a: b }` or
  ///     `name:\n  a: b`. In a mapping in brackets it is converted.
  ///   - neighbours: names at the top level; an entry created there is placed after the last of them that exists.
  package mutating func insert(_ entry: String, into path: [String], after neighbours: [String] = [])
    throws(DocumentError)
  {
    let text = try Self.entry(entry)
    guard let root else {
      let block = Self.wrapped(text.lines, in: path[...])
      let range = bytes.count..<bytes.count
      let start = bytes.count > lines.base && !(bytes.last?.isBreak ?? true) ? lines.newline : []
      return try splice(
        [(range, start + written(block, indentation: 0))], toRead: Self.wrapped(text.pair, in: path[...]), at: nil)
    }
    let (place, missing) = follow(path, from: root)
    let isMapping = if case .mapping = place.node.content { true } else { false }
    guard isMapping || missing.isEmpty && isNull(place.node) else {
      throw refusal(place.node, "Entries can only be added to a mapping.")
    }
    try checkWritten(place.nodes)
    let pair =
      missing.first.map { Outline.Pair(key: .string($0), value: Self.wrapped(text.pair, in: missing.dropFirst())) }
      ?? text.pair
    let new = NewEntry(lines: Self.wrapped(text.lines, in: missing), flow: Self.flow(pair))
    let existing = place.node.entries ?? []
    guard !existing.contains(where: { Outline($0.key) == pair.key }) else {
      throw DocumentError(
        .duplicateName, at: YAMLLines.place(place.node.start), "This mapping already contains the name.")
    }
    let isTop = place.nodes.count == 1
    let before =
      isTop && (!missing.isEmpty || path.isEmpty)
      ? existing.lastIndex { entry in neighbours.contains { $0 == entry.key.text } } : nil
    let outline = Outline(root).changed(at: path.dropLast(missing.count)[...]) {
      $0.withEntries { $0.insert(pair, at: before.map { $0 + 1 } ?? $0.count) }
    }
    let splices: [(range: Range<Int>, bytes: [UInt8])]
    if place.node.layout == .flow, isMapping, !existing.isEmpty {
      splices = inserting(new.flow, intoBracketsOf: place.node, after: existing.map(Element.init))
    } else if existing.isEmpty {
      splices = try opening(place, with: new)
    } else {
      splices = inserting(new.lines, after: before ?? existing.count - 1, of: existing, in: place.node)
    }
    try splice(splices, toRead: outline, at: place.node)
  }

  struct NewEntry {
    let lines: [[UInt8]]
    let flow: [UInt8]
  }

  /// Parses an entry that is to be added.
  private static func entry(_ text: String) throws(DocumentError) -> (lines: [[UInt8]], pair: Outline.Pair) {
    guard let node = try? Node.parse(Array(text.utf8)), node.layout == .block, let entries = node.entries,
      entries.count == 1
    else { throw DocumentError(.invalidValue, "The entry to add is not a single mapping entry in block style.") }
    var lines = text.utf8.split(separator: .lineFeed, omittingEmptySubsequences: false).map(Array.init)
    while lines.last?.isEmpty == true { lines.removeLast() }
    return (lines, Outline.Pair(key: Outline(entries[0].key), value: Outline(entries[0].value)))
  }

  private static func wrapped(_ lines: [[UInt8]], in names: ArraySlice<String>) -> [[UInt8]] {
    names.reversed().reduce(lines) { inner, name in
      [YAMLQuotes.write(Array(name.utf8)) + [UInt8(ascii: ":")]]
        + inner.map { $0.isEmpty ? [] : [.space, .space] + $0 }
    }
  }

  private static func wrapped(_ pair: Outline.Pair, in names: ArraySlice<String>) -> Outline {
    names.reversed().reduce(.mapping([pair])) { .mapping([Outline.Pair(key: .string($1), value: $0)]) }
  }

  func written(_ block: [[UInt8]], indentation: Int) -> [UInt8] {
    block.flatMap { $0.isEmpty ? lines.newline : Array(repeating: .space, count: indentation) + $0 + lines.newline }
  }

  /// A pair as it is written in brackets.
  static func flow(_ pair: Outline.Pair) -> [UInt8] {
    flow(pair.key) + Array(": ".utf8) + flow(pair.value)
  }

  static func flow(_ outline: Outline) -> [UInt8] {
    switch outline {
    case .scalar(_, _, isNull: true): Array("null".utf8)
    case .scalar(let text, isString: true, _): YAMLQuotes.write(Array(text.utf8), inFlow: true)
    case .scalar(let text, _, _): Array(text.utf8)
    case .list(let items):
      [UInt8(ascii: "[")] + Array(items.map { flow($0) }.joined(separator: ", ".utf8)) + [UInt8(ascii: "]")]
    case .mapping(let pairs) where pairs.isEmpty: Array("{}".utf8)
    case .mapping(let pairs):
      Array("{ ".utf8) + Array(pairs.map { flow($0) }.joined(separator: ", ".utf8)) + Array(" }".utf8)
    }
  }

  func isNull(_ node: Node) -> Bool {
    if case .scalar(let scalar) = node.content { scalar.resolved == .null } else { false }
  }

  /// Converts an absent value, `null` or `{}` to a mapping, in block style where possible.
  private func opening(
    _ place: Place, with new: NewEntry
  ) throws(DocumentError) -> [(range: Range<Int>, bytes: [UInt8])] {
    let node = place.node
    guard !lines.hasProperties(node), !bytes[node.range].contains(.hash) else {
      throw refusal(node, "An anchor, a tag or a comment is in the place of the new entry.")
    }
    if place.isInFlow {
      let lead: [UInt8] = node.range.isEmpty && !bytes[node.range.lowerBound - 1].isBlank ? [.space] : []
      return [(node.range, lead + Array("{ ".utf8) + new.flow + Array(" }".utf8))]
    }
    guard place.nodes.count > 1 else {
      guard lines.isFirst(node.start.offset) else {
        throw refusal(node, "The beginning of the text is in a form that cannot be edited.")
      }
      let block = written(new.lines, indentation: 0)
      let isLast = lines.end(of: node.end.offset) == node.end.offset
      return [(node.range, isLast ? block : Array(block.dropLast(lines.newline.count)))]
    }
    guard let index = place.entry, let key = place.container.entries?[index].key,
      let colon = lines.colon(after: key, of: node), key.start.line == node.start.line
    else { throw refusal(node, "The value is not on the same line as its name.") }
    let end = lines.end(of: node.end.offset)
    let lead = bytes[end - 1].isBreak ? [] : lines.newline
    let block = written(new.lines, indentation: lines.column(of: key.start.offset) + step)
    return [(colon..<max(colon, node.end.offset), []), (end..<end, lead + block)]
  }

  /// The indentation of the first mapping below the top level.
  var step: Int {
    for entry in root?.entries ?? [] where entry.value.layout == .block && entry.value.entries != nil {
      return max(1, lines.column(of: entry.value.start.offset))
    }
    return 2
  }

  private func inserting(
    _ block: [[UInt8]], after index: Int, of entries: [Entry], in node: Node
  ) -> [(range: Range<Int>, bytes: [UInt8])] {
    let entry = entries[index]
    let indentation = lines.column(of: node.start.offset)
    let isLast = index == entries.count - 1
    let end = lines.endOfComments(
      lines.endOfLast(entry.end), indentedBy: indentation + (isLast ? 0 : 1))
    var written = written(block, indentation: indentation)
    if isSpaced(entries, at: index) { written = lines.newline + written }
    if end > lines.base, !bytes[end - 1].isBreak { written = lines.newline + written }
    return [(end..<end, written)]
  }

  /// Whether the entries around `index` are separated by blank lines.
  private func isSpaced(_ entries: [Entry], at index: Int) -> Bool {
    let pair = index > 0 ? index - 1 : index
    guard entries.count > 1 else { return false }
    var line = lines.endOfLast(entries[pair].end)
    let next = lines.start(of: entries[pair + 1].key.start.offset)
    while line < next {
      if lines.filler(at: line) == .blank { return true }
      line = lines.end(of: line)
    }
    return false
  }

  /// An entry or an item in brackets.
  struct Element {
    let start: Mark
    let end: Int

    init(_ entry: Entry) { (start, end) = (entry.key.start, entry.end) }
    init(_ item: Node) { (start, end) = (item.start, item.end.offset) }
  }

  /// Adds text after the last of the elements in brackets, of which there must be at least one.
  func inserting(
    _ new: [UInt8], intoBracketsOf node: Node, after elements: [Element]
  ) -> [(range: Range<Int>, bytes: [UInt8])] {
    guard let last = elements.last else { return [] }
    let end = last.end
    let close = node.end.offset - 1
    let comma = comma(from: end, to: close)
    let position = comma.map { $0 + 1 } ?? end
    if node.start.line < last.start.line, lines.isFirst(last.start.offset) {
      let lead = Array(bytes[lines.start(of: last.start.offset)..<last.start.offset])
      let line = lines.end(of: position)
      let added = lead + new + (comma == nil ? [] : [UInt8(ascii: ",")])
      let mark: [(range: Range<Int>, bytes: [UInt8])] = comma == nil ? [(end..<end, [UInt8(ascii: ",")])] : []
      if line > close { return mark + [(position..<position, lines.newline + added)] }
      return mark + [(line..<line, added + lines.newline)]
    }
    if comma != nil { return [(position..<position, [.space] + new + [UInt8(ascii: ",")])] }
    var separator = Array(", ".utf8)
    if elements.count > 1 {
      let between = bytes[elements[elements.count - 2].end..<last.start.offset]
      if between.allSatisfy({ $0.isBlank || $0 == UInt8(ascii: ",") }), !between.isEmpty { separator = Array(between) }
    }
    return [(end..<end, separator + new)]
  }

  /// The comma between two positions that are separated by white space and comments.
  func comma(from start: Int, to end: Int) -> Int? {
    var offset = start
    while offset < end {
      if bytes[offset] == UInt8(ascii: ",") { return offset }
      offset = bytes[offset] == .hash ? lines.end(of: offset) : offset + 1
    }
    return nil
  }
}

extension Entry {
  /// The offset after the entry. An absent value can be located before the end of its key.
  var end: Int { max(key.end.offset, value.end.offset) }
}
