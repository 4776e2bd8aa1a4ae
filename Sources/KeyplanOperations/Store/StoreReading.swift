internal import KeyplanManifest
package import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts
package import KeyplanReporting
package import KeyplanSecrets
package import KeyplanStore

/// An open store for readers: `get`, `env`, `run`. Evaluates policies at its own now and fails closed.
package struct StoreReading {
  private let store: SealedStore
  private let world: World
  /// The age of the copy that is read because the server is unreachable; nil for the store itself.
  private var age: Interval?

  /// Opens the store at a place and reads in it, or in this machine's copy of it while its server is unreachable.
  nonisolated(nonsending) static func reading<Value: Sendable>(
    at place: ResolvedStore, wanting wanted: SealedStore.Wanted = .all, in world: World,
    _ read: @escaping @Sendable (Self) throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let identities = try await Identities(in: world)
    OpenStore.log(place, identities, in: world)
    return try await reading(at: place, with: identities, in: world, mayBeCopy: true, wanting: wanted, read)
  }

  /// Opens the store that belongs to the manifest, without parsing the manifest's keys, and reads in it.
  /// - Parameters:
  ///   - mayBeCopy: whether this machine's copy of a store on a server is read while the server is unreachable.
  ///   - wanted: the records that are read.
  package nonisolated(nonsending) static func reading<Value: Sendable>(
    in world: World, mayBeCopy: Bool = false, wanting wanted: SealedStore.Wanted = .all,
    _ read: @escaping @Sendable (Self) throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let (place, identities) = (try ResolvedStore(in: world), try await Identities(in: world))
    OpenStore.log(place, identities, in: world)
    return try await reading(at: place, with: identities, in: world, mayBeCopy: mayBeCopy, wanting: wanted, read)
  }

  /// The same for a store and identities that are known.
  nonisolated(nonsending) static func reading<Value: Sendable>(
    at place: ResolvedStore, with identities: Identities, in world: World, mayBeCopy: Bool = false,
    wanting wanted: SealedStore.Wanted = .all, _ read: @escaping @Sendable (Self) throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let copy = try OfflineCopy(of: place, in: world)
    do throws(Failure) {
      return try await place.waiting(in: world) { () throws(Failure) in
        try OpenStore.reading(place, identities, wanting: wanted) { store throws(Failure) in
          // One that there is has been brought up to date.
          if mayBeCopy, let copy, !copy.isMade { copy.keep(store) }
          return try read(StoreReading(store: store, world: world))
        }
      }
    } catch {
      guard let copy else { throw error }
      if error.storeCode == .wrongIdentity { copy.remove() }
      guard mayBeCopy, error.status == .unreachable else { throw error }
      let (store, age) = try copy.open(identities, during: error)
      world.console.warn(
        Warning(
          "Store is unreachable",
          "\(error.detail) Values are from this machine's copy, which was current \(age.spoken) ago.",
          hint: error.hint))
      return try read(StoreReading(store: store, world: world, age: age))
    }
  }

  /// All records without values.
  package nonisolated(nonsending) static func recorded(in world: World) async throws(Failure)
    -> Recorded
  {
    try await reading(in: world) { store throws(Failure) in try store.recorded() }
  }

  func recorded() throws(Failure) -> Recorded {
    try Failure.from { () throws(StoreError) in try store.recorded() }
  }

  /// The records, and access to their values.
  package func snapshot() throws(Failure) -> StoreSnapshot {
    try Failure.from { () throws(StoreError) in try store.snapshot() }
  }

  /// The value of `KEY` or `active.SLOT`. Decrypts only the required records.
  func value(named name: String) throws(Failure) -> SecretBox { try served(name).value }

  /// The same with the record.
  func served(_ name: String) throws(Failure) -> (record: KeyRecord, value: SecretBox) {
    guard let key = try key(named: name),
      let found = try Failure.from({ () throws(StoreError) in try store.found(key) })
    else { throw .notRecorded(name, in: try recorded(), declaredIn: world) }
    try check([(key, found.record)])
    return (found.record, try Failure.from { () throws(StoreError) in try found.value() })
  }

  /// The record of `KEY` or `active.SLOT`, for a program that decides by itself whether to use it; nil for none.
  /// - Parameter known: the version for which no value is needed.
  package func current(
    _ name: String, unlessVersion known: String?
  ) throws(Failure) -> (key: Identifier<Key>, record: KeyRecord, serving: Serving, value: SecretBox?)? {
    let key = try key(named: name)
    guard let key, let found = try Failure.from({ () throws(StoreError) in try store.found(key) }) else {
      return nil
    }
    let record = found.record
    let serving = record.serving(at: world.now)
    guard serving.isServed, known != Self.version(of: record, key) else { return (key, record, serving, nil) }
    return (key, record, serving, try Failure.from { () throws(StoreError) in try found.value() })
  }

  /// Another one for each value of each key.
  package static func version(of record: KeyRecord, _ key: Identifier<Key>) -> String {
    version(of: key, record.version.number, record.version.storedAt)
  }

  /// The same for one of its versions.
  static func version(of key: Identifier<Key>, _ number: Int64, _ storedAt: Moment) -> String {
    "\(key)@\(number).\(storedAt.seconds)"
  }

  private func key(named name: String) throws(Failure) -> Identifier<Key>? {
    switch ReadableName(name) {
    case .key(let key): return key
    case .slot(let slot):
      return try Failure.from { () throws(StoreError) in try store.record(of: slot) }?.key
    case nil: return nil
    }
  }

  /// The values of keys, in their order.
  package func values(of keys: [Identifier<Key>], in snapshot: StoreSnapshot) throws(Failure) -> [SecretBox] {
    var records: [(Identifier<Key>, KeyRecord)] = []
    for key in keys {
      guard let record = snapshot.recorded.keys[key] else {
        throw .notRecorded(key.name, in: snapshot.recorded, declaredIn: world)
      }
      records.append((key, record))
    }
    try check(records)
    return try Failure.from { () throws(StoreError) in try snapshot.values(of: keys) }
  }

  /// Revoked and retired keys are not served; expired keys that are not retired are, with a warning.
  private func check(_ records: [(Identifier<Key>, KeyRecord)]) throws(Failure) {
    if let age { try checkAge(age, of: records.map(\.0)) }
    try Self.warnOfEnds(records, in: world)
  }

  static func warnOfEnds(_ records: [(Identifier<Key>, KeyRecord)], in world: World) throws(Failure) {
    let (ended, refused) = try served(records, at: world.now)
    for (summary, keys) in [("Provider rejects the key", refused), ("Key has expired", ended)] where !keys.isEmpty {
      world.console.warn(Warning(summary, keys.text, hint: keys.renewal, isRoutine: true))
    }
  }

  /// Keys that one message is about.
  struct Concerned {
    private var sentences: [String] = []
    private var renewals: [String] = []

    var isEmpty: Bool { sentences.isEmpty }
    var text: String { sentences.joined(separator: "\n") }

    /// The tasks, each once.
    var renewal: String {
      let shown = renewals.prefix(Self.shown).joined(separator: " ")
      return renewals.count > Self.shown ? "\(shown) The other keys: keyplan get NAME" : shown
    }

    private static let shown = 4

    mutating func add(_ key: Identifier<Key>, _ record: KeyRecord, _ sentence: String, at now: Moment) {
      sentences.append(sentence)
      let task = Renewal(recorded: record.facts, because: record.unusablePart(at: now)).sentence(for: key)
      if !renewals.contains(task) { renewals.append(task) }
    }
  }

  /// The keys that are served although they have expired, or although their provider rejects them.
  /// - Throws: for revoked and retired keys.
  static func served(
    _ records: [(Identifier<Key>, KeyRecord)], at now: Moment
  ) throws(Failure) -> (ended: Concerned, refused: Concerned) {
    var (revoked, retired, ended, refused) = (Concerned(), Concerned(), Concerned(), Concerned())
    for (key, record) in records {
      switch record.serving(at: now) {
      case .asUsual: break
      case .revoked(let since, let reason, nil):
        revoked.add(key, record, "\"\(key)\" was revoked on \(since.date)\(reason.map { ": \($0)" } ?? ".")", at: now)
      case .retired(let since, nil): retired.add(key, record, "\"\(key)\" was retired on \(since.date).", at: now)
      case .refusedByProvider(let check, nil): refused.add(key, record, "\"\(key)\" \(check.words).", at: now)
      case .revoked: revoked.add(key, record, Self.composed(key, record, at: now), at: now)
      case .retired: retired.add(key, record, Self.composed(key, record, at: now), at: now)
      case .refusedByProvider: refused.add(key, record, Self.composed(key, record, at: now), at: now)
      case .pastItsEnd(_, .some): ended.add(key, record, Self.composed(key, record, at: now), at: now)
      case .pastItsEnd(let since, nil):
        ended.add(
          key, record,
          "\"\(key)\" expired on \(since.date). It remains available until an apply retires or replaces it.",
          at: now)
      }
    }
    guard revoked.isEmpty else {
      throw Failure(.failed, "Key is revoked", revoked.text, hint: revoked.renewal)
    }
    guard retired.isEmpty else {
      throw Failure(.failed, "Key has been retired", retired.text, hint: retired.renewal)
    }
    return (ended, refused)
  }

  /// The sentence about a value because of one that it is made of.
  private static func composed(_ key: Identifier<Key>, _ record: KeyRecord, at now: Moment) -> String {
    "\"\(key)\" is composed of others, and \(record.serving(at: now).partWords ?? "one of them cannot be used")."
  }

  /// The manifest can set a hard age for a key.
  private func checkAge(_ age: Interval, of keys: [Identifier<Key>]) throws(Failure) {
    let declared = (try? Project(in: world))?.reading.manifest?.keys ?? [:]
    let old = keys.compactMap { key in
      declared[key]?.keptFor.stale.flatMap { limit in
        age < limit ? nil : "\"\(key)\" may be kept for \(limit.spoken), and the copy was current \(age.spoken) ago."
      }
    }
    guard old.isEmpty else {
      throw Failure(.unreachable, "Local copy is too old", old.joined(separator: "\n"))
    }
  }
}

