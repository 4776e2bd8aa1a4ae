/// A text about a key in the manifest that keyplan only keeps and shows. A new one is a case here: the manifest's field and its schema,
/// records, plans, documents and texts follow from it.
package enum KeyText: String, CaseIterable, Sendable {
  case model

  /// The number of its field in records, which no other field ever gets (docs/store-format.md).
  package var number: UInt64 {
    switch self {
    case .model: 4
    }
  }

  /// A description, for the schema and the reference page.
  package var help: String {
    switch self {
    case .model: "The model that the key is meant for."
    }
  }

  package init?(number: UInt64) {
    guard let text = Self.allCases.first(where: { $0.number == number }) else { return nil }
    self = text
  }
}

/// The texts of a key. Most keys have none.
package struct KeyTexts: Hashable, Sendable {
  private struct Entry: Hashable, Sendable {
    let text: KeyText
    let value: String
  }

  /// Sorted by number, so that the same texts are equal.
  private var entries: [Entry] = []

  package init() {}

  package subscript(text: KeyText) -> String? {
    get { entries.first { $0.text == text }?.value }
    set {
      entries.removeAll { $0.text == text }
      guard let newValue else { return }
      entries.append(Entry(text: text, value: newValue))
      entries.sort { $0.text.number < $1.text.number }
    }
  }
}

/// Encodes a member for each text, next to the members of its owner.
extension KeyTexts: Codable {
  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ text: KeyText) { stringValue = text.rawValue }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Name.self)
    for text in KeyText.allCases { self[text] = try fields.decodeIfPresent(String.self, forKey: Name(text)) }
  }

  package func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Name.self)
    for entry in entries { try fields.encode(entry.value, forKey: Name(entry.text)) }
  }
}
