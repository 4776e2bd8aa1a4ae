internal import KeyplanApply
internal import KeyplanCore
internal import KeyplanSecrets
internal import KeyplanStore

/// An open store for readers: `get`, `env`, `run`. Evaluates policies at its own now and fails closed.
struct StoreReading {
  private let store: SealedStore
  private let now: Moment

  /// Opens the store that belongs to the manifest, without asking what the manifest says about keys, and reads in it.
  nonisolated(nonsending) static func reading<Value: Sendable>(
    _ options: GlobalOptions, in world: World, _ read: @escaping @Sendable (Self) throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let (place, identities) = (try StorePlace(options, in: world), try Identities(options, in: world))
    OpenStore.tell(place, identities, options, in: world)
    return try await place.waiting { () throws(Failure) in
      try read(StoreReading(store: try OpenStore.open(place, identities, .reading), now: world.now))
    }
  }

  /// Everything but the values.
  nonisolated(nonsending) static func recorded(_ options: GlobalOptions, in world: World) async throws(Failure)
    -> Recorded
  {
    try await reading(options, in: world) { store throws(Failure) in try store.recorded() }
  }

  private func recorded() throws(Failure) -> Recorded {
    try Failure.from { () throws(StoreError) in try store.recorded() }
  }

  /// The same, and the way to them.
  func snapshot() throws(Failure) -> StoreSnapshot {
    try Failure.from { () throws(StoreError) in try store.snapshot() }
  }

  /// The value that a person means by `KEY` or `active.SLOT`. Only the records that are needed are read.
  func value(named name: String) throws(Failure) -> SharedSecret {
    let key: Identifier<Key>?
    if name.hasPrefix("active."), let slot = Identifier<Slot>(name.dropFirst("active.".count)) {
      key = try Failure.from { () throws(StoreError) in try store.record(of: slot) }?.key
    } else {
      key = Identifier<Key>(name.hasPrefix("key.") ? String(name.dropFirst("key.".count)) : name)
    }
    guard let key, let record = try Failure.from({ () throws(StoreError) in try store.record(of: key) })
    else { throw unknown(name, try recorded()) }
    try check(record, of: key)
    return try Failure.from { () throws(StoreError) in try store.value(of: key, version: nil) }
  }

  /// The values of keys, in their order.
  func values(of keys: [Identifier<Key>], in snapshot: StoreSnapshot) throws(Failure) -> [SharedSecret] {
    for key in keys {
      guard let record = snapshot.recorded.keys[key] else { throw unknown(key.name, snapshot.recorded) }
      try check(record, of: key)
    }
    return try Failure.from { () throws(StoreError) in try snapshot.values(of: keys) }
  }

  /// A key that is retired or past an end that retires is not given out, whoever asks.
  private func check(_ record: KeyRecord, of key: Identifier<Key>) throws(Failure) {
    let hint = "Issue a new key at the provider, put it where the source points, and apply."
    if let retiredAt = record.retiredAt {
      throw Failure(.failed, "Key is retired", "\"\(key)\" was retired on \(retiredAt.date).", hint: hint)
    }
    if let expiry = record.facts.expiry, expiry.then == .retire,
      case .over(let end) = expiry.state(from: record.facts.issued ?? record.version.storedAt, at: now)
    {
      throw Failure(.failed, "Key is past its end", "\"\(key)\" came to its end on \(end.date).", hint: hint)
    }
  }

  private func unknown(_ name: String, _ recorded: Recorded) -> Failure {
    if name.hasPrefix("active.") {
      let near = Suggestion.nearest(to: name, among: recorded.slots.keys.map { "active.\($0)" })
      return Failure(
        .failed, "No active key", "Nothing is active in \(name).",
        hint: near.map { "Did you mean \($0)?" } ?? "Choose a key with `active` in the manifest, and apply.")
    }
    let near = Suggestion.nearest(to: name, among: recorded.keys.keys.map(\.name))
    return Failure(
      .failed, "Not recorded", "The store has no key \"\(name)\".",
      hint: near.map { "Did you mean \($0)?" } ?? "Declare it in the manifest, and apply.")
  }
}
