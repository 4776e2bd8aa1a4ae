package import KeyplanModel
internal import KeyplanPlanning

/// The lines of a manifest as they may be shown in a diagnostic, which may end up in a public log.
///
/// Secrets, values in the place of references, and long words that look generated are hidden, character by character so
/// that columns stay the same. In a file that is not valid YAML, only names, references and the values of fields that
/// never contain a secret are shown.
package struct RedactedLines: Sendable {
  private let files: [String: Lines]
  private let hidden: [Line: [FileLocation]]
  private let broken: Set<String>
  private let reader: ManifestReader

  private struct Line: Hashable {
    let file: String
    let line: Int
  }

  package init(_ texts: [ManifestReader.Text], of reading: ManifestReader.Reading, by reader: ManifestReader) {
    files = Dictionary(texts.map { ($0.file, Lines($0.bytes)) }) { first, _ in first }
    hidden = Dictionary(grouping: reading.undisclosed) { Line(file: $0.file, line: $0.line) }
    broken = Set(reading.diagnostics.lazy.filter { $0.code == .yamlInvalid }.compactMap { $0.place?.file })
    self.reader = reader
  }

  /// The location's line without its line end, with one character for each code point; nil if there is no such line.
  package subscript(place: FileLocation) -> String? {
    guard let bytes = files[place.file]?.bytes(of: place.line) else { return nil }
    var line = RedactedLine(bytes, isReference: isReference)
    line.hideGenerated(isStrict: broken.contains(place.file))
    line.hide(hidden[Line(file: place.file, line: place.line)] ?? [])
    return line.text
  }

  private func isReference(_ token: String) -> Bool {
    if RecipientSyntax.isPublic(token) { return true }
    guard let mark = token.range(ofFirst: "://") else { return false }
    let scheme = String(token[..<mark.lowerBound])
    return reader.backends.source(scheme) != nil
  }
}

/// The starts of a file's lines. They end with LF, CR LF or CR, as in YAML.
private struct Lines: Sendable {
  private let bytes: [UInt8]
  private var starts = [0]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    for (index, byte) in bytes.enumerated() {
      let isBreak =
        byte == UInt8(ascii: "\n")
        || byte == UInt8(ascii: "\r") && (index + 1 == bytes.count || bytes[index + 1] != UInt8(ascii: "\n"))
      if isBreak { starts.append(index + 1) }
    }
  }

  func bytes(of line: Int) -> ArraySlice<UInt8>? {
    guard starts.indices.contains(line - 1) else { return nil }
    var start = starts[line - 1]
    if start == 0, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { start = 3 }
    let end = line < starts.count ? starts[line] : bytes.count
    let content = bytes[start..<end]
    return content.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
  }
}
