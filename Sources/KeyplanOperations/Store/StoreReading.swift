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
    guard let key = try key(named: name),
      let record = try Failure.from({ () throws(StoreError) in try store.record(of: key) })
    else { throw unknown(name, try recorded()) }
    try check([(key, record)])
    return try Failure.from { () throws(StoreError) in try store.value(of: key, version: nil) }
  }

  /// What is recorded under `KEY` or `active.SLOT`, for a program that decides by itself whether to use it; nil for nothing.
  /// - Parameter known: the version for which no value is needed.
  package func current(
    _ name: String, unlessVersion known: String?
  ) throws(Failure) -> (key: Identifier<Key>, record: KeyRecord, serving: Serving, value: SecretBox?)? {
    let key = try key(named: name)
    guard let key, let record = try Failure.from({ () throws(StoreError) in try store.record(of: key) }) else {
      return nil
    }
    let serving = record.serving(at: world.now)
    let isServed: Bool
    if case .revoked = serving {
      isServed = false
    } else if case .retired = serving {
      isServed = false
    } else {
      isServed = true
    }
    guard isServed, known != Self.version(of: record, key) else { return (key, record, serving, nil) }
    return (key, record, serving, try Failure.from { () throws(StoreError) in try store.value(of: key, version: nil) })
  }

  /// Another one for each value of each key.
  package static func version(of record: KeyRecord, _ key: Identifier<Key>) -> String {
    "\(key)@\(record.version.number).\(record.version.storedAt.seconds)"
  }

  private func key(named name: String) throws(Failure) -> Identifier<Key>? {
    if name.hasPrefix("active."), let slot = Identifier<Slot>(name.dropFirst("active.".count)) {
      return try Failure.from { () throws(StoreError) in try store.record(of: slot) }?.key
    }
    return Identifier<Key>(name.hasPrefix("key.") ? String(name.dropFirst("key.".count)) : name)
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
    var refused: [String] = []
    for (key, record) in records {
      switch record.serving(at: world.now) {
      case .asUsual: break
      case .revoked(let since, let reason):
        revoked.append("\"\(key)\" was revoked on \(since.date)\(reason.map { ": \($0)" } ?? ".")")
      case .retired(let since): retired.append("\"\(key)\" was retired on \(since.date).")
      case .refusedByProvider(let check): refused.append("\"\(key)\" \(check.words).")
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
    if !refused.isEmpty {
      world.console.warn(
        Warning("Provider rejects the key", refused.joined(separator: "\n"), hint: Self.renewal, isRoutine: true))
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
