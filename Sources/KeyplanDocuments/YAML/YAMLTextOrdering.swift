import KeyplanYAML

extension YAMLText {
  /// Sorts the entries of mappings. Comments move with their entry: those on its line, those below it that are indented
  /// further or followed by a blank line, and otherwise those above it. Blank lines stay in place, as do the comments
  /// at the beginning of the file, up to a blank line.
  ///
  /// - Parameter order: the names of the mapping at a path in their order; other names follow in their current order.
  ///   Nil keeps the order.
  package mutating func order(_ order: ([String]) -> [String]?) throws(DocumentError) {
    guard let root else { return }
    // The innermost mappings first, so that what is moved as a whole is already sorted.
    var sorted = self
    for depth in stride(from: Self.depth(of: root), through: 0, by: -1) {
      try sorted.order(at: depth, order)
    }
    self = sorted
  }

  private mutating func order(at depth: Int, _ order: ([String]) -> [String]?) throws(DocumentError) {
    guard let root else { return }
    var splices: [(range: Range<Int>, bytes: [UInt8])] = []
    var moved: Node?
    try visit(root, [], depth) { (node, path) throws(DocumentError) in
      guard node.origin != .alias, let entries = node.entries, let names = order(path),
        let sorted = Self.permutation(of: entries, names)
      else { return }
      moved = moved ?? node
      splices +=
        node.layout == .flow
        ? try permuting(entries, sorted, inBrackets: node) : try permuting(entries, sorted, of: node, isTop: depth == 0)
    }
    guard !splices.isEmpty else { return }
    let outline = Outline(root).ordered([], depth, order)
    do throws(DocumentError) {
      try splice(splices, toRead: outline, at: moved)
    } catch {
      throw refusal(
        Self.shared(in: root) ?? moved,
        "An alias must stay after its anchor, so these entries cannot be reordered.")
    }
  }

  private static func depth(of node: Node) -> Int {
    switch node.content {
    case .scalar: 0
    case .sequence(let items): 1 + (items.map { depth(of: $0) }.max() ?? 0)
    case .mapping(let entries): 1 + (entries.map { depth(of: $0.value) }.max() ?? 0)
    }
  }

  /// The first anchor or alias.
  private static func shared(in node: Node) -> Node? {
    if node.origin != .written { return node }
    switch node.content {
    case .scalar: return nil
    case .sequence(let items): return items.lazy.compactMap { shared(in: $0) }.first
    case .mapping(let entries): return entries.lazy.compactMap { shared(in: $0.value) }.first
    }
  }

  private func visit(
    _ node: Node, _ path: [String], _ depth: Int, _ body: (Node, [String]) throws(DocumentError) -> Void
  ) throws(DocumentError) {
    guard depth > 0 else { return try body(node, path) }
    switch node.content {
    case .scalar: break
    case .sequence(let items):
      for (index, item) in items.enumerated() { try visit(item, path + [String(index)], depth - 1, body) }
    case .mapping(let entries):
      for entry in entries { try visit(entry.value, path + [entry.key.text ?? ""], depth - 1, body) }
    }
  }

  /// The sorted indices of the entries; nil if they are sorted already.
  fileprivate static func permutation(of entries: [Entry], _ names: [String]) -> [Int]? {
    let sorted = Outline.sorted(entries.map(\.key.text), names)
    return sorted.elementsEqual(entries.indices) ? nil : sorted
  }

  private func permuting(
    _ entries: [Entry], _ sorted: [Int], inBrackets node: Node
  ) throws(DocumentError) -> [(range: Range<Int>, bytes: [UInt8])] {
    let ranges = entries.map { $0.key.start.offset..<$0.end }
    let ends = [node.start.offset] + ranges.map(\.upperBound)
    let starts = ranges.map(\.lowerBound) + [node.end.offset]
    for (end, start) in zip(ends, starts) where bytes[end..<max(end, start)].contains(.hash) {
      throw refusal(node, "There are comments in these brackets, so the entries cannot be reordered.")
    }
    return zip(ranges, sorted).map { range, index in (range, Array(bytes[ranges[index]])) }
  }

  /// An entry of a mapping in block style, split into parts that move and parts that stay.
  private struct Chunk {
    /// Blank lines before it, which stay.
    var gap: Range<Int>
    /// Comments above it.
    var lead: Range<Int>
    /// The text before its name on the line, which stays.
    var prefix: Range<Int>
    /// From its name to the end of its last line, including comments below.
    var core: Range<Int>
  }

