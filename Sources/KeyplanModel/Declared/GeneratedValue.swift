/// The form of a random value that keyplan generates, such as a session secret.
package struct GeneratedValue: Hashable, Sendable {
  /// The text form of its random bytes.
  package let format: Format
  /// The number of random bytes; nil for a UUID, whose length is fixed.
  package let bytes: Int?

  /// The text form of random bytes.
  package enum Format: String, Sendable, Codable, CaseIterable {
    /// Two lower-case digits for each byte.
    case hex
    /// RFC 4648, section 5, without padding.
    case base64url
    /// Version 4, RFC 9562: 122 random bits, in lower case.
    case uuid
  }

  /// The permitted numbers of bytes: fewer than 16 can be guessed, and more than 1024 give no more protection.
  package static let allowedBytes = 16...1024
  /// As many as a key of AES-256 or HMAC-SHA-256 has.
  package static let defaultBytes = 32

  /// Nil for a number of bytes that is not allowed, and for a UUID with a number of bytes.
  package init?(_ format: Format, bytes: Int? = nil) {
    self.format = format
    guard format != .uuid else {
      guard bytes == nil else { return nil }
      self.bytes = nil
      return
    }
    let count = bytes ?? Self.defaultBytes
    guard Self.allowedBytes.contains(count) else { return nil }
    self.bytes = count
  }

  /// The form in a canonical text; nil for any other text. No reference and no address begins like one.
  package static func form(in text: String) -> String? {
    text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : nil
  }

  private static let prefix = "generate: "
}

/// `generate: hex, 32 bytes`: the canonical text, as the store records it in place of a reference.
extension GeneratedValue: CustomStringConvertible {
  /// The canonical text.
  package var description: String { Self.prefix + form }

  /// `hex, 32 bytes`
  package var form: String { format.rawValue + (bytes.map { ", \($0) bytes" } ?? "") }
}

/// `{"format":"hex","bytes":32}`
extension GeneratedValue: Codable {
  private enum Field: String, CodingKey { case format, bytes }

  /// Leaves `bytes` out for a UUID.
  package func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Field.self)
    try fields.encode(format, forKey: .format)
    try fields.encodeIfPresent(bytes, forKey: .bytes)
  }

  /// Reads what `encode` writes.
  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Field.self)
    let format = try fields.decode(Format.self, forKey: .format)
    guard let value = GeneratedValue(format, bytes: try fields.decodeIfPresent(Int.self, forKey: .bytes)) else {
      throw DecodingError.dataCorruptedError(
        forKey: .bytes, in: fields, debugDescription: "A generated value has 16 to 1024 bytes, a UUID a fixed number.")
    }
    self = value
  }
}
