/// Text in a URL: one segment of a path, or a part of a query.
package enum PathSegment {
  /// Encodes all but unreserved characters (RFC 3986, section 2.3).
  ///
  /// Nil for a text that is empty, or has control characters or dot segments, also between encoded slashes: proxies decode `%2F` and
  /// then resolve `..`.
  package static func encoded(segment text: String) -> String? {
    let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .flatMap { $0.split(separator: UInt8(ascii: "\\"), omittingEmptySubsequences: false) }
    let dot = UInt8(ascii: ".")
    let isDotted = parts.contains { $0.elementsEqual([dot]) || $0.elementsEqual([dot, dot]) }
    guard !text.isEmpty, !isDotted, !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return nil }
    return encode(text)
  }

  /// Encodes all but unreserved characters.
  package static func encode(_ text: String) -> String {
    var encoded = ""
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      default: encoded += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return encoded
  }
}
