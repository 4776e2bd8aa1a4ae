package import KeyplanCore

/// A key in a provider's list.
package struct IssuedKey: Hashable, Sendable {
  package let id: String
  /// Nil if the key has none.
  package let name: String?
  /// Nil if the list does not say it.
  package let created: Moment?
}
