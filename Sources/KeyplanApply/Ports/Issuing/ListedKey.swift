public import KeyplanCore

/// A key in a provider's list.
public struct ListedKey: Hashable, Sendable {
  /// How the provider refers to it.
  public let id: String
  /// Nil if the key has none.
  public let name: String?
  /// Nil if the list does not say it.
  public let created: Moment?

  package init(id: String, name: String? = nil, created: Moment? = nil) {
    self.id = id
    self.name = name
    self.created = created
  }
}
