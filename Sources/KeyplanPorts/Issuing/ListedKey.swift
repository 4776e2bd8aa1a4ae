package import KeyplanModel

/// A key in a provider's list.
package struct ListedKey: Hashable, Sendable {
  /// The provider's id for it.
  package let id: String
  /// Nil if the key has none.
  package let name: String?
  /// Nil if the list does not contain it.
  package let created: Moment?

  package init(id: String, name: String? = nil, created: Moment? = nil) {
    self.id = id
    self.name = name
    self.created = created
  }
}
