/// A sequence of fields, each prefixed with its length as four bytes, big-endian, so that different lists of fields
/// have different bytes.
struct LengthPrefixed {
  private(set) var bytes: [UInt8] = []

  /// - Parameter lead: common first fields. The reserved capacity is enough for most uses.
  init(_ lead: LengthPrefixed? = nil) {
    bytes.reserveCapacity(192)
    if let lead { bytes += lead.bytes }
  }

  mutating func append(_ field: some Collection<UInt8>) {
    appendLength(field.count)
    bytes.append(contentsOf: field)
  }

  /// Only the length, for a field that is passed to a MAC directly, so that a secret is not copied.
  mutating func appendLength(_ count: Int) { bytes.append(bigEndian: UInt32(truncatingIfNeeded: count)) }

  mutating func append(_ text: String) { append(text.utf8) }

  mutating func append(_ number: Int64) {
    appendLength(8)
    bytes.append(bigEndian: UInt64(bitPattern: number))
  }
}

extension [UInt8] {
  /// Appends the bytes of a number, big-endian.
  mutating func append<Number: FixedWidthInteger>(bigEndian number: Number) {
    Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
  }
}
