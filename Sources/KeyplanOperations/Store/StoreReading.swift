internal import KeyplanApply
package import KeyplanCore
package import KeyplanReporting
package import KeyplanSecrets
package import KeyplanStore

/// An open store for readers: `get`, `env`, `run`. Evaluates policies at its own now and fails closed.
package struct StoreReading {
  private let store: SealedStore
  private let world: World

  /// Opens the store that belongs to the manifest, without asking what the manifest says about keys, and reads in it.
  package nonisolated(nonsending) static func reading<Value: Sendable>(
    in world: World, _ read: @escaping @Sendable (Self) throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let (place, identities) = (try ResolvedStore(in: world), try await Identities(in: world))
    OpenStore.log(place, identities, in: world)
    return try await place.waiting(in: world) { () throws(Failure) in
      try read(
        StoreReading(store: try OpenStore.open(place, identities, .reading), world: world))
    }
  }

  /// All records without values.
  package nonisolated(nonsending) static func recorded(in world: World) async throws(Failure)
    -> Recorded
  {
    try await reading(in: world) { store throws(Failure) in try store.recorded() }
  }

  private func recorded() throws(Failure) -> Recorded {
    try Failure.from { () throws(StoreError) in try store.recorded() }
  }

  /// The records, and access to their values.
  package func snapshot() throws(Failure) -> StoreSnapshot {
    try Failure.from { () throws(StoreError) in try store.snapshot() }
  }

  /// The value of `KEY` or `active.SLOT`. Reads only the required records.
  package func value(named name: String) throws(Failure) -> SecretBox {
    let key: Identifier<Key>?
    if name.hasPrefix("active."), let slot = Identifier<Slot>(name.dropFirst("active.".count)) {
      key = try Failure.from { () throws(StoreError) in try store.record(of: slot) }?.key
    } else {
      key = Identifier<Key>(name.hasPrefix("key.") ? String(name.dropFirst("key.".count)) : name)
    }
    guard let key, let record = try Failure.from({ () throws(StoreError) in try store.record(of: key) })
    else { throw unknown(name, try recorded()) }
    try check([(key, record)])
    return try Failure.from { () throws(StoreError) in try store.value(of: key, version: nil) }
  }

  /// The values of keys, in their order.
  package func values(of keys: [Identifier<Key>], in snapshot: StoreSnapshot) throws(Failure) -> [SecretBox] {
    var records: [(Identifier<Key>, KeyRecord)] = []
    for key in keys {
      guard let record = snapshot.recorded.keys[key] else { throw unknown(key.name, snapshot.recorded) }
      records.append((key, record))
    }
    try check(records)
    return try Failure.from { () throws(StoreError) in try snapshot.values(of: keys) }
  }

  /// Revoked and retired keys are not served; expired keys that are not retired are, with a warning.
  private func check(_ records: [(Identifier<Key>, KeyRecord)]) throws(Failure) {
    var revoked: [String] = []
    var retired: [String] = []
    var ended: [String] = []
    for (key, record) in records {
      switch record.serving(at: world.now) {
      case .asUsual: break
      case .revoked(let since, let reason):
        revoked.append("\"\(key)\" was revoked on \(since.date)\(reason.map { ": \($0)" } ?? ".")")
      case .retired(let since): retired.append("\"\(key)\" was retired on \(since.date).")
      case .pastItsEnd(let since):
        ended.append("\"\(key)\" expired on \(since.date). It remains available until an apply retires or replaces it.")
      }
    }
    guard revoked.isEmpty else {
      throw Failure(.failed, "Key is revoked", revoked.joined(separator: "\n"), hint: Self.renewal)
    }
    guard retired.isEmpty else {
      throw Failure(.failed, "Key has been retired", retired.joined(separator: "\n"), hint: Self.renewal)
    }
    guard !ended.isEmpty else { return }
    world.console.warn(
      Warning("Key has expired", ended.joined(separator: "\n"), hint: Self.renewal, isRoutine: true))
  }

  private static let renewal = "Issue a new key at the provider, store it at the source, and apply."

  private func unknown(_ name: String, _ recorded: Recorded) -> Failure {
    if name.hasPrefix("active.") {
      let near = Suggestion.nearest(to: name, among: recorded.slots.keys.map { "active.\($0)" })
      return Failure(
        .failed, "No active key", "\(name) has no active key.",
        hint: near.map { "Did you mean \($0)?" } ?? "Choose a key under `active` in the manifest, and apply.")
    }
    let near = Suggestion.nearest(to: name, among: recorded.keys.keys.map(\.name))
    return Failure(
      .failed, "Not recorded", "The store has no key \"\(name)\".",
      hint: near.map { "Did you mean \($0)?" } ?? "Declare it in the manifest, and apply.")
  }
}
