/// A file's lines with their ends: LF, CR LF or CR, as in YAML.
package enum TextLines {
  /// The lines; one without an end is the last.
  package static func split(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    var start = 0
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      guard byte == 0x0A || byte == 0x0D else { continue }
      if byte == 0x0D, index < bytes.count, bytes[index] == 0x0A { index += 1 }
      lines.append(bytes[start..<index])
      start = index
    }
    if start < bytes.count { lines.append(bytes[start...]) }
    return lines
  }

  /// Whether a line has an end.
  package static func isWhole(_ line: ArraySlice<UInt8>) -> Bool { line.last == 0x0A || line.last == 0x0D }
}
