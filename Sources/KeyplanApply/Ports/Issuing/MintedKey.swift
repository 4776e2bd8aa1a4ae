public import KeyplanCore
public import KeyplanSecrets

/// A key that a provider made.
public struct MintedKey: Sendable {
  /// How the provider refers to it.
  public let id: String
  /// Its values.
  public let parts: KeyParts
  /// When it ends, if the provider says so.
  public let expires: Moment?

  package init(id: String, parts: KeyParts, expires: Moment? = nil) {
    self.id = id
    self.parts = parts
    self.expires = expires
  }
}

/// The parts of one key, such as an id and a secret that work only together.
public struct KeyParts: Redacted, Sendable {
  private let all: [String: SecretBox]

  package init(_ all: [String: SecretBox]) { self.all = all }

  /// The names of the parts, sorted.
  public var names: [String] { all.keys.sorted() }

  /// The value of a part.
  public subscript(name: String) -> SecretBox? { all[name] }
}
