/// The name of a value in a file with nested values: a JSON Pointer (RFC 6901) if it begins with `/`, otherwise one name
/// at the top level, which contains no `/`.
package struct NestedName: Hashable, Sendable {
  /// The names on the way to the value, from the top level.
  package let parts: [String]

  package enum Fault: Error, Hashable, Sendable {
    /// A `/` in a name that does not begin with one.
    case slash
    /// A `~` in a JSON Pointer that is followed by neither 0 nor 1.
    case escape
  }

  package init(parts: [String]) { self.parts = parts }

  package init(_ text: String) throws(Fault) {
    guard text.utf8.first == Self.slash else {
      guard !text.utf8.contains(Self.slash) else { throw .slash }
      parts = [text]
      return
    }
    var parts: [String] = []
    for token in text.utf8.split(separator: Self.slash, omittingEmptySubsequences: false).dropFirst() {
      parts.append(try Self.unescaped(token))
    }
    self.parts = parts
  }

  /// The name as it is recorded and shown: without the slash if it is a single name, so that a value has one name.
  package var text: String {
    // In a target, `*` means the keys' variables.
    if parts.count == 1, let name = parts.first, !name.isEmpty, name != "*", !name.utf8.contains(Self.slash) {
      return name
    }
    return pointer
  }

  /// The name as a JSON Pointer.
  package var pointer: String { parts.map { "/" + Self.escaped($0) }.joined() }

  /// The most likely meaning of a name that contains `/`, but does not begin with it; for hints.
  package static func separatedKeys(_ text: String) -> NestedName {
    NestedName(
      parts: text.utf8.split(separator: slash, omittingEmptySubsequences: false).map {
        String(decoding: $0, as: UTF8.self)
      }
    )
  }

  private static func unescaped(_ token: Substring.UTF8View.SubSequence) throws(Fault) -> String {
    var bytes: [UInt8] = []
    var rest = token
    while let byte = rest.popFirst() {
      guard byte == tilde else {
        bytes.append(byte)
        continue
      }
      switch rest.popFirst() {
      case UInt8(ascii: "0"): bytes.append(tilde)
      case UInt8(ascii: "1"): bytes.append(slash)
      default: throw .escape
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func escaped(_ name: String) -> String {
    var bytes: [UInt8] = []
    for byte in name.utf8 {
      switch byte {
      case tilde: bytes += "~0".utf8
      case slash: bytes += "~1".utf8
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static let slash = UInt8(ascii: "/")
  private static let tilde = UInt8(ascii: "~")
}
