internal import KeyplanAge
internal import KeyplanFiles
package import KeyplanModel
internal import KeyplanPorts
package import KeyplanReporting
internal import KeyplanSecrets
package import KeyplanStore

/// `keyplan restore`: the differences from a backup, and the change.
package struct RestoreRun {
  package let backup: StoreBackup
  /// The store that would be replaced; nil if there is none, or a damaged one.
  package let present: StoreFacts?
  /// The error if the identity in use could not open the restored store; nil if it can, or if that is unknown.
  package let lockout: Failure?
  /// A damaged store at the place, which is kept under another name.
  private let damaged: DamagedStore?
  /// Records that are only in the backup, differ, and are only in the store. Sorted.
  package let added: [Address]
  package let changed: [Address]
  package let removed: [Address]
  /// Keys with a value in the backup that was revoked since. It stays revoked.
  package let revoked: [Address]
  /// The recipients at the time of the backup who can no longer open the store: its values are exposed to them. Sorted.
  package let exposed: [Identifier<Recipient>]
  /// The recipients afterwards.
  package let recipients: [Identifier<Recipient>: Recipient]
  /// Whether this machine has restored the store from this backup, without a later commit.
  package let isDone: Bool
  /// Whether `keyplan.lock`, `KEYPLAN_PIN` or the store confirms that the backup was made from this store.
  package let isVerified: Bool
  package let place: ResolvedStore
  private let identities: Identities
  private let floor: Int64
  /// The accounts of the existing store.
  private let accounts: [Identifier<KeyplanModel.Account>]
  private let world: World

  /// Decrypts the backup, verifies every record, and compares it with the store. Changes nothing.
  package nonisolated(nonsending) init(from typed: String, in world: World) async throws {
    self.world = world
    let project = try Project(in: world)
    let declared = try project.manifest().recipients
    let place = try ResolvedStore(of: project, in: world)
    let identities = try await Identities(in: world)
    (self.place, self.identities) = (place, identities)
    OpenStore.log(place, identities, in: world)
    let backup = try Self.read(typed, identities, in: world)
    self.backup = backup
    let seen = try SeenCommits(in: world)
    let found = try await place.waiting(in: world) { () throws(Failure) in
      try Self.store(at: place, identities, in: world)
    }
    let (store, present, recorded) = (found.store?.store, found.store?.facts, found.store?.recorded)
    damaged = found.damaged
    self.present = present
    isDone = present.map { RestoredBackups(in: world).has(backup, as: $0) } ?? false
    for (id, owner) in [
      (present?.id, place.shown), (place.pin?.store, "keyplan.lock"), (place.trust.given?.store, "KEYPLAN_PIN"),
    ] {
      guard let id, id != backup.store else { continue }
      throw Failure(
        .storeRefused, "Backup of another store",
        "\(typed) is a backup of the store \(backup.store), and \(owner) has the store \(id).",
        hint: "Restore it in the project that it was made in, or in a folder without a store and without keyplan.lock.")
    }
    let roots = (place.pin?.roots ?? []) + (place.trust.given?.roots ?? []) + (present.map { [$0.rootID] } ?? [])
    isVerified = roots.contains(backup.rootID)
    recipients = declared ?? recorded?.recipients ?? backup.recipients
    lockout = Self.lockout(identities, recipients)
    try Self.requireAllowed(recipients, among: [recorded?.recipients ?? [:], backup.recipients], identities)
    floor = max(seen[backup.store]?.serial ?? 0, place.pin?.serial ?? 0, place.trust.given?.serial ?? 0)

    accounts = recorded?.accounts.keys.sorted() ?? []
    let mine = recorded?.addresses ?? []
    added = backup.addresses.subtracting(mine).sorted()
    removed = mine.subtracting(backup.addresses).sorted()
    exposed = backup.recipients.leaving(for: recipients)
    revoked = backup.usableValues.compactMap { name, values in
      values.contains { value in
        guard let store, let recorded else { return false }
        return recorded.revocation(of: store.fingerprint(value, of: name), for: name) != nil
      } ? Address.key(name) : nil
    }
    .sorted()
    let values = backup.currentValues
    changed =
      recorded?.keys.filter { name, record in
        guard let store, let value = values[name] else { return false }
        return store.fingerprint(value, of: name) != record.version.fingerprint
      }
      .map { Address.key($0.key) }.sorted() ?? []
  }

  /// The error if the identity in use could not open the restored store: the backup and the restored store can have different recipients.
  private static func lockout(
    _ identities: Identities, _ recipients: [Identifier<Recipient>: Recipient]
  ) -> Failure? {
    // The recipient of a plugin's identity is known to the plugin only.
    guard identities.all.allSatisfy(\.recipient.isKnown) else { return nil }
    let mine = identities.all.map { "\($0.recipient)" }
    guard let first = mine.first, !recipients.values.contains(where: { mine.contains($0.publicKey) }) else {
      return nil
    }
    let names = recipients.keys.sorted().map(\.name).joined(separator: ", ")
    return Failure(
      .refused, "Missing recipient",
      "The identity in \(identities.origin) could not open the restored store, whose recipients are: \(names).",
      hint: "Add it to the manifest, with those who have their identities: recipients: { NAME: \(first) }")
  }

  private static func read(
    _ typed: String, _ identities: Identities, in world: World
  ) throws(Failure) -> StoreBackup {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try SafeFile.read(world.absolute(typed), limit: StoreBackup.sizeLimit)
    } catch {
      throw Failure(error, "Cannot read the backup")
    }
    do throws(StoreError) {
      return try StoreBackup(file: bytes, identities: identities.all)
    } catch {
      throw Failure(.storeRefused, "Backup refused", "\(typed): \(error.detail)", hint: error.hint)
    }
  }

  /// A manifest alone must not decide which programs are run.
  private static func requireAllowed(
    _ recipients: [Identifier<Recipient>: Recipient],
    among known: [[Identifier<Recipient>: Recipient]], _ identities: Identities
  ) throws(Failure) {
    let new = recipients.plugins.subtracting(known.flatMap(\.plugins)).subtracting(identities.programs)
    guard let program = new.sorted().first else { return }
    throw Failure(
      .refused, "Plugin not allowed",
      "The manifest's recipients need \(program.text), which neither the store nor the backup names.",
      hint: "Remove these recipients from the manifest, restore, and then add them with `keyplan apply`.")
  }

  /// The store or the damaged file at the place; neither if the place is empty.
  private struct Found {
    var store: (store: SealedStore, facts: StoreFacts, recorded: Recorded)?
    var damaged: DamagedStore?
  }

  /// An empty file counts as missing: the restore or `init` that created it was interrupted before its transaction ended. An unreadable
  /// file can be moved aside, because `keyplan.lock` and the backup identify the store. Rows on a server are not moved.
  private static func store(
    at place: ResolvedStore, _ identities: Identities, in world: World
  ) throws(Failure) -> Found {
    guard try place.exists(in: world) else { return Found() }
    do throws(Failure) {
      return try OpenStore.reading(place, identities) { store throws(Failure) in
        try Failure.from { () throws(StoreError) in Found(store: (store, try store.facts(), try store.recorded())) }
      }
    } catch {
      guard let file = place.file else { throw error.restorable(at: place) }
      switch error.storeCode {
      case .noStore: return Found()
      case .damaged, .tampered:
        return try Failure.from { () throws(StoreError) in Found(damaged: try DamagedStore(at: file)) }
      default: throw error
      }
    }
  }

  /// The new path of a damaged store, for messages; nil if the store is not damaged.
  package var aside: String? { damaged.map { Project.relative($0.destination, to: world.directory) } }

  /// Completes an interrupted restore after the store got the backup's content.
  package func finish() throws(Failure) {
    guard let present else { return }
    try place.remember(Pin(present))
    place.trust.noteCommit(present)
  }

  /// Replaces the store's content in one transaction, under a fresh root key.
  package func carryOut() async throws(Failure) -> StoreFacts {
    if let file = place.file, present == nil {
      do throws(FileError) {
        try ProjectDirectory.ensure(Project.parent(of: file), in: world)
      } catch {
        throw Failure(error, "Store not restored")
      }
    }
    var accountLocks: [StoreLock] = []
    var lock: StoreLock?
    if present != nil || damaged != nil {
      let timeout = world.settings.lockTimeout ?? .zero
      // A refresh that is under way would store its tokens over those of the backup, or lose them.
      for name in accounts {
        accountLocks.append(
          try await Failure.awaiting { () async throws(StoreError) in
            try await StoreLock.acquire(
              account: name, of: place.location, command: "keyplan restore", job: world.job, since: world.now,
              timeout: max(timeout, .seconds(30)))
          })
      }
      lock = try await Failure.awaiting { () async throws(StoreError) in
        try await StoreLock.acquire(
          for: place.location, command: "keyplan restore", job: world.job, since: world.now, timeout: timeout)
      }
    }
    defer { withExtendedLifetime((accountLocks, lock)) {} }
    if let damaged {
      guard try Self.store(at: place, identities, in: world).damaged?.destination == damaged.destination else {
        throw Failure(
          .stale, "Store has changed", "Another process changed the store at \(place.shown).", hint: "Run it again.",
          storeCode: .stale)
      }
      try Failure.from { () throws(StoreError) in try damaged.move() }
    }
    let restored = RestoredBackups(in: world)
    let serial = max(backup.serial, floor, present?.serial ?? 0) + 1
    let facts = try restoring { () throws(StoreError) in
      try backup.restore(
        to: place.location, identities: identities.all, under: lock, replacing: present, recipients: recipients,
        above: floor, at: world.now, plugins: identities.plugins
      ) { fresh throws(StoreError) in
        // Before keyplan.lock stops naming another root key: from then on only this shows that the restore is complete.
        if case .coming(let root) = fresh { restored.note(backup, root: root, serial: serial) }
        try place.pin(fresh)
      }
    }
    try place.remember(Pin(facts))
    place.trust.noteCommit(facts)
    return facts
  }
}

extension RestoreRun {
  /// An error names the new place of the damaged store.
  private func restoring(_ work: () throws(StoreError) -> StoreFacts) throws(Failure) -> StoreFacts {
    do throws(Failure) {
      return try Failure.from(work)
    } catch {
      throw aside.map { error.adding("The damaged store is at \($0). Run the command again.") } ?? error
    }
  }
}

extension Recorded {
  fileprivate var addresses: Set<Address> {
    Set(
      keys.keys.map(Address.key) + slots.keys.map(Address.slot) + targets.keys.map(Address.target)
        + accounts.keys.map(Address.calendar))
  }
}
