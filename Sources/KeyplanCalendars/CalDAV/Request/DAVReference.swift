import KeyplanHTTP

/// The content of an `href` or a `Location` (RFC 3986, section 4): an absolute URL, or a path relative to the request.
struct DAVReference: Hashable, Sendable {
  /// With all invalid bytes percent-encoded, which some services omit. Without a fragment.
  private let text: String

  init(_ text: String) {
    var bytes: [UInt8] = []
    for byte in text.utf8.prefix(while: { $0 != UInt8(ascii: "#") }) {
      if byte == UInt8(ascii: "%") || Self.isAllowed(byte) { bytes.append(byte) } else { bytes += Self.encoded(byte) }
    }
    self.text = String(decoding: bytes, as: UTF8.self)
  }

  /// The address to which it refers.
  /// - Throws: `HTTPError` for an invalid address.
  func resolved(at base: HTTPAddress) throws(HTTPError) -> HTTPAddress {
    let root = base.text.prefix(base.text.count - base.pathAndQuery.count)
    if text.hasPrefix("//") { return try HTTPAddress("\(base.scheme):\(text)") }
    if text.hasPrefix("/") { return try HTTPAddress(root + text) }
    // A colon before the first slash ends a scheme.
    let first = text.prefix { $0 != "/" && $0 != "?" }
    if first.contains(":") { return try HTTPAddress(text) }
    let path = base.pathAndQuery.prefix { $0 != "?" }
    guard let slash = path.lastIndex(of: "/") else { return try HTTPAddress("\(root)/\(text)") }
    return try HTTPAddress("\(root)\(path[...slash])\(text)")
  }

  /// The characters that need no encoding in a path and a query.
  private static let marks = Set("-._~!$&'()*+,;=:@/?[]".utf8)

  static func isAllowed(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || marks.contains(byte)
  }

  static func encoded(_ byte: UInt8) -> [UInt8] {
    [UInt8(ascii: "%")] + [byte >> 4, byte & 15].map { $0 < 10 ? 0x30 + $0 : 0x37 + $0 }
  }
}

extension HTTPAddress {
  /// Everything after the host and port; possibly empty.
  var pathAndQuery: Substring {
    guard let start = text.firstRange(of: "://")?.upperBound else { return "" }
    return text[start...].drop { $0 != "/" && $0 != "?" }
  }

  /// The path in a normalized form, without a slash at its end.
  var path: String {
    let source = Array(pathAndQuery.prefix { $0 != "?" }.utf8)
    var bytes: [UInt8] = []
    var next = 0
    while next < source.count {
      var byte = source[next]
      if byte == UInt8(ascii: "%"), next + 2 < source.count, let high = source[next + 1].nibble,
        let low = source[next + 2].nibble
      {
        byte = high << 4 | low
        next += 2
        // An encoded slash or question mark does not separate.
        let isPlain = DAVReference.isAllowed(byte) && !"/?".utf8.contains(byte)
        bytes += isPlain ? [byte] : DAVReference.encoded(byte)
      } else {
        bytes.append(byte)
      }
      next += 1
    }
    while bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The last component of the path, decoded.
  var lastName: String {
    let part = path.split(separator: "/").last ?? ""
    var bytes: [UInt8] = []
    var rest = Array(part.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), let high = rest.first?.nibble, let low = rest.dropFirst().first?.nibble {
        bytes.append(high << 4 | low)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension UInt8 {
  /// The value of a hexadecimal digit.
  fileprivate var nibble: UInt8? {
    switch self {
    case 0x30...0x39: self - 0x30
    case 0x41...0x46: self - 0x37
    case 0x61...0x66: self - 0x57
    default: nil
    }
  }
}
