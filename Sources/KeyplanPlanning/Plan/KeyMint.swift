package import KeyplanModel

/// Making a key at its provider.
package struct KeyMint: Hashable, Sendable, Codable {
  /// The place where the key is made.
  package let place: Destination
  /// The keys that get its values, with the revisions of their records; nil for none.
  package let parts: [Part]

  /// One value of the key.
  package struct Part: Hashable, Sendable, Codable {
    /// The provider's name for it.
    package let name: String
    /// The key that gets it.
    package let key: Identifier<Key>
    /// The revision of its record; nil if there is none.
    package let revision: Int64?

    package init(_ name: String, _ key: Identifier<Key>, revision: Int64?) {
      self.name = name
      self.key = key
      self.revision = revision
    }
  }

  package init(place: Destination, parts: [Part]) {
    self.place = place
    self.parts = parts
  }
}

/// Requests for keys that got no answer, and that the provider may have carried out since.
package struct LateKeys: Hashable, Sendable, Codable {
  package let place: Destination
  /// The labels of the keys.
  package let labels: [String]

  package init(place: Destination, labels: [String]) {
    self.place = place
    self.labels = labels
  }
}
