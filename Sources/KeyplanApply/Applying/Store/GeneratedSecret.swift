internal import KeyplanModel
internal import KeyplanSecrets

extension GeneratedValue {
  /// A new value of this form. Its bytes exist nowhere else.
  /// - Parameter random: the system's generator; a predictable one only in tests.
  func makeSecret(from random: inout some RandomNumberGenerator) -> SecretBox {
    let bytes = Secret(count: bytes ?? Self.bytesOfUUID) { room in
      for index in room.indices { room[index] = .random(in: .min ... .max, using: &random) }
      if format == .uuid { Self.markUUID(room) }
    }
    return bytes.withBytes { bytes in
      switch format {
      case .hex: SecretBox(Secret(count: bytes.count * 2) { Self.writeHex(bytes, to: $0) })
      case .base64url: SecretBox(Secret(count: (bytes.count * 4 + 2) / 3) { Self.writeBase64URL(bytes, to: $0) })
      case .uuid: SecretBox(Secret(count: Self.charactersOfUUID) { Self.writeUUID(bytes, to: $0) })
      }
    }
  }

  private static let bytesOfUUID = 16
  private static let charactersOfUUID = 36

  /// Version 4 and the variant, RFC 9562, section 5.4.
  private static func markUUID(_ bytes: UnsafeMutableRawBufferPointer) {
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
  }

  private static func writeHex(_ bytes: UnsafeRawBufferPointer, to room: UnsafeMutableRawBufferPointer) {
    for (index, byte) in bytes.enumerated() {
      room[index * 2] = digit(byte >> 4)
      room[index * 2 + 1] = digit(byte & 15)
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? value + 0x30 : value + 0x57 }

  private static func writeUUID(_ bytes: UnsafeRawBufferPointer, to room: UnsafeMutableRawBufferPointer) {
    var next = 0
    for (index, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(index) {
        room[next] = UInt8(ascii: "-")
        next += 1
      }
      room[next] = digit(byte >> 4)
      room[next + 1] = digit(byte & 15)
      next += 2
    }
  }

  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  private static func writeBase64URL(_ bytes: UnsafeRawBufferPointer, to room: UnsafeMutableRawBufferPointer) {
    var (bits, held, next): (UInt32, Int, Int) = (0, 0, 0)
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      held += 8
      while held >= 6 {
        held -= 6
        room[next] = alphabet[Int(bits >> UInt32(held) & 63)]
        next += 1
      }
    }
    if held > 0 { room[next] = alphabet[Int(bits << UInt32(6 - held) & 63)] }
  }
}
