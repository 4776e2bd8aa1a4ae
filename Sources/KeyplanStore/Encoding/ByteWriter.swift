import KeyplanCore

/// Writes the fields of a record in the order of docs/store-format.md.
struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  mutating func byte(_ byte: UInt8) { bytes.append(byte) }

  mutating func raw(_ raw: some Collection<UInt8>) { bytes.append(contentsOf: raw) }

  /// LEB128: seven bits per byte, the lowest first.
  mutating func unsigned(_ number: UInt64) {
    var rest = number
    while rest > 0x7f {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// Zigzag encoding, so that small negative numbers are short too.
  mutating func number(_ number: Int64) { unsigned(UInt64(bitPattern: number << 1 ^ number >> 63)) }

  mutating func moment(_ moment: Moment) { number(moment.seconds) }

  mutating func text(_ text: String) {
    unsigned(UInt64(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }

  /// A numbered, length-prefixed field. Fields are in ascending order; a list is a number that occurs several times.
  mutating func field(_ number: UInt64, _ write: (inout ByteWriter) -> Void) {
    unsigned(number)
    let start = bytes.count
    bytes.append(0)
    write(&self)
    let length = bytes.count - start - 1
    if length < 0x80 {
      bytes[start] = UInt8(length)
    } else {
      var prefix = ByteWriter()
      prefix.unsigned(UInt64(length))
      bytes.replaceSubrange(start...start, with: prefix.bytes)
    }
  }

  mutating func field(_ number: UInt64, text: String) { field(number) { $0.raw(text.utf8) } }

  mutating func field(_ number: UInt64, text: String?) { if let text { field(number, text: text) } }

  mutating func field(_ number: UInt64, number value: Int64) { field(number) { $0.number(value) } }

  mutating func field(_ number: UInt64, moment: Moment?) { if let moment { field(number, number: moment.seconds) } }

  mutating func field(_ number: UInt64, fingerprint: Fingerprint?) {
    if let fingerprint { field(number) { $0.raw(fingerprint.bytes) } }
  }

  /// A field without content, which is either present or absent.
  mutating func field(_ number: UInt64, if flag: Bool) { if flag { field(number) { _ in } } }

  /// Two texts in one field; the first one is length-prefixed.
  mutating func field(_ number: UInt64, pair first: String, _ second: String) {
    field(number) {
      $0.text(first)
      $0.raw(second.utf8)
    }
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
