import KeyplanJSON

extension PlistDocument {
  /// Replaces the string at `name`, or adds it together with the missing dictionaries above it.
  ///
  /// - Throws: ``DocumentError/Code/notEditable`` if another kind of value is at `name` or above it, or a string that
  ///   contains comments or CDATA sections; ``DocumentError/Code/invalidValue`` for a value that XML cannot represent.
  package mutating func set(_ name: String, to value: [UInt8]) throws(DocumentError) {
    try check(value, .invalidValue)
    let names = try Self.names(name)
    guard let last = names.last else { return }
    // The dictionary at the top level counts as one level.
    guard names.count <= DocumentLimit.depth else {
      throw DocumentError(.tooDeep, "The name is nested deeper than 64 levels.")
    }
    let (container, missing) = tree.follow(names.dropLast()[...])
    if missing.isEmpty, let slot = tree.slot(of: last, in: container), let place = tree.values[slot].place {
      guard tree.values[slot].current != .text(value) else { return }
      guard place.isEditable else {
        throw refusal(place, "The value is not a string, or contains a comment or a CDATA section.")
      }
      return tree.change(slot, to: .text(value))
    }
    guard tree.values[container].current == .other(.object) else {
      throw refusal(tree.values[container].place, "Keys can only be added to a dictionary.")
    }
    for name in missing + [last] { try check(name, .invalidName) }
    if missing.isEmpty, let slot = tree.slot(of: last, in: container) {
      guard tree.present(in: slot).isEmpty else {
        throw DocumentError(.notEditable, "The value is a dictionary, not a string.")
      }
      tree.change(slot, to: .text(value))
    } else {
      try tree.add(value, at: missing + [last], in: container)
    }
  }

  /// Removes the key, its value and the white space before them. Empty dictionaries are kept.
  ///
  /// - Throws: ``DocumentError/Code/notEditable`` if the value is a dictionary, an array or data, or an element of an
  ///   array.
  package mutating func remove(_ name: String) throws(DocumentError) {
    guard let slot = tree.find(try Self.names(name)) else { return }
    let place = tree.values[slot].place
    guard case .text = tree.values[slot].current else {
      throw refusal(place, "The value is a dictionary, an array or data, not text.")
    }
    guard place == nil || place?.key != nil else {
      throw refusal(place, "An element cannot be removed from an array: the others would move.")
    }
    tree.change(slot, to: nil)
  }

  package var bytes: [UInt8] {
    var text = Splicing(source)
    guard !source.isEmpty else {
      let added = tree.present(in: 0)
      if !added.isEmpty { text.write(Self.empty(around: entries(added, after: [.lineFeed, .tab], step: [.tab]))) }
      return text.finish()
    }
    render(0, into: &text)
    return text.finish()
  }

  private func refusal(_ place: PlistPlace?, _ detail: StaticString) -> DocumentError {
    guard let place, let cursor = try? Cursor(source) else { return DocumentError(.notEditable, detail) }
    return cursor.error(.notEditable, at: place.element.lowerBound, detail)
  }

  /// XML cannot represent most control characters, nor U+FFFE and U+FFFF (section 2.2).
  private func check(_ text: [UInt8], _ code: DocumentError.Code) throws(DocumentError) {
    guard invalidUTF8(in: text) == nil else { throw DocumentError(code, "The text is not UTF-8.") }
    let isWritable = text.allSatisfy { $0 >= 0x20 || $0.isSpace }
    let hasNoncharacter = zip(zip(text, text.dropFirst()), text.dropFirst(2)).contains {
      $0.0 == 0xEF && $0.1 == 0xBF && $1 >= 0xBE
    }
    guard isWritable, !hasNoncharacter else {
      throw DocumentError(code, "The text contains a character that XML cannot represent.")
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
      text.write(entries(added, after: outer.isEmpty ? [] : outer + step, step: step) + outer + Array("</dict>".utf8))
      return
    }
    let sibling = tree.values[container].children.lazy.compactMap { tree.values[$0].place?.key }.first
    let close = place.content.upperBound
    // Space before the closing tag is kept there; without a sibling, it shows how the container itself is indented.
    let end = spaceStart(before: close)
    let outer = lineStart(before: place.key?.lowerBound ?? place.element.lowerBound)
    let lead = sibling.map { lineStart(before: $0.lowerBound) } ?? (outer.isEmpty ? [] : outer + step)
    text.copy(to: end)
    text.write(entries(added, after: lead, step: step))
    if sibling == nil, end == close { text.write(outer) }
  }

  /// The white space that ends before `offset`, starting with its last line end; empty if it has none.
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

  /// One level of indentation: the difference between the first key at the top level and its dictionary, or a tab.
  private var step: [UInt8] {
    guard let root = tree.values[0].place,
      let key = tree.values[0].children.lazy.compactMap({ tree.values[$0].place?.key }).first
    else { return [.tab] }
    let (inner, outer) = (lineStart(before: key.lowerBound), lineStart(before: root.element.lowerBound))
    return inner.count > outer.count && inner.starts(with: outer) ? Array(inner[outer.count...]) : [.tab]
  }

  /// - Parameter lead: the line end and indentation before each key and value; empty to write all on one line.
  private func entries(_ added: [Int], after lead: [UInt8], step: [UInt8]) -> [UInt8] {
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
        written += Array("<dict>".utf8) + entries(children, after: lead.isEmpty ? [] : lead + step, step: step)
        written += lead + Array("</dict>".utf8)
      }
    }
    return written
  }

  /// Escapes carriage returns too, which would be read as line feeds.
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

  /// Adds the header that Apple's tools write.
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
