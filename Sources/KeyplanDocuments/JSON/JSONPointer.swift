/// The path to a value in a JSON or YAML document.
///
/// An empty text, or one that begins with `/`, is a JSON Pointer (RFC 6901); any other is a literal name at the top
/// level.
struct JSONPointer {
  let names: [[UInt8]]

  init(names: some Sequence<[UInt8]>) { self.names = Array(names) }

  init(_ text: String) throws(DocumentError) {
    let text = Array(text.utf8)
    guard text.isEmpty || text.first == .slash else {
      names = [text]
      return
    }
    var names: [[UInt8]] = []
    for token in text.split(separator: .slash, omittingEmptySubsequences: false).dropFirst() {
      names.append(try Self.unescape(token))
    }
    self.names = names
  }

  private static func unescape(_ token: ArraySlice<UInt8>) throws(DocumentError) -> [UInt8] {
    var name: [UInt8] = []
    var rest = token
    while let byte = rest.popFirst() {
      switch (byte, byte == tilde ? rest.popFirst() : nil) {
      case (tilde, UInt8(ascii: "0")): name.append(tilde)
      case (tilde, UInt8(ascii: "1")): name.append(.slash)
      case (tilde, _):
        throw DocumentError(.invalidName, "In a JSON Pointer, write ~0 for \"~\", and ~1 for \"/\" in a name.")
      default: name.append(byte)
      }
    }
    return name
  }

  private static let tilde = UInt8(ascii: "~")

  /// The array index of `name`: digits without a leading zero (RFC 6901, section 4).
  static func index(_ name: [UInt8]) -> Int? {
    guard name.allSatisfy(\.isDigit), name.first != UInt8(ascii: "0") || name.count == 1 else { return nil }
    return Int(String(decoding: name, as: UTF8.self))
  }
}
