import KeyplanAge
import KeyplanModel
import KeyplanPorts

extension CommitBuilder {
  typealias Members = [Identifier<Recipient>: Recipient]

  /// The group whose key seals the values of a record that is about to be written; nil for all recipients with full access.
  mutating func group(
    of name: Identifier<Key>, _ record: KeyRecord, _ old: StoredKey?
  ) throws(StoreError) -> RowID? {
    guard let names = record.facts.recipients else { return nil }
    if let old, let group = old.group, old.record.facts.recipients == names { return group }
    let members = state.recipients.filter { names.contains($0.key) && $0.value.role == .full }
    guard members.count == names.count, !members.isEmpty else {
      throw StoreError(
        .refused, "The key \(name) is for recipients that do not have full access to the store.",
        hint: "Name recipients with full access.")
    }
    let group = try group(of: members)
    guard let group else { throw .otherRecipients(of: name, names) }
    return group
  }

  /// A key's record for a fresh root key, under which its values get a group of the same recipients, as far as they remain.
  mutating func succeeding(_ key: StoredKey, _ before: CommitBuilder) throws(StoreError) -> StoredKey {
    guard key.group != nil else { return key }
    var key = key
    key.record.facts = key.record.facts.renaming(before.successor)
    let names = Set(key.record.facts.recipients ?? [])
    let members = state.recipients.filter { names.contains($0.key) }
    guard !members.isEmpty else {
      throw StoreError(
        .refused, "Nobody could open the key \(key.name): it is only for recipients that are removed.",
        hint: "Give it other recipients and apply that, before they are removed.")
    }
    key.group = try group(of: members)
    return key
  }

  /// The name of a recipient after this commit: of the one with the same key, otherwise with the same name. Nil for one that is
  /// removed, or can only plan.
  private func successor(of name: Identifier<Recipient>) -> Identifier<Recipient>? {
    let full = state.recipients.filter { $0.value.role == .full }
    guard let old = recipientsBefore[name] else { return full[name] == nil ? nil : name }
    return full.first { $0.value.publicKey == old.publicKey }?.key ?? (full[name] == nil ? nil : name)
  }

  private var hasGroups: Bool { header.keyring.keys.contains { GroupKey.id(slot: $0) != nil } }

  /// Whether a commit of these recipients changes the records of keys that name them.
  func renamesReaders(to recipients: Members) -> Bool {
    let names = Dictionary(recipients.map { ($0.value.publicKey, $0.key) }) { first, _ in first }
    return hasGroups
      && state.recipients.contains { old, recipient in names[recipient.publicKey].map { new in new != old } ?? false }
  }

  /// Records the keys' recipients under their current names, so that no one else gains access through an old one.
  mutating func renameReaders() throws(StoreError) {
    guard hasGroups else { return }
    for id in Set(rows.keys).union(written.keys) {
      switch try record(id) {
      case .key(var key)? where key.group != nil:
        key.record.facts = key.record.facts.renaming(successor)
        set(id, .key(key))
      case .forgotten(var key, let moment)? where key.group != nil:
        key.record.facts = key.record.facts.renaming(successor)
        set(id, .forgotten(key, at: moment))
      default: break
      }
    }
  }

  /// The group of these recipients, made if there is none; nil if the identity in use is not among them.
  private mutating func group(of members: Members) throws(StoreError) -> RowID? {
    let id = GroupKey.id(of: members, under: sealer.keys)
    if sealer.groups[id] != nil { return id }
    guard !header.keyring.keys.contains(where: { GroupKey.id(slot: $0) == id }) else { return nil }
    let key = GroupKey(new: id, under: sealer.keys)
    let files = try key.files(for: try Self.encryptionRecipients(members, for: .full), plugins: plugins)
    guard try opensGroup(Array(files.values)) else { return nil }
    sealer.groups[id] = key
    newGroupFiles.merge(files) { $1 }
    return id
  }

  /// If two recipients exchanged their public keys, each would keep the other's values.
  func requireSameKeys(for recipients: Members) throws(StoreError) {
    guard hasGroups else { return }
    let changed = state.recipients.filter { name, old in
      recipients[name].map { $0.publicKey != old.publicKey } ?? false
    }
    guard changed.isEmpty else {
      throw StoreError(
        .refused,
        "The names of recipients (\(changed.keys.map(\.name).sorted().joined(separator: ", "))) cannot be exchanged in a store with values for some of them only.",
        hint: "Remove one of them, apply, and add it again.")
    }
  }

  /// Verifies a group's key with a value that it has sealed: a recipient with full access who is not in the group could put a
  /// key of their own in its place.
  func requireAuthentic(_ key: StoredKey, in id: RowID) throws(StoreError) {
    if let binding = key.binding(key.record.version, in: id) { _ = try keptValue(binding) }
  }
}

extension KeyFacts {
  fileprivate func renaming(
    _ successor: (Identifier<Recipient>) -> Identifier<Recipient>?
  ) -> KeyFacts {
    guard let recipients else { return self }
    return with(recipients: Set(recipients.compactMap(successor)).sorted())
  }
}

extension Sealer {
  /// Whether the values of a key are for others only.
  func isClosed(_ key: StoredKey) -> Bool { key.group.map { groups[$0] == nil } ?? false }
}
