/// Hides the length of a plaintext: four bytes of length (big-endian), the plaintext, and zeros.
enum Padding {
  /// The size of a padded plaintext: steps of 64 bytes up to 512, then Padmé (Nikitin et al., 2019), which adds less than 12 %.
  static func size(of count: Int) -> Int {
    let size = count + 4
    guard size > 512 else { return (size + 63) & ~63 }
    let exponent = Int.bitWidth - 1 - size.leadingZeroBitCount
    let kept = Int.bitWidth - exponent.leadingZeroBitCount
    let mask = 1 << (exponent - kept) - 1
    return (size + mask) & ~mask
  }

  /// The range of the plaintext in its padded form; nil if that is malformed.
  static func content(of padded: some Collection<UInt8>) -> Range<Int>? {
    guard padded.count >= 4 else { return nil }
    let count = padded.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    guard count <= padded.count - 4, padded.count == size(of: count) else { return nil }
    return 4..<4 + count
  }
}
