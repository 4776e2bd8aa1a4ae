/// The name of one thing of one kind: `Identifier<Key>` and `Identifier<Target>` do not mix.
///
/// Shape: `[a-z0-9][a-z0-9_-]{0,62}`. A name has no dot, so that `active.x` and `target.app.NAME` are unambiguous. The
/// exception is a part of a key: `aws-deploy.accessKeyId`.
package struct Identifier<Thing>: Hashable, Sendable, Codable {
  /// The name as written.
  package let name: String

  /// Nil when the shape does not fit.
  package init?(_ name: some StringProtocol) {
    if let whole = Self(whole: name) {
      self = whole
      return
    }
    guard Thing.self == Key.self, let dot = name.firstIndex(of: "."), Self(whole: name[..<dot]) != nil,
      Self.isPart(name[name.index(after: dot)...].utf8)
    else { return nil }
    self.name = String(name)
  }

  /// The same without parts, as names are declared.
  package init?(whole name: some StringProtocol) {
    // The compiler makes no loop of its own for the strings of other modules, and each byte would cost four calls.
    guard name.utf8.withContiguousStorageIfAvailable({ Self.isName($0) }) ?? Self.isName(name.utf8) else { return nil }
    self.name = String(name)
  }

  /// A name from the program's own text, which fits the shape.
  package init(own name: StaticString) { self.name = "\(name)" }

  /// Decodes the bare name and validates its form.
  package init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    guard let identifier = Self(text) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "This is not a name: [a-z0-9][a-z0-9_-]{0,62}."))
    }
    self = identifier
  }

  /// Encodes the bare name.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(name)
  }

  private static func isName(_ bytes: some Collection<UInt8>) -> Bool {
    guard let first = bytes.first, bytes.count <= 63, isAlphanumeric(first) else { return false }
    return bytes.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
  }

  /// `[A-Za-z][A-Za-z0-9_]{0,62}`, as descriptions of providers call the parts of a key.
  private static func isPart(_ bytes: some Collection<UInt8>) -> Bool {
    func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }
    guard let first = bytes.first, bytes.count <= 63, isLetter(first) else { return false }
    return bytes.allSatisfy { isLetter($0) || isAlphanumeric($0) || $0 == UInt8(ascii: "_") }
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}

extension Identifier: Comparable {
  /// By bytes, so that every list is in the same order on every machine.
  package static func < (left: Self, right: Self) -> Bool { left.name < right.name }
}

extension Identifier: CustomStringConvertible {
  /// The name.
  package var description: String { name }
}

extension Identifier<Key> {
  /// Of one part of a key that has several; nil for a name that is none.
  package init?(part: String, of key: Identifier<Key>) { self.init("\(key.name).\(part)") }

  /// The name of the key that this is a part of; nil for a key that is not one of several parts.
  package var whole: Identifier<Key>? {
    name.utf8.firstIndex(of: UInt8(ascii: ".")).flatMap { Identifier(whole: name[..<$0]) }
  }

  /// The part's own name: `accessKeyId`; the whole name of a key that is not one of several parts.
  package var partName: String { name.firstIndex(of: ".").map { String(name[name.index(after: $0)...]) } ?? name }
}
