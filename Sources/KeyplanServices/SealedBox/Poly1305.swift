/// The one-time authenticator Poly1305 (RFC 8439, section 2.5), in limbs of 26 bits.
package enum Poly1305 {
  private static let mask: UInt64 = 0x3FF_FFFF

  /// The tag of 16 bytes.
  /// - Parameter key: 32 bytes that are used for this message only.
  package static func tag(of message: [UInt8], key: [UInt8]) -> [UInt8] {
    let r = limbs(clamped(key.prefix(16)), top: 0)
    var sum = [UInt64](repeating: 0, count: 5)
    var start = 0
    while start < message.count {
      let end = min(start + 16, message.count)
      var block = Array(message[start..<end])
      // The bit after the last byte; in a full block it is the 129th.
      if block.count < 16 { block.append(1) }
      let isFull = end - start == 16
      let limbs = limbs(block, top: isFull ? 1 << 24 : 0)
      for index in 0..<5 { sum[index] += limbs[index] }
      sum = product(sum, r)
      start = end
    }
    return finished(sum, adding: Array(key.suffix(16)))
  }

  private static func clamped(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var bytes = Array(bytes)
    for index in [3, 7, 11, 15] { bytes[index] &= 15 }
    for index in [4, 8, 12] { bytes[index] &= 252 }
    return bytes
  }

  /// At most 16 bytes, little endian.
  private static func limbs(_ bytes: [UInt8], top: UInt64) -> [UInt64] {
    func bits(from bit: Int) -> UInt64 {
      var value: UInt64 = 0
      for index in 0..<5 where bit / 8 + index < bytes.count {
        value |= UInt64(bytes[bit / 8 + index]) << UInt64(8 * index)
      }
      return value >> UInt64(bit % 8) & mask
    }
    return [bits(from: 0), bits(from: 26), bits(from: 52), bits(from: 78), bits(from: 104) | top]
  }

  /// The product modulo 2^130 - 5, partially reduced.
  private static func product(_ a: [UInt64], _ r: [UInt64]) -> [UInt64] {
    var columns = [UInt64](repeating: 0, count: 5)
    for i in 0..<5 {
      for j in 0..<5 {
        // Products beyond 2^130 count five times.
        columns[(i + j) % 5] += a[i] * r[j] * (i + j < 5 ? 1 : 5)
      }
    }
    return carried(columns)
  }

  private static func carried(_ limbs: [UInt64]) -> [UInt64] {
    var limbs = limbs
    var carry: UInt64 = 0
    for index in 0..<5 {
      limbs[index] += carry
      carry = limbs[index] >> 26
      limbs[index] &= mask
    }
    limbs[0] += carry * 5
    limbs[1] += limbs[0] >> 26
    limbs[0] &= mask
    return limbs
  }

  private static func finished(_ sum: [UInt64], adding pad: [UInt8]) -> [UInt8] {
    let sum = carried(carried(sum))
    // sum + 5 - 2^130 is not negative if and only if sum is at least 2^130 - 5.
    var reduced = sum
    var carry: UInt64 = 5
    for index in 0..<5 {
      reduced[index] += carry
      carry = reduced[index] >> 26
      reduced[index] &= mask
    }
    // All bits set if the reduced number is the right one, without a branch.
    let choice = 0 &- carry
    let limbs = (0..<5).map { reduced[$0] & choice | sum[$0] & ~choice }
    let low = limbs[0] | limbs[1] << 26 | limbs[2] << 52
    let high = limbs[2] >> 12 | limbs[3] << 14 | limbs[4] << 40
    let (first, overflow) = low.addingReportingOverflow(number(pad[..<8]))
    let second = high &+ number(pad[8...]) &+ (overflow ? 1 : 0)
    return first.littleEndianBytes + second.littleEndianBytes
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
