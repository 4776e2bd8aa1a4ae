package import KeyplanSecrets

/// Base64 with padding (RFC 4648, section 4), written without intermediate copies.
package enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  package static func text(of value: HTTPValue) -> SecretBox { text(of: value.count, value.forEach) }

  package static func text(of bytes: UnsafeRawBufferPointer) -> SecretBox {
    text(of: bytes.count) { sink in for byte in bytes { sink(byte) } }
  }

  private static func text(of count: Int, _ forEach: ((UInt8) -> Void) -> Void) -> SecretBox {
    let text = Secret(count: (count + 2) / 3 * 4) { room in
      var bits: UInt32 = 0
      var held = 0
      var next = 0
      func put(_ byte: UInt8) {
        room[next] = byte
        next += 1
      }
      forEach { byte in
        bits = bits << 8 | UInt32(byte)
        held += 8
        while held >= 6 {
          held -= 6
          put(alphabet[Int(bits >> held & 63)])
        }
      }
      if held > 0 { put(alphabet[Int(bits << (6 - held) & 63)]) }
      while next < room.count { put(UInt8(ascii: "=")) }
    }
    return SecretBox(text)
  }
}
