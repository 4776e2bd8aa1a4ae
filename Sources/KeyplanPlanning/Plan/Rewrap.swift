package import KeyplanModel

/// A change of the store's recipients.
package struct Rewrap: Hashable, Sendable, Codable {
  /// Everybody afterwards.
  package let recipients: [Recipient]
  /// The names of added recipients, sorted.
  package let added: [String]
  /// The names of removed recipients, sorted. If there are any, the root key is replaced.
  package let removed: [String]
  /// Whether the root key is replaced although no recipient is removed; absent otherwise.
  package let freshRoot: Bool?

  /// A recipient with its name.
  package struct Recipient: Hashable, Sendable, Codable {
    /// The name in the manifest.
    package let name: Identifier<KeyplanModel.Recipient>
    /// The public key and the role.
    package let value: KeyplanModel.Recipient

    package init(name: Identifier<KeyplanModel.Recipient>, value: KeyplanModel.Recipient) {
      self.name = name
      self.value = value
    }
  }

  package init(recipients: [Recipient], added: [String], removed: [String], freshRoot: Bool? = nil) {
    self.freshRoot = freshRoot
    self.recipients = recipients
    self.added = added
    self.removed = removed
  }
}

extension Rewrap {
  /// A fresh root key for the same recipients.
  package init(rekeying recipients: [Identifier<KeyplanModel.Recipient>: KeyplanModel.Recipient]) {
    self.init(
      recipients: recipients.inOrder.map { Recipient(name: $0.key, value: $0.value) }, added: [], removed: [],
      freshRoot: true)
  }

  /// Whether the store gets a fresh root key.
  package var replacesRootKey: Bool { !removed.isEmpty || freshRoot == true }

  /// The change from one set of recipients to another. A recipient that keeps its key and loses a role counts as removed, because it must no
  /// longer be able to use the keys that it knows.
  package init(
    from old: [Identifier<KeyplanModel.Recipient>: KeyplanModel.Recipient],
    to new: [Identifier<KeyplanModel.Recipient>: KeyplanModel.Recipient]
  ) {
    let known = Set(new.values.map(\.publicKey))
    let full = Set(new.values.lazy.filter { $0.role == .full }.map(\.publicKey))
    self.init(
      recipients: new.inOrder.map { Recipient(name: $0.key, value: $0.value) },
      added: new.filter { old[$0.key] != $0.value }.keys.map(\.name).sorted(),
      removed: old.filter { !($0.value.role == .full ? full : known).contains($0.value.publicKey) }
        .keys.map(\.name).sorted())
  }
}
