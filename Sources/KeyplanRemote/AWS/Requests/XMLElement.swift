import KeyplanSecrets

/// Single elements of the XML in which STS answers. Its values have no attributes, children or references, so
/// anything else is refused instead of parsed.
enum XMLElement {
  /// The content of the only element with this name; nil if there is none, more than one, or more than text in it.
  static func secret(_ name: String, in body: SecretBox) -> SecretBox? {
    body.withBytes { bytes in
      range(of: name, in: bytes).map { SecretBox(Secret(copying: UnsafeRawBufferPointer(rebasing: bytes[$0]))) }
    }
  }

  static func text(_ name: String, in body: SecretBox) -> String? {
    body.withBytes { bytes in range(of: name, in: bytes).map { String(decoding: bytes[$0], as: UTF8.self) } }
  }

  private static func range(of name: String, in bytes: UnsafeRawBufferPointer) -> Range<Int>? {
    let (opening, closing) = (Array("<\(name)>".utf8), Array("</\(name)>".utf8))
    guard let start = bytes.firstRange(of: opening)?.upperBound,
      let end = bytes[start...].firstRange(of: closing)?.lowerBound,
      bytes[end...].firstRange(of: opening) == nil,
      !bytes[start..<end].contains(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") })
    else { return nil }
    return start..<end
  }
}
