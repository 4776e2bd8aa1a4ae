/// The hash BLAKE2b without a key (RFC 7693).
package enum Blake2b {
  private static let initial: [UInt64] = [
    0x6A09_E667_F3BC_C908, 0xBB67_AE85_84CA_A73B, 0x3C6E_F372_FE94_F82B, 0xA54F_F53A_5F1D_36F1,
    0x510E_527F_ADE6_82D1, 0x9B05_688C_2B3E_6C1F, 0x1F83_D9AB_FB41_BD6B, 0x5BE0_CD19_137E_2179,
  ]

  private static let permutations: [[Int]] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
    [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
    [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
    [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
    [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
    [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
    [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
    [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
  ]

  /// - Parameter count: the size of the hash in bytes, from 1 to 64.
  package static func hash(_ message: [UInt8], count: Int) -> [UInt8] {
    var state = initial
    state[0] ^= 0x0101_0000 ^ UInt64(count)
    let blocks = max(1, (message.count + 127) / 128)
    for block in 0..<blocks {
      let end = min(128 * (block + 1), message.count)
      var bytes = Array(message[(128 * block)..<end])
      bytes += [UInt8](repeating: 0, count: 128 - bytes.count)
      compress(&state, bytes, length: UInt64(end), isLast: block == blocks - 1)
    }
    return Array(state.flatMap(\.littleEndianBytes).prefix(count))
  }

  private static func compress(_ state: inout [UInt64], _ block: [UInt8], length: UInt64, isLast: Bool) {
    let words: [UInt64] = (0..<16).map { word in
      block[(8 * word)..<(8 * word + 8)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    var v = state + initial
    v[12] ^= length
    if isLast { v[14] = ~v[14] }
    func mix(_ a: Int, _ b: Int, _ c: Int, _ d: Int, _ x: UInt64, _ y: UInt64) {
      v[a] = v[a] &+ v[b] &+ x
      v[d] = rotated(v[d] ^ v[a], by: 32)
      v[c] = v[c] &+ v[d]
      v[b] = rotated(v[b] ^ v[c], by: 24)
      v[a] = v[a] &+ v[b] &+ y
      v[d] = rotated(v[d] ^ v[a], by: 16)
      v[c] = v[c] &+ v[d]
      v[b] = rotated(v[b] ^ v[c], by: 63)
    }
    for round in 0..<12 {
      let order = permutations[round % 10]
      for column in 0..<4 {
        mix(
          column, column + 4, column + 8, column + 12, words[order[2 * column]], words[order[2 * column + 1]])
      }
      for row in 0..<4 {
        mix(
          row, (row + 1) % 4 + 4, (row + 2) % 4 + 8, (row + 3) % 4 + 12, words[order[8 + 2 * row]],
          words[order[9 + 2 * row]])
      }
    }
    for index in 0..<8 { state[index] ^= v[index] ^ v[index + 8] }
  }

  private static func rotated(_ word: UInt64, by bits: UInt64) -> UInt64 { word >> bits | word << (64 - bits) }
}
