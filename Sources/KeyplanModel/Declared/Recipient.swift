/// A person or a machine that can open the store.
package struct Recipient: Hashable, Sendable, Codable {
  /// The access of a recipient to the store.
  package enum Role: String, Sendable, Codable, CaseIterable {
    /// Open everything.
    case full
    /// Plan and drift, and open no secret.
    case plan
  }

  /// The public key: an age recipient, `age1…`, `age1pq1…` or an age plugin's `age1NAME1…`, or an SSH public key without its comment.
  package let publicKey: String
  package let role: Role

  /// Trusts that the key has been checked.
  package init(publicKey: String, role: Role = .full) {
    self.publicKey = publicKey
    self.role = role
  }
}

extension Recipient {
  /// The program that encrypts to it; nil for a recipient that is not an age plugin's.
  package var plugin: ExternalAccess? {
    guard publicKey.hasPrefix("age1"), let end = publicKey.lastIndex(of: "1") else { return nil }
    let name = publicKey[..<end].dropFirst(4)
    // Those have the form of plugins, and need none.
    guard !name.isEmpty, !["pq", "tag", "tagpq"].contains(name) else { return nil }
    return ExternalAccess(.plugin, "age-plugin-\(name)")
  }

  /// Whether data encrypted to it is known to withstand quantum computers.
  package var isPostQuantum: Bool { publicKey.hasPrefix("age1pq1") }

  /// A public key for people: one of more than 100 characters is shortened in its middle.
  package static func abbreviated(_ key: String) -> String {
    key.utf8.count <= 100 ? key : "\(key.prefix(24))…\(key.suffix(24))"
  }
}

extension [Identifier<Recipient>: Recipient] {
  /// The programs that encrypt to them.
  package var plugins: Set<ExternalAccess> { Set(values.compactMap(\.plugin)) }
}
