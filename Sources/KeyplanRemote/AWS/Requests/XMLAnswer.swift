import KeyplanSecrets

/// An answer of the query protocol: elements that contain elements or text. Its values stay in the wiped memory in which
/// they arrived.
///
/// Constructs that AWS does not write are refused instead of parsed: document types, comments, CDATA sections, processing
/// instructions, text next to elements, and attributes other than a namespace. References are not expanded.
struct XMLAnswer: Redacted, Sendable {
  let root: Element
  private let body: SecretBox

  struct Element: Sendable {
    let name: String
    fileprivate(set) var children: [Element] = []
    /// The range of the text; nil if there is none but white space.
    fileprivate(set) var text: Range<Int>?

    /// The only child with a name; nil if there is none or more than one.
    func child(_ name: String) -> Element? {
      let named = children.filter { $0.name == name }
      return named.count == 1 ? named[0] : nil
    }

    /// All children; nil if one has another name or there is text in their place.
    func children(all name: String) -> [Element]? {
      text == nil && children.allSatisfy { $0.name == name } ? children : nil
    }
  }

  /// Nil unless the body is one complete element.
  init?(_ body: SecretBox) {
    let root = body.withBytes { bytes in
      var reader = XMLAnswerReader(bytes: bytes)
      return reader.document()
    }
    guard let root else { return nil }
    self.root = root
    self.body = body
  }

  /// The text of the only child with a name; nil if it has none, or one with a reference.
  func text(_ name: String, of element: Element) -> String? {
    value(name, of: element) { String(decoding: $0, as: UTF8.self) }
  }

  /// The same, in wiped memory.
  func secret(_ name: String, of element: Element) -> SecretBox? {
    value(name, of: element) { SecretBox(Secret(copying: $0)) }
  }

  private func value<Value>(
    _ name: String, of element: Element, _ make: (UnsafeRawBufferPointer) -> Value
  ) -> Value? {
    guard let text = element.child(name)?.text else { return nil }
    return body.withBytes { bytes in
      let content = UnsafeRawBufferPointer(rebasing: bytes[text])
      return content.contains(UInt8(ascii: "&")) ? nil : make(content)
    }
  }
}

/// Reads the elements of an answer, from its first byte to its last.
private struct XMLAnswerReader {
  let bytes: UnsafeRawBufferPointer
  private var position = 0

  /// More than any answer has. Each level takes stack.
  private static let deepest = 16

  init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  mutating func document() -> XMLAnswer.Element? {
    if skip("<?xml ") { guard skip(past: "?>") else { return nil } }
    skipSpace()
    guard let root = element(depth: 0) else { return nil }
    skipSpace()
    return position == bytes.count ? root : nil
  }

  private mutating func element(depth: Int) -> XMLAnswer.Element? {
    guard depth < Self.deepest, skip("<"), let name = name() else { return nil }
    skipSpace()
    if skip("xmlns=\"") { guard skip(past: "\"") else { return nil } }
    skipSpace()
    var element = XMLAnswer.Element(name: name)
    if skip("/>") { return element }
    guard skip(">") else { return nil }
    let start = position
    while position < bytes.count {
      let end = position
      if skip("</") {
        guard skip(name), skip(">"), element.children.isEmpty || element.text == nil else { return nil }
        if element.text != nil { element.text = start..<end }
        return element
      }
      if bytes[position] == UInt8(ascii: "<") {
        guard let child = self.element(depth: depth + 1) else { return nil }
        element.children.append(child)
      } else {
        if !isSpace { element.text = start..<end }
        position += 1
      }
    }
    return nil
  }

  private mutating func name() -> String? {
    let start = position
    while position < bytes.count, Self.isNameByte(bytes[position]) { position += 1 }
    return position == start ? nil : String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."): true
    default: false
    }
  }

  private var isSpace: Bool { [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) }

  private mutating func skipSpace() { while position < bytes.count, isSpace { position += 1 } }

  private mutating func skip(_ text: String) -> Bool {
    guard bytes[position...].starts(with: text.utf8) else { return false }
    position += text.utf8.count
    return true
  }

  private mutating func skip(past text: String) -> Bool {
    guard let end = bytes[position...].firstRange(of: Array(text.utf8))?.upperBound else { return false }
    position = end
    return true
  }
}
