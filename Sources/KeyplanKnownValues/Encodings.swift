internal import KeyplanJSON
internal import KeyplanSecrets

/// Base64 of a text that contains the value at any place.
enum Base64Spelling {
  private static let standard = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let forURLs = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// For each alphabet the whole value with its padding, and the characters that depend on it alone if 0, 1 or 2 bytes
  /// precede it in its group of three.
  static func texts(of bytes: UnsafeRawBufferPointer) -> [SecretBox] {
    [standard, forURLs].flatMap { alphabet in
      var texts = (0..<3).map { encoded(bytes, after: $0, alphabet) }
      if bytes.count % 3 != 0 { texts.insert(padded(bytes, alphabet), at: 0) }
      return texts
    }
  }

  /// - Parameter before: the number of unknown bytes that precede the value in its group.
  private static func encoded(_ bytes: UnsafeRawBufferPointer, after before: Int, _ alphabet: [UInt8]) -> SecretBox {
    var text = SecretWriter()
    let first = (before * 8 + 5) / 6
    let end = (before + bytes.count) * 8 / 6
    for index in first..<max(first, end) { text.append(alphabet[sextet(at: index * 6 - before * 8, in: bytes)]) }
    return text.finished()
  }

  private static func padded(_ bytes: UnsafeRawBufferPointer, _ alphabet: [UInt8]) -> SecretBox {
    var text = SecretWriter()
    let count = (bytes.count * 8 + 5) / 6
    for index in 0..<count { text.append(alphabet[sextet(at: index * 6, in: bytes)]) }
    for _ in 0..<((4 - count % 4) % 4) { text.append(UInt8(ascii: "=")) }
    return text.finished()
  }

  /// The six bits at a bit of the value; bits after its end are zero.
  private static func sextet(at bit: Int, in bytes: UnsafeRawBufferPointer) -> Int {
    let index = bit >> 3
    let next = index + 1 < bytes.count ? bytes[index + 1] : 0
    let pair = Int(bytes[index]) << 8 | Int(next)
    return pair >> (10 - bit & 7) & 63
  }
}

enum HexSpelling {
  private static let small = Array("0123456789abcdef".utf8)
  private static let capital = Array("0123456789ABCDEF".utf8)

  static func texts(of bytes: UnsafeRawBufferPointer) -> [SecretBox] {
    [small, capital].map { digits in
      var text = SecretWriter()
      for byte in bytes {
        text.append(digits[Int(byte >> 4)])
        text.append(digits[Int(byte & 15)])
      }
      return text.finished()
    }
  }

  /// Two digits for one byte.
  static func write(_ byte: UInt8, inCapitals: Bool, to text: inout SecretWriter) {
    let digits = inCapitals ? capital : small
    text.append(digits[Int(byte >> 4)])
    text.append(digits[Int(byte & 15)])
  }
}

/// Texts in which some characters are escaped.
enum EscapedSpelling {
  /// As a part of an address, and as a field of a form, with digits of either case.
  static func urls(of bytes: UnsafeRawBufferPointer) -> [SecretBox] {
    [(true, false), (false, false), (true, true)].map { inCapitals, isForm in
      escaped(bytes) { byte, text in
        if isForm, byte == UInt8(ascii: " ") { return text.append(UInt8(ascii: "+")) }
        guard !isUnreserved(byte) else { return text.append(byte) }
        text.append(UInt8(ascii: "%"))
        HexSpelling.write(byte, inCapitals: inCapitals, to: &text)
      }
    }
  }

  /// As JSON's strings contain it: escaped as little as possible, with escaped slashes, and in ASCII alone.
  static func jsonStrings(of bytes: UnsafeRawBufferPointer) -> [SecretBox] {
    var texts = [false, true].map { escapesSlashes in
      escaped(bytes) { byte, text in
        if byte == UInt8(ascii: "/"), escapesSlashes { text.append(UInt8(ascii: "\\")) }
        writeJSON(byte, to: &text)
      }
    }
    if bytes.contains(where: { $0 >= 0x80 }), let text = asciiJSON(bytes) { texts.append(text) }
    return texts
  }

  /// In single quotes, and with a backslash before each special character, as `set -x` and `printf %q` show it.
  static func shellWords(of bytes: UnsafeRawBufferPointer) -> [SecretBox] {
    let quoted = escaped(bytes) { byte, text in
      if byte == UInt8(ascii: "'") { text.append("'\\'") }
      text.append(byte)
    }
    let special = Array(" \t!\"#$&'()*,;<>?[\\]^`{|}~".utf8)
    let withBackslashes = escaped(bytes) { byte, text in
      if special.contains(byte) { text.append(UInt8(ascii: "\\")) }
      text.append(byte)
    }
    let inDoubleQuotes = escaped(bytes) { byte, text in
      if "\"$\\`".utf8.contains(byte) { text.append(UInt8(ascii: "\\")) }
      text.append(byte)
    }
    return [quoted, withBackslashes, inDoubleQuotes]
  }

  private static func escaped(
    _ bytes: UnsafeRawBufferPointer, _ write: (UInt8, inout SecretWriter) -> Void
  ) -> SecretBox {
    var text = SecretWriter()
    for byte in bytes { write(byte, &text) }
    return text.finished()
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: "-._~".utf8.contains(byte)
    }
  }

  private static func writeJSON(_ byte: UInt8, to text: inout SecretWriter) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"):
      text.append(UInt8(ascii: "\\"))
      text.append(byte)
    case UInt8(ascii: "\n"): text.append("\\n")
    case UInt8(ascii: "\r"): text.append("\\r")
    case UInt8(ascii: "\t"): text.append("\\t")
    case 0x08: text.append("\\b")
    case 0x0C: text.append("\\f")
    case 0..<0x20: writeUnit(UInt16(byte), to: &text)
    default: text.append(byte)
    }
  }

  private static func writeUnit(_ unit: UInt16, to text: inout SecretWriter) {
    text.append("\\u")
    HexSpelling.write(UInt8(unit >> 8), inCapitals: false, to: &text)
    HexSpelling.write(UInt8(truncatingIfNeeded: unit), inCapitals: false, to: &text)
  }

  /// Nil if it is not UTF-8.
  private static func asciiJSON(_ bytes: UnsafeRawBufferPointer) -> SecretBox? {
    guard invalidUTF8(in: bytes) == nil else { return nil }
    var text = SecretWriter()
    var decoder = UTF8()
    var iterator = bytes.makeIterator()
    while case .scalarValue(let scalar) = decoder.decode(&iterator) {
      if scalar.isASCII {
        writeJSON(UInt8(truncatingIfNeeded: scalar.value), to: &text)
      } else {
        for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter { writeUnit(unit, to: &text) }
      }
    }
    return text.finished()
  }
}
