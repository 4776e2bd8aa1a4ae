package import KeyplanModel
package import KeyplanPorts
package import KeyplanSecrets

/// One state of the store, for reading many values: the records are decrypted only once.
package struct StoreSnapshot: Sendable {
  /// Everything except the secrets.
  package let recorded: Recorded
  let store: SealedStore
  let sealer: Sealer
  let bindings: [Identifier<Key>: Sealer.Binding]

  /// The current values of keys in the given order.
  /// - Throws: `StoreError`, as `SealedStore.values(of:)` does.
  package func values(of keys: [Identifier<Key>]) throws(StoreError) -> [SecretBox] {
    let found = keys.compactMap { bindings[$0] }
    if found.count == keys.count, let values = try store.values(found, sealer) { return values }
    // Missing: removed by a later commit, or tampered with; the store can distinguish the two.
    return try store.values(of: keys)
  }

  /// The values that a version is made of, directly or through others, sorted. Those that are not kept any more, or are for other
  /// recipients, are left out.
  /// - Parameter parts: the records of the snapshot.
  package func contents(
    of version: KeyVersion, among parts: PartsOfValues
  ) throws(StoreError) -> [(part: ComposedPart, value: SecretBox)] {
    var contents: [(part: ComposedPart, value: SecretBox)] = []
    for part in parts.contents(of: version).sorted(by: { ($0.key, $0.number) < ($1.key, $1.number) }) {
      // Numbers begin again when a key is forgotten and declared again.
      guard recorded.keys[part.key]?.storedVersions.contains(where: part.isSame) == true else { continue }
      do throws(StoreError) {
        contents.append((part, try store.value(of: part.key, version: part.number)))
      } catch {
        guard error.code == .otherRecipients || error.code == .notRecorded else { throw error }
      }
    }
    return contents
  }
}

/// One key as it was read: its record, and access to the value that belongs to it.
package struct FoundKey: Sendable {
  package let name: Identifier<Key>
  package let record: KeyRecord
  let store: SealedStore
  let sealer: Sealer
  /// Nil if the value is not stored.
  let binding: Sealer.Binding?

  /// The value of the record's current version.
  /// - Throws: `StoreError`, as `SealedStore.value(of:version:)` does.
  package func value() throws(StoreError) -> SecretBox {
    if let binding, let value = try store.values([binding], sealer)?.first { return value }
    // Missing, as in `StoreSnapshot.values(of:)`.
    return try store.value(of: name, version: nil)
  }
}
