/// A file that is one value, under the name `content`.
///
/// A value of several lines, such as a PEM key, is written with a newline at the end: OpenSSH and others require it. A
/// value of one line is written as it is, because many programs take every byte of such a file. Reading drops one
/// newline, so that both come back as they were, as does a file that an editor saved.
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
    guard var value = content else { return nil }
    if value.last == Self.newline { value.removeLast() }
    return .text(value)
  }

  package mutating func set(_ name: String, to value: [UInt8]) throws(DocumentError) {
    guard try self.value(at: name) != .text(value) else { return }
    content = value.contains(Self.newline) ? value + [Self.newline] : value
  }

  package mutating func remove(_ name: String) throws(DocumentError) {
    try Self.check(name)
    content = nil
  }

  private static func check(_ name: String) throws(DocumentError) {
    guard name == Self.name else { throw DocumentError(.invalidName, "The value of a file is called content.") }
  }
}
