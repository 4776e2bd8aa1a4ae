package import KeyplanSecrets

/// Base64 with the URL alphabet, without padding (RFC 4648, section 5).
package enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  static func count(of bytes: Int) -> Int { (bytes * 4 + 2) / 3 }

  /// Writes exactly `count(of:)` bytes.
  static func write(_ bytes: UnsafeRawBufferPointer, to room: UnsafeMutableRawBufferPointer) {
    var bits: UInt32 = 0
    var held = 0
    var next = 0
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      held += 8
      while held >= 6 {
        held -= 6
        room[next] = alphabet[Int(bits >> held & 63)]
        next += 1
      }
    }
    if held > 0 { room[next] = alphabet[Int(bits << (6 - held) & 63)] }
  }

  package static func text(of bytes: some Sequence<UInt8>) -> String {
    let bytes = Array(bytes)
    var text = [UInt8](repeating: 0, count: count(of: bytes.count))
    bytes.withUnsafeBytes { bytes in text.withUnsafeMutableBytes { write(bytes, to: $0) } }
    return String(decoding: text, as: UTF8.self)
  }

  /// The text of random bytes.
  package static func random(_ count: Int) -> SecretBox {
    let bytes = Secret(count: count) { room in
      var generator = SystemRandomNumberGenerator()
      for index in room.indices { room[index] = .random(in: .min ... .max, using: &generator) }
    }
    return bytes.withBytes { bytes in
      SecretBox(Secret(count: Self.count(of: count)) { write(bytes, to: $0) })
    }
  }
}
