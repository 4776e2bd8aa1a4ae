/// Making a key at its provider.
public struct KeyMint: Hashable, Sendable, Codable {
  /// Whose key it becomes.
  public let place: Destination
  /// The keys that get its values, with the revisions of their records; nil for none.
  public let parts: [Part]

  /// One value of the key.
  public struct Part: Hashable, Sendable, Codable {
    /// What the provider's description calls it.
    public let name: String
    /// The key that gets it.
    public let key: Identifier<Key>
    /// The revision of its record; nil where there is none.
    public let revision: Int64?

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
public struct LateKeys: Hashable, Sendable, Codable {
  /// Where.
  public let place: Destination
  /// The labels of the keys.
  public let labels: [String]

  package init(place: Destination, labels: [String]) {
    self.place = place
    self.labels = labels
  }
}

/// Keys at their provider that end, or whose end is put off.
public struct IssuedKeys: Hashable, Sendable, Codable {
  /// The keys, oldest first.
  public let keys: [Key]

  /// One of them.
  public struct Key: Hashable, Sendable, Codable {
    /// Whose key it is.
    public let place: Destination
    /// How the provider refers to it.
    public let id: String

    package init(place: Destination, id: String) {
      self.place = place
      self.id = id
    }
  }

  package init(keys: [Key]) { self.keys = keys }
}
