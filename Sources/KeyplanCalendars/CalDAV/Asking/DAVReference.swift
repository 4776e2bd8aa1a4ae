import KeyplanHTTP

/// What stands in an `href` or a `Location` (RFC 3986, section 4): an address of its own, or a path at the one asked.
struct DAVReference: Hashable, Sendable {
  /// With all bytes that a URL must not hold percent-encoded; some services forget to. Without a fragment.
  private let text: String

  init(_ text: String) {
    var bytes: [UInt8] = []
    for byte in text.utf8.prefix(while: { $0 != UInt8(ascii: "#") }) {
      if byte == UInt8(ascii: "%") || Self.isAllowed(byte) { bytes.append(byte) } else { bytes += Self.encoded(byte) }
    }
    self.text = String(decoding: bytes, as: UTF8.self)
  }

  /// Where it leads from the address that answered it.
  /// - Throws: `HTTPError` if that is no address that can be called.
  func resolved(at base: HTTPAddress) throws(HTTPError) -> HTTPAddress {
    let root = base.text.prefix(base.text.count - base.pathAndQuery.count)
    if text.hasPrefix("//") { return try HTTPAddress("\(base.scheme):\(text)") }
    if text.hasPrefix("/") { return try HTTPAddress(root + text) }
    // What has a colon before its first slash begins with a scheme.
    let first = text.prefix { $0 != "/" && $0 != "?" }
    if first.contains(":") { return try HTTPAddress(text) }
    let path = base.pathAndQuery.prefix { $0 != "?" }
    guard let slash = path.lastIndex(of: "/") else { return try HTTPAddress("\(root)/\(text)") }
    return try HTTPAddress("\(root)\(path[...slash])\(text)")
  }

  /// The bytes of a path and a query as they may stand in a URL.
  private static let marks = Set("-._~!$&'()*+,;=:@/?[]".utf8)

  static func isAllowed(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || marks.contains(byte)
  }

  static func encoded(_ byte: UInt8) -> [UInt8] {
    [UInt8(ascii: "%")] + [byte >> 4, byte & 15].map { $0 < 10 ? 0x30 + $0 : 0x37 + $0 }
  }
}

extension HTTPAddress {
  /// Everything after the host and its port; empty where nothing was written.
  var pathAndQuery: Substring {
    guard let start = text.firstRange(of: "://")?.upperBound else { return "" }
    return text[start...].drop { $0 != "/" && $0 != "?" }
  }

  /// The same for all spellings of the path, with or without a slash at its end.
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
        // An encoded slash is none, and so is an encoded question mark.
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

  /// The last part of its path, as a person would write it.
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
  /// A hexadecimal digit's value.
  fileprivate var nibble: UInt8? {
    switch self {
    case 0x30...0x39: self - 0x30
    case 0x41...0x46: self - 0x37
    case 0x61...0x66: self - 0x57
    default: nil
    }
  }
}
