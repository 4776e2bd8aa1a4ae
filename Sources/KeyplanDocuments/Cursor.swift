import KeyplanJSON

/// A position in the bytes of a file.
struct Cursor {
  let bytes: [UInt8]
  /// Initially after the byte order mark, if there is one.
  var offset: Int

  init(_ bytes: [UInt8]) throws(DocumentError) {
    guard bytes.count <= DocumentLimit.bytes else {
      throw DocumentError(.tooLarge, "The file is larger than 16 MiB.")
    }
    self.bytes = bytes
    offset = bytes.starts(with: Self.byteOrderMark) ? Self.byteOrderMark.count : 0
    if let fault = invalidUTF8(in: bytes) {
      throw error(.notUTF8, at: fault, "The file is not UTF-8.")
    }
  }

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  var isAtEnd: Bool { offset == bytes.count }

  /// The byte `distance` ahead, or `nil` past the end.
  func peek(_ distance: Int = 0) -> UInt8? {
    offset + distance < bytes.count ? bytes[offset + distance] : nil
  }

  /// Consumes `byte` if it comes next.
  mutating func take(_ byte: UInt8) -> Bool {
    guard peek() == byte else { return false }
    offset += 1
    return true
  }

  /// Consumes `text` if it comes next.
  mutating func take(_ text: StaticString) -> Bool {
    let matches = text.withUTF8Buffer { bytes[offset...].starts(with: $0) }
    if matches { offset += text.utf8CodeUnitCount }
    return matches
  }

  /// Consumes all bytes that match, and returns their range.
  @discardableResult
  mutating func take(while matches: (UInt8) -> Bool) -> Range<Int> {
    let start = offset
    while offset < bytes.count, matches(bytes[offset]) { offset += 1 }
    return start..<offset
  }

  /// An error at `offset`, or at the current position.
  func error(_ code: DocumentError.Code, at offset: Int? = nil, _ detail: StaticString) -> DocumentError {
    DocumentError(code, at: Self.place(of: offset ?? self.offset, in: bytes), detail)
  }

  static func place(of offset: Int, in bytes: [UInt8]) -> DocumentError.Place {
    let before = bytes[..<offset]
    let line = before.lastIndex(of: .lineFeed).map { before[($0 + 1)...] } ?? before
    let mark = line.startIndex == 0 && line.starts(with: byteOrderMark) ? 1 : 0
    return DocumentError.Place(
      line: before.count { $0 == .lineFeed } + 1,
      // Every byte except continuation bytes starts a code point.
      column: line.count { $0 & 0xC0 != 0x80 } - mark + 1)
  }
}
