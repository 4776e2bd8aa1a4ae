/// Somebody, or some machine, who can open the store.
public struct Recipient: Hashable, Sendable, Codable {
  /// What a recipient can do with the store.
  public enum Role: String, Sendable, Codable, CaseIterable {
    /// Open everything.
    case full
    /// Plan and drift, and open no secret.
    case plan
  }

  /// The public key: an age recipient, `age1…` or `age1pq1…`, or an SSH public key without its comment.
  public let publicKey: String
  /// What it can do.
  public let role: Role

  /// Trusts that the key has been checked.
  public init(publicKey: String, role: Role = .full) {
    self.publicKey = publicKey
    self.role = role
  }
}

extension Recipient {
  /// Whether what is encrypted to it withstands quantum computers.
  package var isPostQuantum: Bool { publicKey.hasPrefix("age1pq1") }

  /// A public key for people: one of more than 100 characters is shortened in its middle.
  package static func abbreviated(_ key: String) -> String {
    key.utf8.count <= 100 ? key : "\(key.prefix(24))…\(key.suffix(24))"
  }
}
