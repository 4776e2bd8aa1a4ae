/// The permission bits of a file.
package struct FileMode: Hashable, Sendable, Codable {
  /// The nine bits.
  package let bits: UInt16

  /// The mode of a new file if none is declared.
  package static let ownerOnly = FileMode(bits: 0o600)

  /// Drops everything but the permission bits.
  package init(bits: UInt16) { self.bits = bits & 0o777 }

  /// Reads octal digits: `0640`, `640` or `0o640`. Nil for anything else, and for more than permission bits.
  package init?(_ text: some StringProtocol) {
    let digits = text.hasPrefix("0o") ? text.dropFirst(2) : text[...]
    guard (3...4).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x37).contains($0) }),
      let bits = UInt16(digits, radix: 8), bits <= 0o777
    else { return nil }
    self.bits = bits
  }

  /// Reads the digits.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let mode = FileMode(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a mode")
    }
    self = mode
  }

  /// Writes four digits.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }

  /// Whether group or others have access that the other mode does not grant; nil is `ownerOnly`.
  package func isOpen(beyond other: FileMode?) -> Bool { bits & 0o077 & ~(other ?? .ownerOnly).bits != 0 }
}

extension FileMode: CustomStringConvertible {
  /// Four octal digits: `0640`.
  package var description: String {
    let digits = String(bits, radix: 8)
    return String(repeating: "0", count: 4 - digits.utf8.count) + digits
  }
}
