import KeyplanSecrets

/// Bech32 (BIP-173) without its limit of 90 characters.
enum Bech32 {
  enum LetterCase { case lower, upper }

  private static let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)
  private static let noDigit: UInt8 = 0xFF
  private static let digits: [UInt8] = {
    var digits = [UInt8](repeating: noDigit, count: 256)
    for (digit, character) in alphabet.enumerated() { digits[Int(character)] = UInt8(digit) }
    return digits
  }()
  private static let separator = UInt8(ascii: "1")
  private static let checksumSize = 6

  /// Decodes the text into memory that is overwritten even if the text turns out to be invalid.
  ///
  /// - Parameter prefix: The human-readable part in lower case. Any other part throws `.otherKind`.
  static func read(_ text: some BidirectionalCollection<UInt8>, prefix: String) throws(KeyFault) -> Secret {
    guard let end = text.lastIndex(of: separator) else { throw .notBech32 }
    guard text[..<end].lazy.map(lowercased).elementsEqual(prefix.utf8) else { throw .otherKind }
    let hasLower = text.contains { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
    let hasUpper = text.contains { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    guard !(hasLower && hasUpper) else { throw .mixedCase }
    let data = text[text.index(after: end)...]
    let payloadCount = data.count - checksumSize
    guard payloadCount >= 0 else { throw .notBech32 }

    return try Secret(count: payloadCount * 5 / 8) { (memory) throws(KeyFault) in
      var checksum = Checksum(prefix: prefix)
      var bits: UInt32 = 0
      var held = 0
      var (read, written) = (0, 0)
      for character in data {
        let digit = digits[Int(lowercased(character))]
        guard digit != noDigit else { throw .character }
        checksum.add(digit)
        read += 1
        guard read <= payloadCount else { continue }
        bits = bits << 5 | UInt32(digit)
        held += 5
        if held >= 8 {
          held -= 8
          memory[written] = UInt8(truncatingIfNeeded: bits >> held)
          written += 1
        }
      }
      guard checksum.isValid else { throw .checksum }
      guard held < 5, bits & (1 << held - 1) == 0 else { throw .length }
    }
  }

  static func text(of bytes: some Collection<UInt8>, prefix: String, case letters: LetterCase) -> [UInt8] {
    var checksum = Checksum(prefix: prefix)
    var text: [UInt8] = []
    text.reserveCapacity(prefix.utf8.count + 1 + (bytes.count * 8 + 4) / 5 + checksumSize)
    func cased(_ character: UInt8) -> UInt8 { letters == .upper ? uppercased(character) : character }
    for character in prefix.utf8 { text.append(cased(character)) }
    text.append(separator)
    var bits: UInt32 = 0
    var held = 0
    func add(_ digit: UInt8) {
      checksum.add(digit)
      text.append(cased(alphabet[Int(digit)]))
    }
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      held += 8
      while held >= 5 {
        held -= 5
        add(UInt8(bits >> held & 31))
      }
    }
    if held > 0 { add(UInt8(bits << (5 - held) & 31)) }
    for digit in checksum.digits { text.append(cased(alphabet[Int(digit)])) }
    return text
  }

  static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }

  static func uppercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? byte & ~0x20 : byte
  }

  /// BIP-173's BCH code over the prefix in lower case and the data.
  private struct Checksum {
    private var state: UInt32 = 1

    init(prefix: String) {
      for character in prefix.utf8 { add(character >> 5) }
      add(0)
      for character in prefix.utf8 { add(character & 31) }
    }

    var isValid: Bool { state == 1 }

    /// The six digits that complete the data added so far.
    var digits: [UInt8] {
      var padded = self
      for _ in 0..<checksumSize { padded.add(0) }
      let rest = padded.state ^ 1
      return (0..<checksumSize).map { UInt8(rest >> (5 * (5 - $0)) & 31) }
    }

    mutating func add(_ digit: UInt8) {
      let top = state >> 25
      state = (state & 0x1FF_FFFF) << 5 ^ UInt32(digit)
      if top & 1 != 0 { state ^= 0x3B6A_57B2 }
      if top & 2 != 0 { state ^= 0x2650_8E6D }
      if top & 4 != 0 { state ^= 0x1EA1_19FA }
      if top & 8 != 0 { state ^= 0x3D42_33DD }
      if top & 16 != 0 { state ^= 0x2A14_62B3 }
    }
  }
}
