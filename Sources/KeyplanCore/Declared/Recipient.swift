/// Somebody, or some machine, who can open the store.
public struct Recipient: Hashable, Sendable, Codable {
  /// What a recipient can do with the store.
  public enum Role: String, Sendable, Codable, CaseIterable {
    /// Open everything.
    case full
    /// Plan and drift, and open no secret.
    case plan
  }

  /// The public key: an age X25519 recipient, `age1…`.
  public let publicKey: String
  /// What it can do.
  public let role: Role

  /// Trusts that the key has been checked.
  public init(publicKey: String, role: Role = .full) {
    self.publicKey = publicKey
    self.role = role
  }
}
