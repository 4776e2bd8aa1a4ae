/// A name with its namespace; prefixes are resolved.
struct XMLName: Hashable, Sendable {
  let space: String
  let local: String

  static func dav(_ local: String) -> XMLName { XMLName(space: "DAV:", local: local) }
  static func caldav(_ local: String) -> XMLName { XMLName(space: "urn:ietf:params:xml:ns:caldav", local: local) }
  /// Apple's namespace, whose `getctag` other servers have adopted.
  static func calendarServer(_ local: String) -> XMLName {
    XMLName(space: "http://calendarserver.org/ns/", local: local)
  }
}

/// An element of a document, without comments and processing instructions. CDATA is text.
struct XMLElement: Hashable, Sendable {
  let name: XMLName
  /// The attributes without a namespace, by name.
  var attributes: [String: String] = [:]
  /// All text directly inside, as UTF-8.
  var bytes: [UInt8] = []
  var children: [XMLElement] = []

  /// The text without surrounding white space.
  var text: String {
    let start = bytes.firstIndex { !Self.isSpace($0) } ?? bytes.endIndex
    let end = bytes.lastIndex { !Self.isSpace($0) }.map { $0 + 1 } ?? start
    return String(decoding: bytes[start..<end], as: UTF8.self)
  }

  func child(_ name: XMLName) -> XMLElement? { children.first { $0.name == name } }

  func all(_ name: XMLName) -> [XMLElement] { children.filter { $0.name == name } }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
