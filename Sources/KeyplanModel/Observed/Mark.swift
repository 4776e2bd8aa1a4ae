/// A date, a digest or a version that a place shows for a value which it does not show. Opaque: two marks are the same or not, and neither
/// is newer.
package struct Mark: Hashable, Sendable {
  /// The mark, in the place's own words.
  package let text: String

  /// Any text will do.
  package init(_ text: String) { self.text = text }
}

extension Mark: Codable {
  /// Reads the text.
  package init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }

  /// Writes the text.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
