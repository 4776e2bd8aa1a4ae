/// The offset of the first byte that does not start a well-formed sequence (Unicode 17, table 3-7). The bytes are not copied,
/// so that a secret can be checked where it is.
package func invalidUTF8(in bytes: UnsafeRawBufferPointer) -> Int? {
  var offset = 0
  while offset < bytes.count {
    var second: ClosedRange<UInt8> = 0x80...0xBF
    let length: Int
    switch bytes[offset] {
    case 0x00...0x7F:
      offset += 1
      continue
    case 0xC2...0xDF: length = 2
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: length = 3
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: length = 4
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    default: return offset
    }
    guard offset + length <= bytes.count, second.contains(bytes[offset + 1]) else { return offset }
    for continuation in bytes[(offset + 2)..<(offset + length)] where continuation & 0xC0 != 0x80 { return offset }
    offset += length
  }
  return nil
}

/// The offset of the first byte that does not start a well-formed sequence.
package func invalidUTF8(in bytes: [UInt8]) -> Int? { bytes.withUnsafeBytes { invalidUTF8(in: $0) } }
