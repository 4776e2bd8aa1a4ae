extension Sequence<UInt8> {
  /// Two digits for each byte, in lower case.
  package var hexadecimal: String {
    var text: [UInt8] = []
    text.reserveCapacity(2 * underestimatedCount)
    text.append(hexadecimal: self)
    return String(decoding: text, as: UTF8.self)
  }
}

extension [UInt8] {
  /// Appends two digits for each byte, in lower case.
  package mutating func append(hexadecimal bytes: some Sequence<UInt8>) {
    for byte in bytes {
      for digit in [byte >> 4, byte & 15] { append(digit < 10 ? 0x30 + digit : 0x57 + digit) }
    }
  }
}
