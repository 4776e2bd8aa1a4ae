/// Keys at their provider that end, or whose end is put off.
package struct IssuedKeys: Hashable, Sendable, Codable {
  /// The keys, oldest first.
  package let keys: [Key]

  /// One of them.
  package struct Key: Hashable, Sendable, Codable {
    /// Whose key it is.
    package let place: Destination
    /// How the provider refers to it.
    package let id: String

    package init(place: Destination, id: String) {
      self.place = place
      self.id = id
    }
  }

  package init(keys: [Key]) { self.keys = keys }
}
