package import KeyplanCore
package import KeyplanSecrets

/// A key that a provider made.
package struct MintedKey: Sendable {
  /// How the provider refers to it.
  package let id: String
  package let parts: KeyParts
  package let expires: Moment?
}

/// The parts of one key, such as an id and a secret that work only together.
package struct KeyParts: Redacted, Sendable {
  private let all: [String: SecretBox]

  init(_ all: [String: SecretBox]) { self.all = all }

  /// The names of the parts, sorted.
  package var names: [String] { all.keys.sorted() }
  package subscript(name: String) -> SecretBox? { all[name] }
}
