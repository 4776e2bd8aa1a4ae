/// Keys to revoke, disable or renew at their provider.
package struct IssuedKeys: Hashable, Sendable, Codable {
  /// The keys, oldest first.
  package let keys: [Key]

  /// One of them.
  package struct Key: Hashable, Sendable, Codable {
    /// The place where it was made.
    package let place: Destination
    /// The provider's id for it.
    package let id: String

    package init(place: Destination, id: String) {
      self.place = place
      self.id = id
    }
  }

  package init(keys: [Key]) { self.keys = keys }
}
