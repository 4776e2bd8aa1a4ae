/// A keyed hash of a value under a subkey of the store, in the domain of one key's record: HMAC-SHA-256 cut to 16 bytes. Equal values of two
/// keys have different fingerprints, which reveal nothing without the store's key. Plans contain these, never values.
package struct Fingerprint: Hashable, Sendable, Codable {
  private let high: UInt64
  private let low: UInt64

  /// Used in a precondition for something that cannot be a key's value, such as a number.
  package static let ofNoKey = Fingerprint(high: 0, low: 0)
  /// Used in a precondition for a value that was not compared: the precondition is met by any value.
  package static let notCompared = Fingerprint(high: 0, low: 1)

  /// Stands in planning for a value that the apply generates: no other value is equal to it.
  package static let ofNewValue = Fingerprint(high: 0, low: 2)

  private init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Takes exactly 16 bytes; nil for any other count.
  package init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count == 16 else { return nil }
    high = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
    low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
  }

  /// The same. Performance-critical callers pass bytes in memory: each byte of another collection costs five calls in another module.
  package init?(_ bytes: some Collection<UInt8>) {
    guard let fingerprint = Array(bytes).withUnsafeBytes({ Fingerprint($0) }) else { return nil }
    self = fingerprint
  }

  /// The 16 bytes.
  package var bytes: [UInt8] {
    (0..<16).map { UInt8(truncatingIfNeeded: ($0 < 8 ? high : low) >> UInt64(56 - $0 % 8 * 8)) }
  }

  /// Decodes 32 hex digits.
  package init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    let isHex = text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    let high = UInt64(text.prefix(16), radix: 16)
    let low = UInt64(text.suffix(16), radix: 16)
    guard text.utf8.count == 32, isHex, let high, let low else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "A fingerprint is 32 hex digits."))
    }
    self.init(high: high, low: low)
  }

  /// Encodes 32 hex digits.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(bytes.hexadecimal)
  }
}
