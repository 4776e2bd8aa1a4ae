import KeyplanCodecs

/// The text form of a file: strict PEM (RFC 7468, section 3) with LF or CRLF.
///
/// Strict, because parts that a lax reader skips could be modified without detection.
enum Armor {
  private static let begin = Array("-----BEGIN AGE ENCRYPTED FILE-----".utf8)
  private static let end = Array("-----END AGE ENCRYPTED FILE-----".utf8)
  private static let columns = 64

  /// Whether to read the file as armor: it is not a binary file, and one of its lines begins like PEM.
  ///
  /// Accepts more than `read` does, so that a damaged armor is reported as such.
  static func isPresent(in file: [UInt8]) -> Bool {
    guard !file.starts(with: Header.magic) else { return false }
    return Lines(of: file).contains { $0.starts(with: "-----".utf8) }
  }

  /// Whether the first line that is not empty begins an armored file.
  static func begins(_ file: [UInt8]) -> Bool { file.drop(while: isBlank).starts(with: begin) }

  /// The binary file in the armor. White space is allowed only before and after the armor.
  static func read(_ text: [UInt8]) throws(AgeError) -> [UInt8] {
    var file: [UInt8] = []
    file.reserveCapacity(text.count / 4 * 3)
    var place = Place.before
    var number = 0
    for part in Lines(of: text) {
      number += 1
      let line = part.last == UInt8(ascii: "\r") ? part.dropLast() : part
      switch place {
      case .before where line.allSatisfy(isBlank):
        break
      case .before:
        guard line.elementsEqual(begin) else { throw .armor(.begin, line: number) }
        place = .fullLines
      case .fullLines, .lastLine:
        if line.elementsEqual(end) {
          place = .after
        } else {
          guard place == .fullLines, !line.isEmpty, line.count <= columns else { throw .armor(.line, line: number) }
          guard let bytes = Base64.paddedBytes(in: line) else { throw .armor(.base64, line: number) }
          file += bytes
          // Padding ends the data even where it fills the line.
          if line.count < columns || line.last == UInt8(ascii: "=") { place = .lastLine }
        }
      case .after:
        guard line.allSatisfy(isBlank) else { throw .armor(.trailing, line: number) }
      }
    }
    switch place {
    case .before: throw .armor(.begin, line: number)
    case .fullLines, .lastLine: throw .armor(.end, line: number)
    case .after: return file
    }
  }

  static func text(of file: [UInt8]) -> [UInt8] {
    let data = Base64.paddedText(of: file)
    var text = begin
    text.reserveCapacity(data.count + data.count / columns + 80)
    text.append(UInt8(ascii: "\n"))
    for start in stride(from: 0, to: data.count, by: columns) {
      text += data[start..<min(start + columns, data.count)]
      text.append(UInt8(ascii: "\n"))
    }
    text += end
    text.append(UInt8(ascii: "\n"))
    return text
  }

  /// The lines of a text, without line feeds. They are not collected: a file can consist of line feeds.
  private struct Lines: Sequence, IteratorProtocol {
    private let text: [UInt8]
    /// Nil after the last line.
    private var position: Int? = 0

    init(of text: [UInt8]) { self.text = text }

    mutating func next() -> ArraySlice<UInt8>? {
      guard let start = position else { return nil }
      let end = text[start...].firstIndex(of: UInt8(ascii: "\n"))
      position = end.map { $0 + 1 }
      return text[start..<(end ?? text.endIndex)]
    }
  }

  private enum Place { case before, fullLines, lastLine, after }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
}
