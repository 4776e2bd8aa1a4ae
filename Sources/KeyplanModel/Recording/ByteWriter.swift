/// Writes numbered fields: records of the store as docs/store-format.md has them, and the steps of a plan for its id.
package struct ByteWriter {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package mutating func byte(_ byte: UInt8) { bytes.append(byte) }

  package mutating func raw(_ raw: some Collection<UInt8>) { bytes.append(contentsOf: raw) }

  /// LEB128: seven bits per byte, the lowest first.
  package mutating func unsigned(_ number: UInt64) {
    var rest = number
    while rest > 0x7f {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// Zigzag encoding, so that small negative numbers are short too.
  package mutating func number(_ number: Int64) { unsigned(UInt64(bitPattern: number << 1 ^ number >> 63)) }

  package mutating func moment(_ moment: Moment) { number(moment.seconds) }

  package mutating func text(_ text: String) {
    unsigned(UInt64(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }

  /// A numbered, length-prefixed field. Fields are in ascending order; a list is a number that occurs several times.
  package mutating func field(_ number: UInt64, _ write: (inout ByteWriter) -> Void) {
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

  package mutating func field(_ number: UInt64, text: String) { field(number) { $0.raw(text.utf8) } }

  package mutating func field(_ number: UInt64, text: String?) { if let text { field(number, text: text) } }

  package mutating func field(_ number: UInt64, number value: Int64) { field(number) { $0.number(value) } }

  package mutating func field(_ number: UInt64, moment: Moment?) {
    if let moment { field(number, number: moment.seconds) }
  }

  package mutating func field(_ number: UInt64, fingerprint: Fingerprint?) {
    if let fingerprint { field(number) { $0.raw(fingerprint.bytes) } }
  }

  /// A field without content, which is either present or absent.
  package mutating func field(_ number: UInt64, if flag: Bool) { if flag { field(number) { _ in } } }

  /// Two texts in one field; the first one is length-prefixed.
  package mutating func field(_ number: UInt64, pair first: String, _ second: String) {
    field(number) {
      $0.text(first)
      $0.raw(second.utf8)
    }
  }
}
