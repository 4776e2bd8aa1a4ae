import KeyplanYAML

extension YAMLText {
  /// Replaces the text of scalars, keeping their quotes.
  ///
  /// - Parameter change: returns the new text of a scalar; nil to keep it.
  package mutating func rewrite(_ change: (Leaf) -> String?) throws(DocumentError) {
    guard let root else { return }
    var splices: [(range: Range<Int>, bytes: [UInt8])] = []
    var path: [String] = []
    var unchangeable: Node?
    func rewritten(_ node: Node, isInFlow: Bool) -> Outline {
      switch node.content {
      case .scalar(let scalar):
        let leaf = Leaf(path: path, text: scalar.text, place: YAMLLines.place(node.start))
        guard scalar.resolved != .null, let text = change(leaf), text != scalar.text else { return Outline(node) }
        guard node.origin != .alias else { return .string(text) }
        guard node.layout == .flow, !lines.hasProperties(node), node.start.line == node.end.line else {
          unchangeable = unchangeable ?? node
          return Outline(node)
        }
        let quotes = YAMLQuotes(scalar.style)
        splices.append((node.range, YAMLQuotes.write(Array(text.utf8), preferring: quotes, inFlow: isInFlow)))
        return .string(text)
      case .sequence(let items):
        return .list(
          items.enumerated().map { index, item in
            path.append(String(index))
            defer { path.removeLast() }
            return rewritten(item, isInFlow: isInFlow || node.layout == .flow)
          })
      case .mapping(let entries):
        return .mapping(
          entries.map { entry in
            path.append(entry.key.text ?? "")
            defer { path.removeLast() }
            let value = rewritten(entry.value, isInFlow: isInFlow || node.layout == .flow)
            return Outline.Pair(key: Outline(entry.key), value: value)
          })
      }
    }
    let outline = rewritten(root, isInFlow: false)
    if let unchangeable {
      throw refusal(unchangeable, "Expected a scalar on one line, without an anchor or a tag.")
    }
    if outline != Outline(root) { try splice(splices, toRead: outline, at: root) }
  }

  /// Removes trailing blanks, blank lines at the beginning and the end, and all but one of consecutive blank lines, and
  /// terminates the last line. The content of multi-line scalars is kept.
  package mutating func tidy() throws(DocumentError) {
    guard let root else { return }
    var kept: [Range<Int>] = []
    Self.collect(root, into: &kept)
    var splices: [(range: Range<Int>, bytes: [UInt8])] = []
    var line = lines.base
    var wasBlank = true
    /// The end of the last line that is not blank.
    var end = lines.base
    var scalar = kept[...]
    while line < bytes.count {
      let next = lines.end(of: line)
      while let first = scalar.first, first.upperBound <= line { scalar.removeFirst() }
      var text = next
      while text > line, bytes[text - 1].isBreak { text -= 1 }
      var content = text
      while content > line, bytes[content - 1].isBlank { content -= 1 }
      if let first = scalar.first, first.lowerBound < next, first.upperBound > content {
        // The line is part of a multi-line scalar.
        wasBlank = false
        end = next
      } else if content == line {
        if wasBlank {
          splices.append((line..<next, []))
        } else if content < text {
          splices.append((content..<text, []))
        }
        wasBlank = true
      } else {
        if content < text { splices.append((content..<text, [])) }
        wasBlank = false
        end = next
      }
      line = next
    }
    splices.removeAll { $0.range.lowerBound >= end }
    let isWhole = end == lines.base || bytes[end - 1].isBreak
    if end < bytes.count || !isWhole { splices.append((end..<bytes.count, isWhole ? [] : lines.newline)) }
    if !splices.isEmpty { try splice(splices, toRead: Outline(root), at: root) }
  }

  /// The scalars that span several lines, in the order of the text.
  private static func collect(_ node: Node, into ranges: inout [Range<Int>]) {
    guard node.origin != .alias else { return }
    switch node.content {
    case .scalar: if node.start.line < node.end.line { ranges.append(node.range) }
    case .sequence(let items): for item in items { collect(item, into: &ranges) }
    case .mapping(let entries):
      for entry in entries {
        collect(entry.key, into: &ranges)
        collect(entry.value, into: &ranges)
      }
    }
  }
}
