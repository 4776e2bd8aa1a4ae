/// The host that a credential helper answers for, with its port if it has one.
///
/// A program can request any host that a repository, an image or a configuration file names, so the complete text is compared: no wildcard,
/// no parent domain, no default port. Nothing is decoded.
package struct HelperHost: Hashable, Sendable, CustomStringConvertible {
  /// In lower case.
  package let description: String

  /// Nil for anything but a DNS name or an address, with or without a port.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    let end =
      bytes.first == UInt8(ascii: "[")
      ? bytes.firstIndex(of: UInt8(ascii: "]")).map { $0 + 1 } : bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.count
    guard let end, Self.isName(bytes[..<end]), Self.isPort(bytes[end...]) else { return nil }
    description = text.lowercased()
  }

  private static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
    if bytes.first == UInt8(ascii: "[") {
      return bytes.count > 3
        && bytes.dropFirst().dropLast().allSatisfy { isHexadecimal($0) || [0x3A, 0x2E].contains($0) }
    }
    guard bytes.count <= 253 else { return false }
    return bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
      guard let first = label.first, let last = label.last else { return false }
      return first != UInt8(ascii: "-") && last != UInt8(ascii: "-") && label.allSatisfy(isLabel)
    }
  }

  private static func isLabel(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }

  private static func isPort(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard let colon = bytes.first else { return true }
    let digits = bytes.dropFirst()
    guard colon == UInt8(ascii: ":"), (1...5).contains(digits.count), digits.first != UInt8(ascii: "0"),
      digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return false }
    return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } <= 65535
  }
}

/// An https URL without a user, as far as a helper looks at one.
package struct HTTPSAddress: Hashable, Sendable {
  package let host: HelperHost
  /// With its slash; empty if there is none. A query belongs to it.
  package let path: String

  /// Nil for another scheme, a user or a password, and a host that is not one.
  package init?(_ text: String) {
    let (bytes, scheme) = (Array(text.utf8), Array("https://".utf8))
    guard bytes.starts(with: scheme) else { return nil }
    let rest = bytes.dropFirst(scheme.count)
    let end = rest.firstIndex { "/?#".utf8.contains($0) } ?? rest.endIndex
    guard let host = HelperHost(String(decoding: rest[..<end], as: UTF8.self)) else { return nil }
    (self.host, path) = (host, String(decoding: rest[end...], as: UTF8.self))
  }
}
