/// The stream cipher XSalsa20 (Bernstein, "Extending the Salsa20 nonce", 2011), of which libsodium's boxes are made.
package enum Salsa20 {
  /// "expand 32-byte k".
  private static let constants: [UInt32] = [0x6170_7865, 0x3320_646E, 0x7962_2D32, 0x6B20_6574]

  /// The key stream of XSalsa20: `count` bytes for a key of 32 bytes and a nonce of 24.
  package static func stream(_ count: Int, key: [UInt8], nonce: [UInt8]) -> [UInt8] {
    let subkey = hashed(key: key, nonce: Array(nonce.prefix(16)))
    var stream: [UInt8] = []
    stream.reserveCapacity(count + 64)
    var block: UInt64 = 0
    while stream.count < count {
      let input = state(key: subkey, input: Array(nonce.dropFirst(16)) + block.littleEndianBytes)
      let output = rounds(input)
      for index in 0..<16 { stream += (input[index] &+ output[index]).littleEndianBytes }
      block += 1
    }
    stream.removeLast(stream.count - count)
    return stream
  }

  /// HSalsa20: a key of 32 bytes from a key and 16 bytes.
  package static func hashed(key: [UInt8], nonce: [UInt8]) -> [UInt8] {
    let output = rounds(state(key: key, input: nonce))
    return [0, 5, 10, 15, 6, 7, 8, 9].flatMap { output[$0].littleEndianBytes }
  }

  private static func state(key: [UInt8], input: [UInt8]) -> [UInt32] {
    let key = words(key)
    let input = words(input)
    return [constants[0]] + key[..<4] + [constants[1]] + input + [constants[2]] + key[4...] + [constants[3]]
  }

  private static func words(_ bytes: [UInt8]) -> [UInt32] {
    stride(from: 0, to: bytes.count, by: 4).map { start in
      bytes[start..<(start + 4)].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
  }

  /// The words of each quarter round: four columns, then four rows.
  private static let quarters = [
    (0, 4, 8, 12), (5, 9, 13, 1), (10, 14, 2, 6), (15, 3, 7, 11),
    (0, 1, 2, 3), (5, 6, 7, 4), (10, 11, 8, 9), (15, 12, 13, 14),
  ]

  /// Ten double rounds, without the final addition.
  private static func rounds(_ input: [UInt32]) -> [UInt32] {
    var x = input
    for _ in 0..<10 {
      for (a, b, c, d) in quarters {
        x[b] ^= rotated(x[a] &+ x[d], by: 7)
        x[c] ^= rotated(x[b] &+ x[a], by: 9)
        x[d] ^= rotated(x[c] &+ x[b], by: 13)
        x[a] ^= rotated(x[d] &+ x[c], by: 18)
      }
    }
    return x
  }

  private static func rotated(_ word: UInt32, by bits: UInt32) -> UInt32 { word << bits | word >> (32 - bits) }
}

extension FixedWidthInteger {
  package var littleEndianBytes: [UInt8] { withUnsafeBytes(of: littleEndian) { Array($0) } }
}