extension Failure {
  /// The error that a declared key has no value yet.
  static func withoutValue(_ id: Identifier<Key>, _ key: Key) -> Failure {
    Failure(
      .failed, "Not recorded", "The manifest declares \"\(id)\", but the store has no value for it yet.",
      hint: Renewal(key).first(for: id))
  }

  /// The error that there is no record for a key, or for `active.SLOT`.
  /// - Parameter world: where a manifest may declare the key; nil if that is of no use.
  static func notRecorded(_ name: String, in recorded: Recorded, declaredIn world: World? = nil) -> Failure {
    if name.hasPrefix("active.") {
      let near = Suggestion.nearest(to: name, among: recorded.slots.keys.map { "active.\($0)" })
      return Failure(
        .failed, "No active key",
        Identifier<Slot>(name.dropFirst("active.".count)) == nil
          ? nameRule("A slot") : "\(name) has no active key.",
        hint: hint(ofTyped: name) ?? near.map { "Did you mean \($0)?" }
          ?? "Choose a key under `active` in the manifest, and apply.")
    }
    let id: Identifier<Key>? = if case .key(let id)? = ReadableName(name) { id } else { nil }
    if let id {
      let parts = recorded.parts(at: .key(id)).map { $0.description.dropFirst("key.".count) }
      guard parts.isEmpty else {
        return Failure(
          .failed, "Key has several parts", "\"\(id)\" has a value for each part: \(parts.joined(separator: ", ")).",
          hint: "Name one of them, such as \(parts[0]).")
      }
    }
    if let owners = VariableOwners(of: name, in: recorded) { return owners.failure }
    if let world, let id, let key = (try? Project(in: world))?.reading.manifest?.keys[id] {
      return withoutValue(id, key)
    }
    let near = Suggestion.nearest(to: name, among: recorded.keys.keys.map(\.name))
    return Failure(
      .failed, "Not recorded", "The store has no key \(typed(name)).",
      hint: hint(ofTyped: name) ?? near.map { "Did you mean \($0)?" } ?? "Declare it in the manifest, and apply.")
  }
}
