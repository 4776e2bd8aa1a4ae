import KeyplanHTTP
import KeyplanSecrets

extension Template.Transform {
  /// Applies it to bytes.
  /// - Parameter argument: the value of the variable that the transform names.
  func apply(_ bytes: UnsafeRawBufferPointer, argument: String?) throws(RequestFault) -> SecretBox {
    switch self {
    case .base64: return Base64.text(of: bytes)
    case .crc32c: return SecretBox(Array(String(CRC32C.checksum(bytes)).utf8))
    case .sealedBox:
      guard let key = argument.flatMap({ Base64Text.decode($0.utf8) }),
        let sealed = key.withBytes({ SealedBox.seal(bytes, for: Array($0)) })
      else { throw .notAPublicKey }
      return sealed.withUnsafeBytes { Base64.text(of: $0) }
    }
  }
}

/// CRC-32C (Castagnoli; RFC 3720, appendix B.4).
enum CRC32C {
  static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    var checksum: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
      checksum ^= UInt32(byte)
      for _ in 0..<8 { checksum = checksum >> 1 ^ (checksum & 1 == 1 ? 0x82F6_3B78 : 0) }
    }
    return ~checksum
  }
}

/// Reads Base64 with padding (RFC 4648, section 4) without copies of secrets.
enum Base64Text {
  /// Nil for anything but canonical Base64 with padding and without line breaks.
  static func decode(_ text: some BidirectionalCollection<UInt8>) -> SecretBox? {
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
