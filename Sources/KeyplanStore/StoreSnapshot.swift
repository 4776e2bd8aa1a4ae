package import KeyplanApply
package import KeyplanCore
package import KeyplanSecrets

/// One state of the store, for readers of many values: the records are opened once, and from them the values are found.
package struct StoreSnapshot: Sendable {
  /// Everything but the secrets.
  package let recorded: Recorded
  let store: SealedStore
  let sealer: Sealer
  let bindings: [Identifier<Key>: Sealer.Binding]

  /// The current values of keys, in their order.
  /// - Throws: `StoreError`, as `SealedStore.values(of:)` does.
  package func values(of keys: [Identifier<Key>]) throws(StoreError) -> [SecretBox] {
    let found = keys.compactMap { bindings[$0] }
    if found.count == keys.count, let values = try store.values(found, sealer) { return values }
    // A commit since then dropped one, or it was taken away: the store knows how to tell the two apart.
    return try store.values(of: keys)
  }
}
