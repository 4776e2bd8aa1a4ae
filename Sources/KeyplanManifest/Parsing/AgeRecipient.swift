/// The syntax of an age X25519 recipient (C2SP age.md, "The X25519 recipient type"): Bech32 of 32 bytes with the prefix
/// `age`.
/// A mistyped recipient would lock a user out, so the checksum (BIP 173) is verified here, where the location is known.
/// location is known.
enum AgeRecipient {
  static func isValid(_ text: String) -> Bool {
    let bytes = text.utf8
    guard bytes.count == 62, bytes.starts(with: "age1".utf8) else { return false }
    // The expanded prefix: the high bits of its letters, 0, and their low bits.
    var sum: UInt32 = 1
    for value in [3, 3, 3, 0, 1, 7, 5] as [UInt32] { sum = step(sum, value) }
    for byte in bytes.dropFirst(4) {
      guard let value = alphabet.firstIndex(of: byte) else { return false }
      sum = step(sum, UInt32(value))
    }
    return sum == 1
  }

  private static let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)

  private static func step(_ sum: UInt32, _ value: UInt32) -> UInt32 {
    let top = sum >> 25
    var next = (sum & 0x1FF_FFFF) << 5 ^ value
    for (bit, generator) in [0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3].enumerated()
    where top >> UInt32(bit) & 1 == 1 { next ^= UInt32(generator) }
    return next
  }
}
