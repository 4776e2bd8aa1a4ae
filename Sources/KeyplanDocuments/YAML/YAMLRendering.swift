import KeyplanYAML

extension YAMLDocument {
  package var bytes: [UInt8] {
    var text = Splicing(lines.bytes)
    if let place = tree.values[0].place, isFlowMapping(place.node),
      tree.values[0].children.allSatisfy({ tree.values[$0].place == nil }),
      !tree.present(in: 0).isEmpty
    {
      // `{}` at the top level is replaced by the names; anything after it on its line stays after them.
      let range = place.node.start.offset..<place.node.end.offset
      text.cut(
        lines.end(of: range.upperBound) == lines.bytes.count ? range : range.lowerBound..<afterBreak(range.upperBound))
      add(tree.present(in: 0), indentation: 0, to: &text)
    } else {
      render(0, into: &text)
    }
    return text.finish()
  }

  /// The edited file, parsed again to verify that nothing else has changed.
  ///
  /// - Throws: ``DocumentError/Code/notEditable`` if the result differs from the intended one.
  package func finished() throws(DocumentError) -> [UInt8] {
    let bytes = bytes
    guard bytes != lines.bytes else { return bytes }
    let root: Node?
    do { root = try Node.parse(bytes, allowsForeignTags: true) } catch { throw Self.unlike }
    guard let root else {
      guard tree.present(in: 0).isEmpty else { throw Self.unlike }
      return bytes
    }
    guard reads(root, as: 0) || tree.present(in: 0).isEmpty && Self.value(root) == .other(.null) else {
      throw Self.unlike
    }
    return bytes
  }

  private static var unlike: DocumentError {
    DocumentError(
      .notEditable, "The file's formatting does not allow this edit: the result would have another meaning.")
  }

  private func reads(_ node: Node, as index: Int) -> Bool {
    let value = tree.values[index]
    guard Self.value(node) == value.current else { return false }
    if node.hasForeignTag { return value.place.map { node.equals($0.node) } ?? false }
    let children = tree.present(in: index)
    switch node.content {
    case .scalar(let scalar):
      if value.current == value.original { return true }
      if case .string = scalar.resolved { return true } else { return false }
    case .sequence(let items):
      return items.count == children.count && zip(items, children).allSatisfy { reads($0, as: $1) }
    case .mapping(let entries):
      let named = entries.compactMap { entry -> (name: [UInt8], value: Node)? in
        if case .scalar(let key) = entry.key.content { (Array(key.text.utf8), entry.value) } else { nil }
      }
      return named.count == children.count
        && zip(named, children).allSatisfy { $0.name == tree.values[$1].name && reads($0.value, as: $1) }
    }
  }

  private func render(_ container: Int, into text: inout Splicing) {
    var added: [Int] = []
    for index in tree.values[container].children {
      let value = tree.values[index]
      guard let place = value.place else {
        if value.current != nil { added.append(index) }
        continue
      }
      switch value.current {
      case nil:
        guard let key = place.key else { continue }
        text.cut(lines.start(of: key.start.offset)..<afterBreak(place.node.end.offset))
      case .text(let bytes) where value.current != value.original: replace(place, with: bytes, in: &text)
      case .other(.object) where place.node.origin == .written:
        if isFlowMapping(place.node) { open(index, place, in: &text) } else { renderBlock(index, place, into: &text) }
      default: if place.node.origin == .written { render(index, into: &text) }
      }
    }
    if !added.isEmpty { add(added, to: container, in: &text) }
  }

  private func isFlowMapping(_ node: Node) -> Bool {
    if case .mapping = node.content { node.layout == .flow } else { false }
  }

  /// The end of the line that contains the last byte before `end`.
  private func afterBreak(_ end: Int) -> Int { lines.endOfLast(end) }

  private func replace(_ place: YAMLPlace, with bytes: [UInt8], in text: inout Splicing) {
    let range = place.node.start.offset..<place.node.end.offset
    guard case .scalar(let scalar) = place.node.content else { return }
    if range.isEmpty, let key = place.key, let colon = lines.colon(after: key, of: place.node) {
      text.replace(colon..<colon, with: [.space] + YAMLQuotes.write(bytes))
    } else {
      text.replace(range, with: YAMLQuotes.write(bytes, preferring: YAMLQuotes(scalar.style)))
    }
  }

  /// Renders a mapping in block style. One that becomes empty is written as `{}`.
  private func renderBlock(_ index: Int, _ place: YAMLPlace, into text: inout Splicing) {
    if tree.present(in: index).isEmpty, case .mapping(let entries) = place.node.content,
      entries.count == tree.values[index].children.count(where: { tree.values[$0].place != nil }),
      let key = place.key, let colon = lines.colon(after: key, of: place.node)
    {
      text.replace(colon..<colon, with: " {}".utf8)
    }
    render(index, into: &text)
  }

  /// Replaces `{}` after a key by a mapping in block style.
  private func open(_ index: Int, _ place: YAMLPlace, in text: inout Splicing) {
    let children = tree.present(in: index)
    guard children.contains(where: { tree.values[$0].place == nil }), let key = place.key,
      let colon = lines.colon(after: key, of: place.node)
    else { return }
    text.cut(colon..<place.node.end.offset)
    text.copy(to: lines.end(of: place.node.end.offset))
    add(children, indentation: lines.column(of: key.start.offset) + step, to: &text)
  }

  /// Adds names after the last one of a mapping, and after the comments that belong to it.
  private func add(_ added: [Int], to container: Int, in text: inout Splicing) {
    guard let node = tree.values[container].place?.node else {
      text.copy(to: lines.bytes.count)
      return add(added, indentation: 0, to: &text)
    }
    let indentation = lines.column(of: node.start.offset)
    text.copy(to: lines.endOfComments(afterBreak(node.end.offset), indentedBy: indentation))
    add(added, indentation: indentation, to: &text)
  }

  private func add(_ added: [Int], indentation: Int, to text: inout Splicing) {
    if text.bytes.count > lines.base, let last = text.bytes.last, !last.isBreak { text.write(lines.newline) }
    for index in added {
      let value = tree.values[index]
      text.write(repeatElement(.space, count: indentation))
      text.write(YAMLQuotes.write(value.name) + [UInt8(ascii: ":")])
      let children = tree.present(in: index)
      switch value.current {
      case .text(let bytes): text.write([.space] + YAMLQuotes.write(bytes) + lines.newline)
      case .other where children.isEmpty: text.write(" {}".utf8 + lines.newline)
      default:
        text.write(lines.newline)
        add(children, indentation: indentation + step, to: &text)
      }
    }
  }

  /// The indentation of the first mapping below the top level.
  private var step: Int {
    guard case .mapping(let entries) = tree.values[0].place?.node.content else { return 2 }
    for entry in entries {
      if case .mapping = entry.value.content, entry.value.layout == .block, entry.value.origin == .written {
        return max(1, lines.column(of: entry.value.start.offset))
      }
    }
    return 2
  }
}

extension Node {
  /// Whether both have the same values, whatever they look like.
  fileprivate func equals(_ other: Node) -> Bool {
    guard hasForeignTag == other.hasForeignTag else { return false }
    switch (content, other.content) {
    case (.scalar(let one), .scalar(let other)): return one.resolved == other.resolved
    case (.sequence(let one), .sequence(let other)):
      return one.count == other.count && zip(one, other).allSatisfy { $0.equals($1) }
    case (.mapping(let one), .mapping(let other)):
      return one.count == other.count
        && zip(one, other).allSatisfy { $0.key.equals($1.key) && $0.value.equals($1.value) }
    default: return false
    }
  }
}