  private func permuting(
    _ entries: [Entry], _ sorted: [Int], of node: Node, isTop: Bool
  ) throws(DocumentError) -> [(range: Range<Int>, bytes: [UInt8])] {
    let chunks = try chunks(of: entries, isTop: isTop)
    guard let first = chunks.first, let last = chunks.last else { return [] }
    let isIndented = bytes[first.prefix].allSatisfy(\.isBlank)
    guard isIndented || chunks[sorted[0]].lead.isEmpty else {
      throw refusal(node, "A comment would have to be placed before the dash of a list.")
    }
    var written: [UInt8] = []
    for (place, index) in zip(chunks, sorted) {
      written += bytes[place.gap] + bytes[chunks[index].lead] + bytes[place.prefix] + bytes[chunks[index].core]
      if written.last?.isBreak != true { written += lines.newline }
    }
    if bytes[last.core].last?.isBreak != true { written.removeLast(lines.newline.count) }
    return [(first.gap.lowerBound..<last.core.upperBound, written)]
  }

  private func chunks(of entries: [Entry], isTop: Bool) throws(DocumentError) -> [Chunk] {
    var chunks: [Chunk] = []
    for (index, entry) in entries.enumerated() {
      let key = entry.key.start.offset
      let line = lines.start(of: key)
      guard entry.key.origin == .written, index == 0 && !isTop || lines.isFirst(key) else {
        throw refusal(entry.key, "This entry is not the first on its line.")
      }
      let indentation = lines.column(of: entries[0].key.start.offset)
      let end = lines.endOfComments(lines.endOfLast(entry.end), indentedBy: indentation + 1)
      let first =
        isTop
        ? startOfLead(above: line)
        : lines.isFirst(key) ? lines.startOfComments(above: line, indentedBy: indentation) : line
      let above = chunks.last?.core.upperBound ?? first
      // The end of a key in block style (`? - a`) can be after the start of the next entry.
      guard above <= line, let middle = middle(above, line) else {
        throw refusal(entry.key, "The lines above this entry are neither comments nor blank.")
      }
      if !chunks.isEmpty { chunks[chunks.count - 1].core = chunks[chunks.count - 1].core.lowerBound..<middle.tail }
      chunks.append(
        Chunk(
          gap: middle.tail..<middle.gap, lead: middle.gap..<line, prefix: line..<key, core: key..<max(key, end)))
    }
    return chunks
  }

  /// Splits the lines between two entries: up to `tail` they belong to the entry above, then up to `gap` they are
  /// blank.
  private func middle(_ start: Int, _ end: Int) -> (tail: Int, gap: Int)? {
    var blanks: [Range<Int>] = []
    var line = start
    while line < end {
      let next = lines.end(of: line)
      switch lines.filler(at: line) {
      case .blank:
        if let last = blanks.last, last.upperBound == line {
          blanks[blanks.count - 1] = last.lowerBound..<next
        } else {
          blanks.append(line..<next)
        }
      case .comment: break
      case nil: return nil
      }
      line = next
    }
    guard let first = blanks.first else { return (start, start) }
    return (first.lowerBound, first.upperBound)
  }

  /// The start of the comments of the first top-level entry: after the last blank line above it; without one, it has no
  /// comments.
  private func startOfLead(above line: Int) -> Int {
    var start = line
    while let above = lines.start(ofLineAbove: start), let filler = lines.filler(at: above) {
      if filler == .blank { return start }
      start = above
    }
    return line
  }
}

extension Outline {
  /// The sorted indices of names; names that are not in `order` follow in their current order.
  static func sorted(_ names: [String?], _ order: [String]) -> [Int] {
    var ranks: [String: Int] = [:]
    for (rank, name) in order.enumerated() { ranks[name] = rank }
    let own = names.map { $0.flatMap { ranks[$0] } ?? order.count }
    return names.indices.sorted { (own[$0], $0) < (own[$1], $1) }
  }

  /// A copy in which the mappings at a depth are sorted.
  fileprivate func ordered(_ path: [String], _ depth: Int, _ order: ([String]) -> [String]?) -> Outline {
    switch self {
    case .scalar: return self
    case .list(let items):
      guard depth > 0 else { return self }
      return .list(items.enumerated().map { $1.ordered(path + [String($0)], depth - 1, order) })
    case .mapping(let pairs):
      guard depth == 0 else {
        return .mapping(
          pairs.map { Pair(key: $0.key, value: $0.value.ordered(path + [$0.key.text ?? ""], depth - 1, order)) })
      }
      guard let names = order(path) else { return self }
      return .mapping(Self.sorted(pairs.map(\.key.text), names).map { pairs[$0] })
    }
  }
}
