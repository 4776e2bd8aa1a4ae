internal import KeyplanCodecs
package import KeyplanSecrets

/// Base64 with the URL alphabet, without padding (RFC 4648, section 5).
package enum Base64URL {
  package static func text(of bytes: some Sequence<UInt8>) -> String {
    String(decoding: Base64.text(of: Array(bytes), .url), as: UTF8.self)
  }

  /// The text of random bytes.
  package static func random(_ count: Int) -> SecretBox {
    SecretBox(
      Secret(count: Base64.count(of: count)) { room in
        var next = 0
        func put(_ character: UInt8) {
          room[next] = character
          next += 1
        }
        var generator = SystemRandomNumberGenerator()
        var encoder = Base64.Encoder(.url)
        for _ in 0..<count { encoder.put(.random(in: .min ... .max, using: &generator), put) }
        encoder.end(put)
      })
  }
}
