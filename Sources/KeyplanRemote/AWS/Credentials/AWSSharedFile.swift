import KeyplanSecrets

/// One of AWS's shared files, `~/.aws/config` or `~/.aws/credentials` (AWS SDKs and Tools Reference Guide, "Shared
/// config and credentials files"). Values stay in the file's memory, which is wiped.
struct AWSSharedFile: Redacted, Sendable {
  private let content: SecretBox
  private let sections: [String: [String: Range<Int>]]

  /// Reads all lines. Those that mean nothing are ignored, as AWS's own tools do.
  init(_ content: SecretBox) {
    self.content = content
    sections = content.withBytes { Self.sections(in: $0) }
  }

  /// Whether it has a section, such as `profile ci`.
  func hasSection(_ name: String) -> Bool { sections[name] != nil }

  /// A setting that is not secret.
  func text(_ name: String, in section: String) -> String? {
    sections[section]?[name].map { range in content.withBytes { String(decoding: $0[range], as: UTF8.self) } }
  }

  func secret(_ name: String, in section: String) -> SecretBox? {
    sections[section]?[name].map { range in
      content.withBytes { SecretBox(Secret(copying: UnsafeRawBufferPointer(rebasing: $0[range]))) }
    }
  }

  private static func sections(in bytes: UnsafeRawBufferPointer) -> [String: [String: Range<Int>]] {
    var sections: [String: [String: Range<Int>]] = [:]
    var section: String?
    var start = 0
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
      let line = start..<end
      start = end + 1
      // An indented line belongs to the setting above it.
      guard let first = line.first.map({ bytes[$0] }), !isBlank(first), first != UInt8(ascii: "#"),
        first != UInt8(ascii: ";")
      else { continue }
      if first == UInt8(ascii: "[") {
        section = name(in: line, of: bytes)
        if let section { sections[section] = sections[section] ?? [:] }
      } else if let section,
        let equals = bytes[line].firstIndex(where: { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ":") })
      {
        let key = String(decoding: bytes[trimmed(line.lowerBound..<equals, in: bytes)], as: UTF8.self).lowercased()
        sections[section]?[key] = trimmed(equals + 1..<line.upperBound, in: bytes)
      }
    }
    return sections
  }

  /// The name in `[profile "a name"]`, with one space between its words and without quotes.
  private static func name(in line: Range<Int>, of bytes: UnsafeRawBufferPointer) -> String? {
    guard let end = bytes[line].firstIndex(of: UInt8(ascii: "]")) else { return nil }
    let inside = trimmed(line.lowerBound + 1..<end, in: bytes)
    let text = String(decoding: bytes[inside], as: UTF8.self)
    guard let gap = text.firstIndex(where: { $0 == " " || $0 == "\t" }) else { return text }
    let rest = text[gap...].drop { $0 == " " || $0 == "\t" }
    let isQuoted = rest.count > 1 && (rest.first == "\"" || rest.first == "'") && rest.first == rest.last
    return "\(text[..<gap]) \(isQuoted ? rest.dropFirst().dropLast() : rest)"
  }

  private static func trimmed(_ range: Range<Int>, in bytes: UnsafeRawBufferPointer) -> Range<Int> {
    var range = range
    while let first = range.first, isBlank(bytes[first]) { range = range.dropFirst() }
    while let last = range.last, isBlank(bytes[last]) { range = range.dropLast() }
    return range
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n")
  }
}
