package import KeyplanCore

/// The lines of a manifest as they may be shown beside a diagnostic: in a log that everybody reads.
///
/// Hidden, character by character so that columns stay: what reading found to be a secret or a value in a reference's
/// place, and every long word that looks generated. In a file that is no YAML, where nobody knows what stands where, only
/// names, references and the values of fields that never hold a secret are shown.
package struct RedactedLines: Sendable {
  private let files: [String: Lines]
  private let hidden: [Line: [FileLocation]]
  private let broken: Set<String>
  private let reader: ManifestReader

  private struct Line: Hashable {
    let file: String
    let line: Int
  }

  /// The lines of the texts that were read.
  package init(_ texts: [ManifestReader.Text], of reading: ManifestReader.Reading, by reader: ManifestReader) {
    files = Dictionary(texts.map { ($0.file, Lines($0.bytes)) }) { first, _ in first }
    hidden = Dictionary(grouping: reading.undisclosed) { Line(file: $0.file, line: $0.line) }
    broken = Set(reading.diagnostics.lazy.filter { $0.code == .yamlInvalid }.compactMap { $0.place?.file })
    self.reader = reader
  }

  /// The place's line without its end, one character for each code point; nil where there is no such line.
  package subscript(place: FileLocation) -> String? {
    guard let bytes = files[place.file]?.bytes(of: place.line) else { return nil }
    var line = RedactedLine(bytes, isReference: isReference)
    line.hideGenerated(isStrict: broken.contains(place.file))
    line.hide(hidden[Line(file: place.file, line: place.line)] ?? [])
    return line.text
  }

  private func isReference(_ token: String) -> Bool {
    if AgeRecipient.isValid(token) { return true }
    guard let mark = token.range(ofFirst: "://") else { return false }
    let scheme = String(token[..<mark.lowerBound])
    return reader.backends.source(scheme) != nil
  }
}

/// Where a file's lines begin: LF, CR LF or CR end them, as in YAML.
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
