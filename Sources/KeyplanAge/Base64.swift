/// Canonical base64 (RFC 4648, section 4): each sequence of bytes has exactly one text.
enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let noDigit: UInt8 = 0xFF
  private static let digits: [UInt8] = {
    var digits = [UInt8](repeating: noDigit, count: 256)
    for (digit, character) in alphabet.enumerated() { digits[Int(character)] = UInt8(digit) }
    return digits
  }()

  /// Without padding.
  static func text(of bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var bits: UInt32 = 0
    var held = 0
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      held += 8
      while held >= 6 {
        held -= 6
        text.append(alphabet[Int(bits >> held & 63)])
      }
    }
    if held > 0 { text.append(alphabet[Int(bits << (6 - held) & 63)]) }
    return text
  }

  static func paddedText(of bytes: [UInt8]) -> [UInt8] {
    let text = text(of: bytes)
    return text + [UInt8](repeating: UInt8(ascii: "="), count: (4 - text.count % 4) % 4)
  }

  /// Nil for padding, characters outside the alphabet, a single last digit, and unused bits that are not zero.
  static func bytes(in text: ArraySlice<UInt8>) -> [UInt8]? {
    guard text.count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3 + 2)
    var bits: UInt32 = 0
    var held = 0
    for character in text {
      let digit = digits[Int(character)]
      guard digit != noDigit else { return nil }
      bits = bits << 6 | UInt32(digit)
      held += 6
      if held >= 8 {
        held -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> held))
      }
    }
    guard bits & (1 << held - 1) == 0 else { return nil }
    return bytes
  }

  /// The same for a text padded to a multiple of four characters.
  static func paddedBytes(in text: ArraySlice<UInt8>) -> [UInt8]? {
    guard text.count % 4 == 0 else { return nil }
    let padding = text.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
    return bytes(in: text.dropLast(padding))
  }
}
