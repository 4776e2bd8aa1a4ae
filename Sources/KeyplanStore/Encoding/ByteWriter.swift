import KeyplanCore

/// Writes the fields of a record in the order of docs/store-format.md.
struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  mutating func byte(_ byte: UInt8) { bytes.append(byte) }

  mutating func raw(_ raw: some Collection<UInt8>) { bytes.append(contentsOf: raw) }

  /// LEB128: seven bits a byte, the lowest first.
  mutating func unsigned(_ number: UInt64) {
    var rest = number
    while rest > 0x7f {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// Zigzag, so that small negative numbers are short too.
  mutating func number(_ number: Int64) { unsigned(UInt64(bitPattern: number << 1 ^ number >> 63)) }

  mutating func moment(_ moment: Moment) { number(moment.seconds) }

  mutating func text(_ text: String) {
    unsigned(UInt64(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }

  mutating func optional<Value>(_ value: Value?, _ write: (inout ByteWriter, Value) -> Void) {
    byte(value == nil ? 0 : 1)
    if let value { write(&self, value) }
  }

  mutating func list<Values: Collection>(_ values: Values, _ write: (inout ByteWriter, Values.Element) -> Void) {
    unsigned(UInt64(values.count))
    for value in values { write(&self, value) }
  }
}
