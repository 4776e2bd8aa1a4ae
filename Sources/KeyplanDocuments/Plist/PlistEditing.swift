extension PlistDocument {
  /// Replaces the string at `name`, or adds it, with the dictionaries on the way that are missing.
  ///
  /// - Throws: ``DocumentError/Code/notEditable`` where something else stands at `name` or on the way, or a string with comments
  ///   or CDATA sections in it; ``DocumentError/Code/invalidValue`` for a value that XML cannot hold.
  package mutating func set(_ name: String, to value: [UInt8]) throws(DocumentError) {
    try check(value, .invalidValue)
    let names = Self.names(name)
    guard let last = names.last else { return }
    // One level is the dictionary at the top.
    guard names.count <= DocumentLimit.depth else {
      throw DocumentError(.tooDeep, "The name is nested deeper than 64 levels.")
    }
    let (container, missing) = tree.follow(names.dropLast()[...])
    if missing.isEmpty, let slot = tree.slot(of: last, in: container), let place = tree.values[slot].place {
      guard tree.values[slot].current != .text(value) else { return }
      guard place.isEditable else {
        throw refusal(place, "This is no string, or one with a comment or a CDATA section in it.")
      }
      return tree.change(slot, to: .text(value))
    }
    guard tree.values[container].current == .other(.object) else {
      throw refusal(tree.values[container].place, "Keys cannot be added to this value.")
    }
    for name in missing + [last] { try check(name, .invalidName) }
    if missing.isEmpty, let slot = tree.slot(of: last, in: container) {
      guard tree.present(in: slot).isEmpty else {
        throw DocumentError(.notEditable, "This name has a dictionary.")
      }
      tree.change(slot, to: .text(value))
    } else {
      try tree.add(value, at: missing + [last], in: container)
    }
  }

  /// Removes the key, its value and the white space before them. Dictionaries that become empty stay.
  ///
  /// - Throws: ``DocumentError/Code/notEditable`` where the value is a dictionary, an array or data, or stands in an array.
  package mutating func remove(_ name: String) throws(DocumentError) {
    guard let slot = tree.find(Self.names(name)) else { return }
    let place = tree.values[slot].place
    guard case .text = tree.values[slot].current else {
      throw refusal(place, "This name has a dictionary, an array or data, not a text.")
    }
    guard place == nil || place?.key != nil else {
      throw refusal(place, "An element is not taken out of an array: the others would move.")
    }
    tree.change(slot, to: nil)
  }

  /// The file as it is now.
  package var bytes: [UInt8] {
    var text = Splicing(source)
    guard !source.isEmpty else {
      let added = tree.present(in: 0)
      if !added.isEmpty { text.write(Self.empty(around: entries(added, behind: [.lineFeed, .tab], step: [.tab]))) }
      return text.finish()
    }
    render(0, into: &text)
    return text.finish()
  }

  private func refusal(_ place: PlistPlace?, _ detail: StaticString) -> DocumentError {
    guard let place, let cursor = try? Cursor(source) else { return DocumentError(.notEditable, detail) }
    return cursor.error(.notEditable, at: place.element.lowerBound, detail)
  }

  /// XML has no way to write most control characters, and two that are none (section 2.2).
  private func check(_ text: [UInt8], _ code: DocumentError.Code) throws(DocumentError) {
    guard invalidUTF8(in: text) == nil else { throw DocumentError(code, "The text is not UTF-8.") }
    let isWritable = text.allSatisfy { $0 >= 0x20 || $0.isSpace }
    let hasNoncharacter = zip(zip(text, text.dropFirst()), text.dropFirst(2)).contains {
      $0.0 == 0xEF && $0.1 == 0xBF && $1 >= 0xBE
    }
    guard isWritable, !hasNoncharacter else { throw DocumentError(code, "XML cannot hold a character of the text.") }
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
      case nil: text.cut(spaceStart(before: place.key?.lowerBound ?? 0)..<place.element.upperBound)
      case .text(let bytes) where value.current != value.original:
        let written = Self.escape(bytes)
        if place.isEmptyTag {
          text.replace(place.element, with: Array("<string>".utf8) + written + "</string>".utf8)
        } else {
          text.replace(place.content, with: written)
        }
      case .other(.object), .other(.array): render(index, into: &text)
      default: break
      }
    }
    if !added.isEmpty { add(added, to: container, in: &text) }
  }

  private func add(_ added: [Int], to container: Int, in text: inout Splicing) {
    guard let place = tree.values[container].place else { return }
    if place.isEmptyTag {
      let outer = lineStart(before: place.key?.lowerBound ?? place.element.lowerBound)
      text.replace(place.element, with: "<dict>".utf8)
      text.write(entries(added, behind: outer.isEmpty ? [] : outer + step, step: step) + outer + Array("</dict>".utf8))
      return
    }
    let sibling = tree.values[container].children.lazy.compactMap { tree.values[$0].place?.key }.first
    let close = place.content.upperBound
    // Space before the closing tag stays before it; without a sibling, it tells how the container itself is indented.
    let end = spaceStart(before: close)
    let outer = lineStart(before: place.key?.lowerBound ?? place.element.lowerBound)
    let lead = sibling.map { lineStart(before: $0.lowerBound) } ?? (outer.isEmpty ? [] : outer + step)
    text.copy(to: end)
    text.write(entries(added, behind: lead, step: step))
    if sibling == nil, end == close { text.write(outer) }
  }

  /// The white space that ends before `offset`, from its last line end on; nothing where it has none.
  private func lineStart(before offset: Int) -> [UInt8] {
    let space = source[spaceStart(before: offset)..<offset]
    guard let feed = space.lastIndex(of: .lineFeed) else { return [] }
    let hasReturn = feed > space.startIndex && space[feed - 1] == .carriageReturn
    return Array(space[(hasReturn ? feed - 1 : feed)...])
  }

  private func spaceStart(before offset: Int) -> Int {
    var start = offset
    while start > 0, source[start - 1].isSpace { start -= 1 }
    return start
  }

  /// What one level of indentation adds: a tab, or what the first key at the top has more than its dictionary.
  private var step: [UInt8] {
    guard let root = tree.values[0].place,
      let key = tree.values[0].children.lazy.compactMap({ tree.values[$0].place?.key }).first
    else { return [.tab] }
    let (inner, outer) = (lineStart(before: key.lowerBound), lineStart(before: root.element.lowerBound))
    return inner.count > outer.count && inner.starts(with: outer) ? Array(inner[outer.count...]) : [.tab]
  }

  /// - Parameter lead: the line end and indentation before each key and value; nothing for all on one line.
  private func entries(_ added: [Int], behind lead: [UInt8], step: [UInt8]) -> [UInt8] {
    var written: [UInt8] = []
    for index in added {
      let value = tree.values[index]
      written += lead
      written += Array("<key>".utf8) + Self.escape(value.name) + Array("</key>".utf8)
      written += lead
      let children = tree.present(in: index)
      switch value.current {
      case .text(let bytes): written += Array("<string>".utf8) + Self.escape(bytes) + "</string>".utf8
      case _ where children.isEmpty: written += "<dict/>".utf8
      default:
        written += Array("<dict>".utf8) + entries(children, behind: lead.isEmpty ? [] : lead + step, step: step)
        written += lead + Array("</dict>".utf8)
      }
    }
    return written
  }

  /// A carriage return would read as a line feed.
  private static func escape(_ text: [UInt8]) -> [UInt8] {
    var written: [UInt8] = []
    written.reserveCapacity(text.count)
    for byte in text {
      switch byte {
      case UInt8(ascii: "&"): written += "&amp;".utf8
      case UInt8(ascii: "<"): written += "&lt;".utf8
      case UInt8(ascii: ">"): written += "&gt;".utf8
      case .carriageReturn: written += "&#13;".utf8
      default: written.append(byte)
      }
    }
    return written
  }

  /// The header that Apple's tools write.
  private static func empty(around entries: [UInt8]) -> [UInt8] {
    Array(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">
      <dict>
      """.utf8) + entries + Array("\n</dict>\n</plist>\n".utf8)
  }
}
