/// Conversion between the content of a JSON string and its source text in quotes.
enum JSONString {
  /// The content of a string that ``JSONScanner`` has accepted.
  static func read(_ written: ArraySlice<UInt8>) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(written.count)
    var rest = written.dropFirst().dropLast()
    while let byte = rest.popFirst() {
      guard byte == .backslash, let escaped = rest.popFirst() else {
        text.append(byte)
        continue
      }
      switch escaped {
      case UInt8(ascii: "b"): text.append(0x08)
      case UInt8(ascii: "t"): text.append(.tab)
      case UInt8(ascii: "n"): text.append(.lineFeed)
      case UInt8(ascii: "f"): text.append(0x0C)
      case UInt8(ascii: "r"): text.append(.carriageReturn)
      case UInt8(ascii: "u"): text += UTF8.encode(codePoint(&rest)) ?? UTF8.encodedReplacementCharacter
      default: text.append(escaped)
      }
    }
    return text
  }

  private static func codePoint(_ rest: inout ArraySlice<UInt8>) -> Unicode.Scalar {
    let high = hexadecimal(rest.prefix(4)) ?? 0
    rest = rest.dropFirst(4)
    if let scalar = Unicode.Scalar(high) { return scalar }
    let low = hexadecimal(rest.dropFirst(2).prefix(4)) ?? 0
    rest = rest.dropFirst(6)
    return Unicode.Scalar(0x10000 + (high & 0x3FF) << 10 + low & 0x3FF) ?? "\u{FFFD}"
  }

  /// The number written as exactly four hexadecimal digits.
  static func hexadecimal(_ digits: ArraySlice<UInt8>) -> UInt32? {
    guard digits.count == 4, digits.allSatisfy(\.isHexadecimalDigit) else { return nil }
    return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
  }

  /// UTF-8 `text` in quotes, with only the required escapes (RFC 8259, section 7).
  static func write(_ text: [UInt8]) -> [UInt8] {
    var written: [UInt8] = [.quote]
    written.reserveCapacity(text.count + 2)
    for byte in text {
      switch byte {
      case .quote, .backslash: written += [.backslash, byte]
      case .lineFeed: written += "\\n".utf8
      case .carriageReturn: written += "\\r".utf8
      case .tab: written += "\\t".utf8
      case 0..<0x20: written += "\\u00\(byte < 0x10 ? "0" : "")\(String(byte, radix: 16))".utf8
      default: written.append(byte)
      }
    }
    return written + [.quote]
  }
}
