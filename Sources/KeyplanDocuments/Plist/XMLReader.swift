/// The subset of XML 1.0 that property lists use: elements without attributes, text, comments, CDATA sections, and the
/// predefined references.
struct XMLReader {
  enum Tag: Equatable {
    case open(String), empty(String), close(String)
  }

  private var cursor: Cursor
  /// The offset of the last tag.
  private(set) var tagStart = 0
  /// Whether the last text contained a comment or a CDATA section.
  private(set) var hasMarkup = false

  init(_ bytes: [UInt8]) throws(DocumentError) {
    cursor = try Cursor(bytes)
    // XML cannot represent these (section 2.2).
    if let fault = bytes.firstIndex(where: { $0 < 0x20 && !$0.isSpace }) {
      throw cursor.error(.malformed, at: fault, "This control character is not allowed in XML.")
    }
  }

  var offset: Int { cursor.offset }

  func error(_ code: DocumentError.Code, at offset: Int? = nil, _ detail: StaticString) -> DocumentError {
    cursor.error(code, at: offset, detail)
  }

  /// Skips everything before the first element.
  mutating func prologue() throws(DocumentError) {
    let start = cursor.offset
    if cursor.take("<?xml") {
      let declaration = cursor.bytes[start..<cursor.offset + (try skip(past: "?>"))]
      guard try isUTF8(declaration) else {
        throw cursor.error(
          .unsupported, at: start, "The file declares an encoding other than UTF-8, which is not supported.")
      }
    }
    try skipBetween()
    if cursor.take("<!DOCTYPE") { try skipDocumentType() }
  }

  /// The next tag after white space and comments.
  mutating func tag(attributes: Bool = false) throws(DocumentError) -> Tag {
    try skipBetween()
    tagStart = cursor.offset
    guard cursor.take(UInt8(ascii: "<")) else { throw cursor.error(.malformed, "Expected a tag.") }
    let closes = cursor.take(.slash)
    let name = String(decoding: cursor.bytes[cursor.take(while: \.isLetter)], as: UTF8.self)
    if attributes, !closes { cursor.take { $0 != UInt8(ascii: ">") && $0 != .slash && $0 != UInt8(ascii: "<") } }
    cursor.take(while: \.isSpace)
    let isEmpty = !closes && cursor.take(.slash)
    guard !name.isEmpty, cursor.take(UInt8(ascii: ">")) else {
      throw cursor.error(.malformed, "Not a property-list element.")
    }
    return closes ? .close(name) : isEmpty ? .empty(name) : .open(name)
  }

  /// The text up to the next tag.
  mutating func text() throws(DocumentError) -> [UInt8] {
    var text: [UInt8] = []
    hasMarkup = false
    while let byte = cursor.peek() {
      switch byte {
      case UInt8(ascii: "<"):
        if cursor.take("<![CDATA[") {
          hasMarkup = true
          let start = cursor.offset
          try append(start..<start + skip(past: "]]>") - 3, to: &text)
        } else if cursor.take("<!--") {
          hasMarkup = true
          _ = try skip(past: "-->")
        } else {
          return text
        }
      case UInt8(ascii: "&"): text += try reference()
      default: append(cursor.take { $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: "&") }, to: &text)
      }
    }
    throw cursor.error(.malformed, "The file ends inside an element.")
  }

  /// Checks that only white space and comments remain.
  mutating func end() throws(DocumentError) {
    try skipBetween()
    guard cursor.isAtEnd else { throw cursor.error(.malformed, "Expected the end of the file after </plist>.") }
  }

  /// Converts every line end to a line feed (section 2.11).
  private func append(_ range: Range<Int>, to text: inout [UInt8]) {
    for offset in range {
      switch cursor.bytes[offset] {
      case .carriageReturn:
        if offset + 1 == cursor.bytes.count || cursor.bytes[offset + 1] != .lineFeed { text.append(.lineFeed) }
      case let byte: text.append(byte)
      }
    }
  }

  private mutating func skipBetween() throws(DocumentError) {
    repeat { cursor.take(while: \.isSpace) } while try skipComment()
  }

  private mutating func skipComment() throws(DocumentError) -> Bool {
    guard cursor.take("<!--") else { return false }
    _ = try skip(past: "-->")
    return true
  }

  /// Skips to after the next `end`, and returns the number of skipped bytes.
  private mutating func skip(past end: StaticString) throws(DocumentError) -> Int {
    let start = cursor.offset
    while !cursor.isAtEnd {
      if cursor.take(end) { return cursor.offset - start }
      cursor.offset += 1
    }
    throw cursor.error(
      .malformed, at: start, "The comment or declaration that starts before this position is not terminated.")
  }

  /// A document type may refer to Apple's DTD. Internal declarations are rejected, since entities can expand without
  /// bound.
  private mutating func skipDocumentType() throws(DocumentError) {
    var quote: UInt8?
    while let byte = cursor.peek() {
      if quote == nil, byte == UInt8(ascii: "[") {
        throw cursor.error(.unsupported, "Declarations inside a document type are not supported.")
      }
      cursor.offset += 1
      if quote == byte {
        quote = nil
      } else if quote == nil, byte == .quote || byte == .apostrophe {
        quote = byte
      } else if quote == nil, byte == UInt8(ascii: ">") {
        return
      }
    }
    throw cursor.error(.malformed, "The document type is not terminated.")
  }

  private func isUTF8(_ declaration: ArraySlice<UInt8>) throws(DocumentError) -> Bool {
    let words = declaration.split { $0.isSpace || "=\"'?".utf8.contains($0) }
      .map { String(decoding: $0, as: UTF8.self).lowercased() }
    guard let encoding = words.firstIndex(of: "encoding"), encoding + 1 < words.count else { return true }
    return ["utf-8", "us-ascii"].contains(words[encoding + 1])
  }

  private mutating func reference() throws(DocumentError) -> [UInt8] {
    let start = cursor.offset
    cursor.offset += 1
    let name = cursor.bytes[cursor.take { $0.isLetter || $0.isDigit || $0 == .hash }]
    guard name.count <= 10, cursor.take(UInt8(ascii: ";")) else {
      throw cursor.error(.malformed, at: start, "Write &amp; for an ampersand in text.")
    }
    let scalar: Unicode.Scalar? =
      switch String(decoding: name, as: UTF8.self) {
      case "amp": "&"
      case "lt": "<"
      case "gt": ">"
      case "quot": "\""
      case "apos": "'"
      case let number where number.hasPrefix("#x"): UInt32(number.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
      case let number where number.hasPrefix("#"): UInt32(number.dropFirst()).flatMap(Unicode.Scalar.init)
      default: nil
      }
    guard let scalar, scalar.value >= 0x20 || [0x9, 0xA, 0xD].contains(scalar.value), scalar.value & 0xFFFE != 0xFFFE
    else {
      throw cursor.error(.malformed, at: start, "Invalid character or entity reference.")
    }
    return Array(String(scalar).utf8)
  }
}
