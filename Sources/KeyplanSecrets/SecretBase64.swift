internal import KeyplanCodecs

/// Base64 with padding, written and read without copies of secrets.
package enum SecretBase64 {
  package static func text(of bytes: UnsafeRawBufferPointer) -> SecretBox {
    text(of: bytes.count) { put in for byte in bytes { put(byte) } }
  }

  /// - Parameters:
  ///   - count: the number of bytes.
  ///   - forEach: calls its argument for each byte.
  package static func text(of count: Int, _ forEach: ((UInt8) -> Void) -> Void) -> SecretBox {
    SecretBox(
      Secret(count: (count + 2) / 3 * 4) { room in
        var next = 0
        func put(_ character: UInt8) {
          room[next] = character
          next += 1
        }
        var encoder = Base64.Encoder()
        forEach { encoder.put($0, put) }
        encoder.end(put)
        while next < room.count { put(UInt8(ascii: "=")) }
      })
  }

  /// Nil for anything but canonical base64 with padding and without line breaks.
  package static func bytes(in text: some BidirectionalCollection<UInt8>) -> SecretBox? {
    guard let padding = Base64.padding(of: text) else { return nil }
    var isValid = true
    let secret = Secret(count: text.count / 4 * 3 - padding) { room in
      var next = 0
      var decoder = Base64.Decoder()
      for character in text.dropLast(padding) {
        isValid =
          isValid
          && decoder.put(character) { byte in
            if next < room.count { room[next] = byte }
            next += 1
          }
      }
      isValid = isValid && decoder.isComplete && next == room.count
    }
    return isValid ? SecretBox(secret) : nil
  }
}
