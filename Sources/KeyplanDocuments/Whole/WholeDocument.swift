internal import KeyplanSecrets

/// A file that is one value, under the name `content`.
///
/// A value of several lines, such as a PEM key, is written with a line break at the end: OpenSSH and others require it. A
/// value of one line is written as it is, because many programs take every byte of such a file. Reading drops the line
/// break of a single line, as an editor adds it.
package struct WholeDocument: EditableDocument {
  package static let name = "content"
  private static let newline = UInt8(ascii: "\n")
  /// Nil for no file.
  private var content: [UInt8]?

  package init(_ bytes: [UInt8]) throws(DocumentError) {
    guard bytes.count <= DocumentLimit.bytes else { throw DocumentError(.tooLarge, "The file is too large.") }
    content = bytes
  }

  package var names: [String] { content == nil ? [] : [Self.name] }
  package var bytes: [UInt8] { content ?? [] }
  package var isRemoved: Bool { content == nil }

  package func value(at name: String) throws(DocumentError) -> DocumentValue? {
    try Self.check(name)
    return content.map { content in .text(content.withUnsafeBytes { Array($0.lineOrLines) }) }
  }

  package mutating func set(_ name: String, to value: [UInt8]) throws(DocumentError) {
    try Self.check(name)
    content = value.withUnsafeBytes { value in
      let hasSame = content?.withUnsafeBytes { $0.lineOrLines.compared.elementsEqual(value.compared) } ?? false
      guard !hasSame else { return content }
      // Of several lines the last one ends. A single line that ends itself needs one more line break, to be read as it was.
      let isOpen = value.hasSeveralLines ? value.last != Self.newline : value.contains(Self.newline)
      return Array(value) + (isOpen ? [Self.newline] : [])
    }
  }

  package mutating func remove(_ name: String) throws(DocumentError) {
    try Self.check(name)
    content = nil
  }

  private static func check(_ name: String) throws(DocumentError) {
    guard name == Self.name else { throw DocumentError(.invalidName, "The value of a file is called content.") }
  }
}
