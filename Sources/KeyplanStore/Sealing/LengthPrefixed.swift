/// Fields one after the other, each behind its length as four bytes, big-endian, so that no two lists of fields look alike.
struct LengthPrefixed {
  private(set) var bytes: [UInt8] = []

  /// What all of a kind begin with, or nothing. There is room at once for all that follows in most kinds.
  init(_ lead: LengthPrefixed? = nil) {
    bytes.reserveCapacity(192)
    if let lead { bytes += lead.bytes }
  }

  mutating func append(_ field: some Collection<UInt8>) {
    appendLength(field.count)
    bytes.append(contentsOf: field)
  }

  /// Only the length, for a field whose bytes are given to a MAC from where they lie, so that a secret is not copied.
  mutating func appendLength(_ count: Int) { bytes.append(bigEndian: UInt32(truncatingIfNeeded: count)) }

  mutating func append(_ text: String) { append(text.utf8) }

  mutating func append(_ number: Int64) {
    appendLength(8)
    bytes.append(bigEndian: UInt64(bitPattern: number))
  }
}

extension [UInt8] {
  /// Appends the bytes of a number, the highest first.
  mutating func append<Number: FixedWidthInteger>(bigEndian number: Number) {
    Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
  }
}
