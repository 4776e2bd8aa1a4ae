package import KeyplanSecrets

/// Reads and writes the strings of JSON.
package enum JSONText {
  /// Calls `sink` with the content of a string that a reader has accepted.
  /// - Parameter range: with the quotes.
  package static func read(_ range: Range<Int>, in bytes: UnsafeRawBufferPointer, to sink: (UInt8) -> Void) {
    var offset = range.lowerBound + 1
    let end = range.upperBound - 1
    while offset < end {
      guard bytes[offset] == UInt8(ascii: "\\") else {
        sink(bytes[offset])
        offset += 1
        continue
      }
      switch bytes[offset + 1] {
      case UInt8(ascii: "b"): sink(0x08)
      case UInt8(ascii: "f"): sink(0x0C)
      case UInt8(ascii: "n"): sink(0x0A)
      case UInt8(ascii: "r"): sink(0x0D)
      case UInt8(ascii: "t"): sink(0x09)
      case UInt8(ascii: "u"):
        var point = unit(at: offset + 2, in: bytes)
        offset += 4
        if (0xD800..<0xDC00).contains(point) {
          point = 0x10000 + (point & 0x3FF) << 10 + unit(at: offset + 4, in: bytes) & 0x3FF
          offset += 6
        }
        for byte in UTF8.encode(Unicode.Scalar(point) ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter { sink(byte) }
      case let byte: sink(byte)
      }
      offset += 2
    }
  }

  package static func content(of range: Range<Int>, in bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var content: [UInt8] = []
    content.reserveCapacity(range.count)
    read(range, in: bytes) { content.append($0) }
    return content
  }

  /// The content, without leaving a copy in memory.
  package static func secret(of range: Range<Int>, in bytes: UnsafeRawBufferPointer) -> SecretBox {
    var count = 0
    read(range, in: bytes) { _ in count += 1 }
    let secret = Secret(count: count) { memory in
      var next = 0
      read(range, in: bytes) { byte in
        memory[next] = byte
        next += 1
      }
    }
    return SecretBox(secret)
  }

  private static func unit(at offset: Int, in bytes: UnsafeRawBufferPointer) -> UInt32 {
    (0..<4).reduce(0) { $0 << 4 | UInt32(hexadecimal(bytes[offset + $1]) ?? 0) }
  }

  package static func hexadecimal(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x37
    case 0x61...0x66: byte - 0x57
    default: nil
    }
  }

  /// Writes UTF-8 as a string in quotes, with the required escapes (RFC 8259, section 7).
  package static func write(_ bytes: UnsafeRawBufferPointer, to writer: inout SecretWriter) {
    writer.append(UInt8(ascii: "\""))
    writeContent(bytes, to: &writer)
    writer.append(UInt8(ascii: "\""))
  }

  package static func write(_ text: String, to writer: inout SecretWriter) {
    var text = text
    text.withUTF8 { write(UnsafeRawBufferPointer($0), to: &writer) }
  }

  private static func writeContent(_ bytes: UnsafeRawBufferPointer, to writer: inout SecretWriter) {
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        writer.append(UInt8(ascii: "\\"))
        writer.append(byte)
      case 0..<0x20:
        writer.append("\\u00")
        for digit in [byte >> 4, byte & 15] { writer.append(digit < 10 ? 0x30 + digit : 0x57 + digit) }
      default: writer.append(byte)
      }
    }
  }
}
