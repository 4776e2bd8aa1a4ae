package import KeyplanSecrets

/// Reads Base64 with padding (RFC 4648, section 4) without copies of secrets.
package enum Base64Text {
  /// Nil for anything but canonical Base64 with padding and without line breaks.
  package static func decode(_ text: some BidirectionalCollection<UInt8>) -> SecretBox? {
    guard text.count % 4 == 0 else { return nil }
    let padding = text.suffix(2).count { $0 == UInt8(ascii: "=") }
    if padding == 2, text.last != UInt8(ascii: "=") { return nil }
    var isValid = true
    let secret = Secret(count: text.count / 4 * 3 - padding) { room in
      var bits: UInt32 = 0
      var held: UInt32 = 0
      var next = 0
      for byte in text.dropLast(padding) {
        guard let digit = digit(byte) else {
          isValid = false
          return
        }
        bits = bits << 6 | UInt32(digit)
        held += 6
        if held >= 8, next < room.count {
          held -= 8
          room[next] = UInt8(truncatingIfNeeded: bits >> held)
          next += 1
        }
        bits &= 1 << held - 1
      }
      isValid = bits == 0
    }
    return isValid ? SecretBox(secret) : nil
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x41...0x5A: byte - 0x41
    case 0x61...0x7A: byte - 0x61 + 26
    case 0x30...0x39: byte - 0x30 + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
