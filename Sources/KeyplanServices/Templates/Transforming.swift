import KeyplanHTTP
import KeyplanJSON
package import KeyplanSecrets

extension Template.Transform {
  /// The variable with the time at which a request is made, in seconds since 1970. Descriptions cannot name it.
  package static let now = "now"

  /// Applies it to bytes.
  /// - Parameter argument: the value of the variable that the transform names.
  package func apply(_ bytes: UnsafeRawBufferPointer, argument: String?) throws(RequestFault) -> SecretBox {
    switch self {
    case .base64: return SecretBase64.text(of: bytes)
    case .crc32c: return SecretBox(Array(String(CRC32C.checksum(bytes)).utf8))
    // Of a number, not of bytes.
    case .fromNow: throw .noValue(Self.now)
    case .sealedBox:
      guard let key = argument.flatMap({ SecretBase64.bytes(in: $0.utf8) }),
        let sealed = key.withBytes({ SealedBox.seal(bytes, for: Array($0)) })
      else { throw .notAPublicKey }
      return sealed.withUnsafeBytes { SecretBase64.text(of: $0) }
    }
  }
}

/// CRC-32C (Castagnoli; RFC 3720, appendix B.4).
package enum CRC32C {
  package static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    var checksum: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
      checksum ^= UInt32(byte)
      for _ in 0..<8 { checksum = checksum >> 1 ^ (checksum & 1 == 1 ? 0x82F6_3B78 : 0) }
    }
    return ~checksum
  }
}
