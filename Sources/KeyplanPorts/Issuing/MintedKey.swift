package import KeyplanModel
package import KeyplanSecrets

/// A key that a provider made.
package struct MintedKey: Sendable {
  /// The provider's id for it.
  package let id: String
  /// Its values.
  package let parts: KeyParts
  /// The expiry date, if the provider sets one.
  package let expires: Moment?

  package init(id: String, parts: KeyParts, expires: Moment? = nil) {
    self.id = id
    self.parts = parts
    self.expires = expires
  }
}

/// The parts of one key, such as an id and a secret that work only together.
package struct KeyParts: Redacted, Sendable {
  private let all: [String: SecretBox]

  package init(_ all: [String: SecretBox]) { self.all = all }

  /// The names of the parts, sorted.
  package var names: [String] { all.keys.sorted() }

  /// The value of a part.
  package subscript(name: String) -> SecretBox? { all[name] }
}
