/// The way in which a key is made at its provider.
package struct Minting: Hashable, Sendable {
  // Stored indirectly: few keys have one, and it would enlarge every key.
  @Indirect private var content: Content

  private struct Content: Hashable {
    let key: Identifier<Key>
    let parts: [Part]
    let place: Destination
    let manual: ManualMint?
  }

  /// The key as the manifest names it.
  package var key: Identifier<Key> { content.key }
  /// The keys that get its values, in order of the parts' names: one, or several that work only together.
  package var parts: [Part] { content.parts }
  /// The place where keys are made. Its `type` is the name of a connection.
  package var place: Destination { content.place }
  /// Instructions for making a key by hand; nil if keyplan makes it.
  package var manual: ManualMint? { content.manual }

  /// One value of a key.
  package struct Part: Hashable, Sendable {
    /// The provider's name for it.
    package let name: String
    /// The key that gets it.
    package let key: Identifier<Key>

    package init(_ name: String, _ key: Identifier<Key>) {
      self.name = name
      self.key = key
    }
  }

  package init(_ key: Identifier<Key>, _ parts: [Part], at place: Destination, manual: ManualMint? = nil) {
    content = Content(key: key, parts: parts, place: place, manual: manual)
  }

  /// The key with whose record the provider's ids are recorded.
  package var holder: Identifier<Key> { parts.first?.key ?? key }

  /// The place in a canonical text; nil for any other text. No reference and no address begins like one.
  package static func place(in text: String) -> String? {
    text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : nil
  }

  private static let prefix = "mint: "
}

/// `mint: openai-admin proj_1`: the canonical text, as the store records it in place of a reference.
extension Minting: CustomStringConvertible {
  /// The canonical text.
  package var description: String { Self.prefix + place.brief }
}

extension Destination {
  /// `openai-admin proj_1`
  package var brief: String { location.isEmpty ? type : "\(type) \(location)" }
}
