internal import KeyplanApply
internal import KeyplanCore
internal import KeyplanSecrets
internal import KeyplanStore

/// An open store for readers: `get`, `env`, `run`. Evaluates policies at its own now and fails closed.
struct StoreReading {
  let recorded: Recorded
  private let store: SealedStore
  private let now: Moment

  /// Opens the store that belongs to the manifest, without asking what the manifest says about keys.
  init(_ options: GlobalOptions, in world: World) throws(Failure) {
    store = try OpenStore.open(try StorePlace(options, in: world), try Identities(options, in: world), .reading)
    now = world.now
    do throws(StoreError) {
      recorded = try store.recorded()
    } catch {
      throw Failure(error)
    }
  }

  /// The key that a person means by `KEY` or `active.SLOT`.
  func key(named name: String) throws(Failure) -> Identifier<Key> {
    if name.hasPrefix("active."), let slot = Identifier<Slot>(name.dropFirst("active.".count)) {
      guard let record = recorded.slots[slot] else {
        let near = Suggestion.nearest(to: slot.name, among: recorded.slots.keys.map(\.name))
        throw Failure(
          .failed, "No active key", "Nothing is active in active.\(slot).",
          hint: near.map { "Did you mean active.\($0)?" } ?? "Choose a key with `active` in the manifest, and apply.")
      }
      return record.key
    }
    let bare = name.hasPrefix("key.") ? String(name.dropFirst("key.".count)) : name
    guard let key = Identifier<Key>(bare), recorded.keys[key] != nil else {
      let near = Suggestion.nearest(to: bare, among: recorded.keys.keys.map(\.name))
      throw Failure(
        .failed, "Not recorded", "The store has no key \"\(bare)\".",
        hint: near.map { "Did you mean \($0)?" } ?? "Declare it in the manifest, and apply.")
    }
    return key
  }

  /// A key's value, unless it is retired or past an end that retires.
  func value(of key: Identifier<Key>) throws(Failure) -> SharedSecret {
    guard let record = recorded.keys[key] else {
      throw Failure(.failed, "Not recorded", "The store has no key \"\(key)\".")
    }
    let hint = "Issue a new key at the provider, put it where the source points, and apply."
    if let retiredAt = record.retiredAt {
      throw Failure(.failed, "Key is retired", "\"\(key)\" was retired on \(retiredAt.date).", hint: hint)
    }
    if let expiry = record.facts.expiry, expiry.then == .retire,
      case .over(let end) = expiry.state(from: record.facts.issued ?? record.version.storedAt, at: now)
    {
      throw Failure(.failed, "Key is past its end", "\"\(key)\" came to its end on \(end.date).", hint: hint)
    }
    do throws(StoreError) {
      return try store.value(of: key, version: nil)
    } catch {
      throw Failure(error)
    }
  }
}
