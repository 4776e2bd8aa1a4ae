/// Who joins and who leaves.
public struct Rewrap: Hashable, Sendable, Codable {
  /// Everybody afterwards.
  public let recipients: [Recipient]
  /// The names that join, sorted.
  public let added: [String]
  /// The names that leave, sorted; not empty means a fresh root key.
  public let removed: [String]

  /// A recipient with its name.
  public struct Recipient: Hashable, Sendable, Codable {
    /// The name in the manifest.
    public let name: Identifier<KeyplanCore.Recipient>
    /// The public key and the role.
    public let value: KeyplanCore.Recipient

    package init(name: Identifier<KeyplanCore.Recipient>, value: KeyplanCore.Recipient) {
      self.name = name
      self.value = value
    }
  }

  package init(recipients: [Recipient], added: [String], removed: [String]) {
    self.recipients = recipients
    self.added = added
    self.removed = removed
  }
}

extension Rewrap {
  /// The way from some recipients to others. Who keeps the key and loses a role leaves too: what it knows must end.
  public init(
    from old: [Identifier<KeyplanCore.Recipient>: KeyplanCore.Recipient],
    to new: [Identifier<KeyplanCore.Recipient>: KeyplanCore.Recipient]
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
