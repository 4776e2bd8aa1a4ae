/// Canonical base64 (RFC 4648, sections 4 and 5): each sequence of bytes has exactly one text.
package enum Base64 {
  package enum Alphabet: Sendable {
    case standard
    /// For addresses and file names.
    case url
  }

  /// Writes the text of bytes that arrive one by one.
  package struct Encoder {
    private let digits: [UInt8]
    private var bits: UInt32 = 0
    private var waiting = 0

    package init(_ alphabet: Alphabet = .standard) {
      digits = alphabet == .url ? Base64.urlDigits : Base64.standardDigits
    }

    package mutating func put(_ byte: UInt8, _ write: (UInt8) -> Void) {
      bits = bits << 8 | UInt32(byte)
      waiting += 8
      while waiting >= 6 {
        waiting -= 6
        write(digits[Int(bits >> waiting & 63)])
      }
    }

    /// Writes the last digit, without padding.
    package mutating func end(_ write: (UInt8) -> Void) {
      if waiting > 0 { write(digits[Int(bits << (6 - waiting) & 63)]) }
      waiting = 0
    }
  }

  /// Reads the bytes of a text that arrives one character at a time, without padding.
  package struct Decoder {
    private var bits: UInt32 = 0
    private var waiting = 0

    package init() {}

    /// False for a character that is not a digit.
    package mutating func put(_ character: UInt8, _ write: (UInt8) -> Void) -> Bool {
      guard let digit = Base64.value(of: character) else { return false }
      bits = bits << 6 | UInt32(digit)
      waiting += 6
      if waiting >= 8 {
        waiting -= 8
        write(UInt8(truncatingIfNeeded: bits >> waiting))
      }
      bits &= 1 << waiting - 1
      return true
    }

    /// Whether the text may end here: it has no single last digit, and no unused bits that are not zero.
    package var isComplete: Bool { waiting < 6 && bits == 0 }
  }

  private static let standardDigits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let urlDigits: [UInt8] = standardDigits.dropLast(2) + Array("-_".utf8)

  private static func value(of character: UInt8) -> UInt8? {
    switch character {
    case 0x41...0x5A: character - 0x41
    case 0x61...0x7A: character - 0x61 + 26
    case 0x30...0x39: character - 0x30 + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }

  /// The length of a text without padding.
  package static func count(of bytes: Int) -> Int { (bytes * 4 + 2) / 3 }

  /// Without padding.
  package static func text(of bytes: [UInt8], _ alphabet: Alphabet = .standard) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var encoder = Encoder(alphabet)
    for byte in bytes { encoder.put(byte) { text.append($0) } }
    encoder.end { text.append($0) }
    return text
  }

  package static func paddedText(of bytes: [UInt8]) -> [UInt8] {
    let text = text(of: bytes)
    return text + [UInt8](repeating: UInt8(ascii: "="), count: (4 - text.count % 4) % 4)
  }

  /// Nil for padding, characters outside the alphabet, a single last digit, and unused bits that are not zero.
  package static func bytes(in text: some Collection<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3 + 2)
    var decoder = Decoder()
    for character in text {
      guard decoder.put(character, { bytes.append($0) }) else { return nil }
    }
    return decoder.isComplete ? bytes : nil
  }

  /// The same for a text padded to a multiple of four characters.
  package static func paddedBytes(in text: some BidirectionalCollection<UInt8>) -> [UInt8]? {
    padding(of: text).flatMap { bytes(in: text.dropLast($0)) }
  }

  /// The number of characters of a padded text that are padding; nil if its length is wrong.
  package static func padding(of text: some BidirectionalCollection<UInt8>) -> Int? {
    guard text.count % 4 == 0 else { return nil }
    return text.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
  }
}
