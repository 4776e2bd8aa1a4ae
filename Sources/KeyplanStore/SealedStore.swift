import Crypto
package import KeyplanAge
package import KeyplanModel
package import KeyplanPorts
package import KeyplanSecrets
import Synchronization

/// A store with sealed rows, which are authenticated whenever they are read, and decrypted only when needed.
package final class SealedStore: RecordStore, TokenStore, Fingerprinting, FileDigesting, PlanSigning {
  let rows: any RowStore
  let unlocked: Mutex<Unlocked>
  private let tellFreshRoot: @Sendable (FreshRoot) throws(StoreError) -> Void
  private let tellCommit: @Sendable (StoreFacts) -> Void
  private let identities: [Identity]
  private let plugins: any PluginRunning

  /// The number of records.
  var count: Int64 { unlocked.withLock { $0.count } }

  /// The facts of the header that was verified last, or committed. Under the store's lock it is the present one.
  package var lastFacts: StoreFacts { unlocked.withLock { $0.facts } }

  var keys: EpochKeys { unlocked.withLock { $0.sealer.keys } }

  /// Changes only with a new root key or a new group of recipients.
  struct Unlocked {
    var sealer: Sealer
    /// The number of records in the last header that was verified.
    var count: Int64
    var facts: StoreFacts
    /// The records that a server sent when the store was opened, for the reads that follow at once.
    var sent: Sent?
    var ids: [Identifier<Key>: RowID] = [:]
    /// Nil until the state was read.
    var digestKey: [UInt8]?

    /// Takes note of a header that was verified.
    mutating func take(_ header: Header, _ keys: EpochKeys) {
      (count, facts) = (header.count, SealedStore.facts(header, keys))
      if sent?.header.root != header.root { sent = nil }
    }
  }

  /// All records that came with the header, which was verified. They are verified when they are used, as those that are read apart.
  struct Sent {
    let header: Header
    let records: [Row]

    /// Sorted by id.
    func rows(in buckets: Buckets) -> [Row] {
      switch buckets {
      case .none: []
      case .all: records
      case .some(let numbers): records.filter { numbers.contains($0.id.bucket) }
      }
    }
  }

  /// The records that are read as soon as the store is open. A server can send them along with the header, which saves waiting for it
  /// once more.
  package enum Wanted: Sendable {
    case nothing
    /// Those of a few keys.
    case few
    case all
  }

  /// The purpose of opening the store.
  package enum Access: Sendable {
    /// Takes no lock and writes nothing.
    case reading
    /// Allows `commit`.
    case writing
  }

  /// A new root key, identified by its commitment (see `StoreFacts`). A program that pins the root outside of the store
  /// must know the new one before the commit: otherwise a crash between commit and pin would leave a store that cannot
  /// be verified.
  package enum FreshRoot: Sendable {
    /// The commit is about to happen; an error prevents it.
    case coming(String)
    /// The commit is durable.
    case committed(String)
  }

  init(
    _ rows: any RowStore, _ keys: EpochKeys, _ header: Header, sent: Sent? = nil, groups: [RowID: GroupKey] = [:],
    identities: [Identity] = [], plugins: any PluginRunning = NoPlugins(),
    tellFreshRoot: @escaping @Sendable (FreshRoot) throws(StoreError) -> Void = { _ in },
    tellCommit: @escaping @Sendable (StoreFacts) -> Void = { _ in }
  ) {
    self.rows = rows
    self.tellFreshRoot = tellFreshRoot
    self.tellCommit = tellCommit
    self.identities = identities
    self.plugins = plugins
    unlocked = Mutex(
      Unlocked(
        sealer: Sealer(keys: keys, groups: groups), count: header.count, facts: Self.facts(header, keys), sent: sent))
  }

  /// Creates a store: a file in a private directory (modes 0600 and 0700 whatever the umask), or rows on a server
  /// together with missing tables. The keyring is encrypted to the recipients.
  /// - Parameters:
  ///   - plugins: runs the plugins that recipients need.
  ///   - begin: called with the store's facts before anything is created.
  /// - Throws: `exists` if there is one; `wrongIdentity` if there is no usable recipient.
  package static func create(
    at location: StoreLocation, recipients: [Identifier<Recipient>: Recipient],
    now: Moment, plugins: any PluginRunning = NoPlugins(),
    begin: (StoreFacts) -> Void = { _ in }
  ) throws(StoreError) -> SealedStore {
    let keys = try Keyring().subkeys()
    let batch = try CommitBuilder.first(keys, recipients, plugins: plugins)
    begin(facts(batch.header, keys))
    let rows: any RowStore
    switch location {
    case .file(let path): rows = try SQLiteRows.create(try StoreFile(making: path).path, batch)
    case .shared(let shared): rows = try PostgresRows.create(shared.session, batch)
    }
    return SealedStore(rows, keys, batch.header, plugins: plugins)
  }

  /// Opens a store with the first identity that matches, and verifies the header MAC.
  /// - Parameters:
  ///   - lock: the lock for commits to a shared store, which fail once another process has taken it.
  ///   - accounts: locks of accounts, with the same effect.
  ///   - plugins: runs the plugins that recipients need, when the keyring is encrypted again.
  ///   - patience: the time to wait for another process's commit to a file; by default some seconds.
  ///   - lastSeen: an interrupted commit to a file is not rolled back to an older state.
  ///   - wanted: the records that are read next. Until a commit, or `forgetSent()`, they are those of the moment in which the store was
  ///     opened.
  ///   - tellCommit: called after each commit.
  ///   - tellFreshRoot: called with a new root key's id, before and after the commit that changes it.
  package static func open(
    at location: StoreLocation, identities: [Identity], access: Access, under lock: StoreLock? = nil,
    holding accounts: [StoreLock] = [], wanting wanted: Wanted = .nothing, patience: Duration? = nil,
    plugins: any PluginRunning = NoPlugins(), lastSeen: LastSeen = { _ in nil },
    tellCommit: @escaping @Sendable (StoreFacts) -> Void = { _ in },
    tellFreshRoot: @escaping @Sendable (FreshRoot) throws(StoreError) -> Void = { _ in }
  ) throws(StoreError) -> SealedStore {
    try open(
      at: location, access: access, under: lock, holding: accounts, wanting: wanted, patience: patience,
      identities: identities, plugins: plugins,
      unlock: { header throws(StoreError) in try EpochKeys.open(header, with: identities) }, lastSeen: lastSeen,
      tellCommit: tellCommit, tellFreshRoot: tellFreshRoot)
  }

  static func open(
    at location: StoreLocation, access: Access, under lock: StoreLock? = nil, holding accounts: [StoreLock] = [],
    wanting wanted: Wanted = .nothing, patience: Duration? = nil, identities: [Identity] = [],
    plugins: any PluginRunning = NoPlugins(),
    unlock: (Header) throws(StoreError) -> EpochKeys, lastSeen: LastSeen = { _ in nil },
    tellCommit: @escaping @Sendable (StoreFacts) -> Void = { _ in },
    tellFreshRoot: @escaping @Sendable (FreshRoot) throws(StoreError) -> Void = { _ in }
  ) throws(StoreError) -> SealedStore {
    let rows: any RowStore
    switch location {
    case .file(let path):
      let file = try StoreFile(path, isReader: access == .reading)
      rows = try SQLiteRows.open(
        file.path, writing: access == .writing, patience: patience ?? Database.patience, hasJournal: file.hasJournal
      ) { rolled throws(StoreError) in try rolled.require(unlock, after: lastSeen) }
    case .shared(let shared): rows = PostgresRows(shared.session, access, under: lock, holding: accounts)
    }
    let (header, records) = try rows.opening(wanting: wanted)
    let keys = try unlock(header)
    try Digest(keys: keys).verify(header)
    if access == .writing, keys.isPlanOnly { throw EpochKeys.planOnly }
    // A plugin may have waited for a person, and the records were sent before that.
    let isJustSent = identities.allSatisfy(\.recipient.isKnown)
    return SealedStore(
      rows, keys, header, sent: isJustSent ? records.map { Sent(header: header, records: $0) } : nil,
      groups: try GroupKey.open(header, under: keys, with: identities), identities: identities, plugins: plugins,
      tellFreshRoot: tellFreshRoot, tellCommit: tellCommit)
  }

  /// The store's current id, root id, serial and epoch.
  package func facts() throws(StoreError) -> StoreFacts {
    let (header, _, sealer) = try verified(.none, isAnew: true)
    return Self.facts(header, sealer.keys)
  }

  /// Forgets the records that were sent when the store was opened, so that the next read returns the current ones.
  package func forgetSent() { unlocked.withLock { $0.sent = nil } }

  private static func facts(_ header: Header, _ keys: EpochKeys) -> StoreFacts {
    StoreFacts(header, rootID: keys.rootID)
  }

  /// Everything except the secrets, from one snapshot. Every record row is authenticated and decrypted; no value row is
  /// read.
  package func recorded() throws(StoreError) -> Recorded {
    try opened { _, _ in }.recorded
  }

  /// The same, with the location of each key's current value.
  package func snapshot() throws(StoreError) -> StoreSnapshot {
    var bindings: [Identifier<Key>: Sealer.Binding] = [:]
    let (recorded, sealer) = try opened { key, id in bindings[key.name] = key.binding(key.record.version, in: id) }
    return StoreSnapshot(recorded: recorded, store: self, sealer: sealer, bindings: bindings)
  }

  private func opened(_ take: (StoredKey, RowID) -> Void) throws(StoreError) -> (recorded: Recorded, sealer: Sealer) {
    let (header, rows, sealer) = try verified(.all)
    var recorded = Recorded()
    var ids: [Identifier<Key>: RowID] = [:]
    var kept: [StateRecord.Forgotten] = []
    var digestKey: [UInt8] = []
    var forgotten: [RowID: KeyRecord] = [:]
    var closed: [Identifier<Key>: [Identifier<Recipient>]] = [:]
    var closedForgotten: Set<[Identifier<Recipient>]> = []
    recorded.keys.reserveCapacity(rows.count)
    ids.reserveCapacity(rows.count)
    for row in rows {
      switch try sealer.record(in: row) {
      case .state(let state):
        recorded.store = StoreState(
          id: header.store.hexadecimal, serial: header.serial, epoch: header.epoch, appliedAt: state.appliedAt,
          movedAt: state.movedAt, applied: state.applied)
        recorded.recipients = state.recipients
        recorded.surface = state.surface
        recorded.interrupted = state.open
        recorded.migrated = state.migrated
        recorded.attempts = state.attempts
        recorded.dueHooks = state.dueHooks
        recorded.failures = state.failures
        recorded.mints = state.mints
        recorded.applied = state.applied
        recorded.guards = state.guards
        kept = state.forgotten
        digestKey = state.digestKey
      case .key(let key):
        recorded.keys[key.name] = key.record
        ids[key.name] = row.id
        if sealer.isClosed(key) { closed[key.name] = key.record.facts.recipients }
        take(key, row.id)
      case .slot(let slot): recorded.slots[slot.name] = slot.record
      case .target(let target): recorded.targets[target.name] = target.record
      case .account(let account): recorded.accounts[account.name] = account.record
      case .forgotten(let key, _):
        forgotten[row.id] = key.record
        if sealer.isClosed(key) { closedForgotten.insert(key.record.facts.recipients ?? []) }
      }
    }
    guard recorded.store != nil else { throw Sealer.tampered }
    if !sealer.keys.isPlanOnly {
      recorded.access = ValueAccess(
        readers: readers(among: recorded.recipients), closed: closed, closedForgotten: closedForgotten)
    }
    for entry in kept {
      guard let record = forgotten[sealer.keys.id(of: entry)] else { throw Sealer.tampered }
      recorded.forgotten.append(ForgottenKey(key: entry.key, serial: entry.serial, at: entry.at, record: record))
    }
    unlocked.withLock {
      if $0.sealer.keys.epoch == sealer.keys.epoch { $0.ids = ids }
      $0.digestKey = digestKey
    }
    return (recorded.inheriting(), sealer)
  }

  /// The recipients to which the identities belong; nil if there are none.
  private func readers(
    among recipients: [Identifier<Recipient>: Recipient]
  ) -> Set<Identifier<Recipient>>? {
    guard !identities.isEmpty, identities.allSatisfy(\.recipient.isKnown) else { return nil }
    let own = Set(identities.map { "\($0.recipient)" })
    return Set(recipients.filter { own.contains($0.value.publicKey) }.keys)
  }

  /// The record of one key, for which one bucket is read, and access to its current value; nil if there is none.
  package func found(_ key: Identifier<Key>) throws(StoreError) -> FoundKey? {
    let id = unlocked.withLock { $0.sealer.keys.id(of: key) }
    guard case (.key(let stored), let sealer)? = try record(at: id) else { return nil }
    return FoundKey(
      name: key, record: try inheriting(stored.record), store: self, sealer: sealer,
      binding: stored.binding(stored.record.version, in: id))
  }

  /// The record with what those of its parts say, for which their buckets are read. Nothing is read for a value that is not composed.
  private func inheriting(_ record: KeyRecord) throws(StoreError) -> KeyRecord {
    guard record.hasParts else { return record }
    var records: [Identifier<Key>: KeyRecord] = [:]
    var open = Array(record.partsOfVersions)
    while let key = open.popLast() {
      guard records[key] == nil else { continue }
      let id = unlocked.withLock { $0.sealer.keys.id(of: key) }
      // Of a key that was deleted, what its record said still counts.
      guard case (.key(let stored), _)? = try self.record(at: id) else {
        let all = try recorded()
        return record.inheriting(from: PartsOfValues(all.keys, all.forgotten))
      }
      records[key] = stored.record
      open += stored.record.partsOfVersions
    }
    return record.inheriting(from: PartsOfValues(records))
  }

  /// The record of one slot, for which one bucket is read; nil if there is none.
  package func record(of slot: Identifier<Slot>) throws(StoreError) -> SlotRecord? {
    let id = unlocked.withLock { $0.sealer.keys.id(of: slot) }
    guard case (.slot(let stored), _)? = try record(at: id) else { return nil }
    return stored.record
  }

  private func record(at id: RowID) throws(StoreError) -> (StoredRecord, Sealer)? {
    let (_, rows, sealer) = try verified(.some([id.bucket]))
    guard let row = rows.first(where: { $0.id == id }) else { return nil }
    return (try sealer.record(in: row), sealer)
  }

  /// The value of a key: the current version, or an earlier one that is still in the history.
  package func value(of key: Identifier<Key>, version: Int64?) throws(StoreError) -> SecretBox {
    guard let value = try values(of: [(key, version)]).first else { throw Sealer.tampered }
    return value
  }

  /// The tokens of an account; nil if it has none.
  package func tokens(of account: Identifier<Account>) throws(StoreError) -> AccountTokens? {
    var lastRoot: [UInt8]?
    while true {
      let id = unlocked.withLock { $0.sealer.keys.id(of: account) }
      let (header, rows, sealer) = try verified(.some([id.bucket]))
      guard let row = rows.first(where: { $0.id == id }), case .account(let stored) = try sealer.record(in: row) else {
        throw StoreError(.notRecorded, "No calendar account is recorded under the name \(account).")
      }
      guard let binding = stored.binding(in: id) else { return nil }
      if let value = try values([binding], sealer)?.first { return try AccountTokens(sealed: value) }
      // Missing: tampered with, unless a commit between the reads replaced them.
      guard lastRoot != header.root else { throw Sealer.tampered }
      lastRoot = header.root
    }
  }

  /// The current values of keys in the given order, from one snapshot.
  package func values(of keys: [Identifier<Key>]) throws(StoreError) -> [SecretBox] {
    try values(of: keys.map { ($0, nil) })
  }

  private func values(of wanted: [(key: Identifier<Key>, version: Int64?)]) throws(StoreError) -> [SecretBox] {
    var lastRoot: [UInt8]?
    while true {
      let keys = unlocked.withLock { $0.sealer.keys }
      let ids = wanted.map { keys.id(of: $0.key) }
      let (header, rows, sealer) = try verified(.some(Set(ids.map(\.bucket)).sorted()))
      let found = Dictionary(rows.map { ($0.id, $0) }) { first, _ in first }
      var bindings: [Sealer.Binding] = []
      bindings.reserveCapacity(wanted.count)
      for (id, (key, version)) in zip(ids, wanted) {
        guard let row = found[id], case .key(let stored) = try sealer.record(in: row) else {
          throw StoreError(.notRecorded, "No key is recorded under the name \(key).")
        }
        let number = version ?? stored.record.version.number
        guard let kept = stored.versions.first(where: { $0.number == number }),
          let binding = stored.binding(kept, in: id)
        else { throw StoreError(.notRecorded, "The value of version \(number) of the key \(key) is not kept.") }
        bindings.append(binding)
      }
      if let values = try values(bindings, sealer) { return values }
      // One is missing: tampered with, unless a commit between the reads removed it.
      guard lastRoot != header.root else { throw Sealer.tampered }
      lastRoot = header.root
    }
  }

  /// The values in the given order; nil if one is missing.
  func values(_ bindings: [Sealer.Binding], _ sealer: Sealer) throws(StoreError) -> [SecretBox]? {
    let ids = bindings.map(sealer.valueID)
    let found = try rows.values(ids)
    var values: [SecretBox] = []
    values.reserveCapacity(bindings.count)
    for (id, binding) in zip(ids, bindings) {
      guard let row = found[id] else {
        // The records that were sent before may be outdated.
        forgetSent()
        return nil
      }
      values.append(try sealer.open(value: row, binding, at: id))
    }
    return values
  }

  /// Executes all changes in one durable transaction.
  package func commit(
    _ changes: [RecordChange], expecting serial: Int64, at now: Moment
  ) throws(StoreError) -> Int64 {
    let store = rows.committing()
    defer { forgetSent() }
    let certain = CommitBuilder.buckets(for: changes, under: unlocked.withLock { $0.sealer.keys })
    // The records that were sent when the store was opened serve for the first commit: the new digest covers rows that were verified, and
    // the statement has no effect unless the store still has that root, and this process the lock. Reading them once more would prove
    // nothing, since they could be changed right after that.
    let (header, found, sealer) = try verified(certain, in: store)
    guard header.serial == serial else {
      try store.requireLock()
      throw StoreError(
        .stale, "The store is at serial \(header.serial), but the changes were planned for serial \(serial).",
        hint: "Plan again.")
    }
    guard !changes.isEmpty else { return serial }
    var builder = try CommitBuilder(sealer, header, found, at: now)
    var rows = found
    let touched = builder.buckets(for: changes)
    if !touched.isSubset(of: certain) {
      // Only forgotten keys can be in other buckets.
      let again: Header
      (again, rows, _) = try verified(touched, in: store)
      guard again.root == header.root else {
        try store.requireLock()
        throw CommitBuilder.moved
      }
    }
    builder.plugins = plugins
    builder.opensGroup = { [identities] files throws(StoreError) in
      if identities.isEmpty { return true }
      for file in files where try GroupKey.canOpen(file, with: identities) { return true }
      return false
    }
    try builder.take(rows) { id throws(StoreError) in try store.values([id])[id] }
    for change in changes { try builder.apply(change) }
    let (batch, fresh) = try builder.finished()
    let keys = fresh?.keys
    if let keys { try tellFreshRoot(.coming(keys.rootID.hexadecimal)) }
    try store.commit(batch, replacing: header.root)
    if let keys {
      // The commit is valid even if this fails: the new root was announced before.
      try? tellFreshRoot(.committed(keys.rootID.hexadecimal))
    }
    if let fresh {
      unlocked.withLock {
        $0 = Unlocked(
          sealer: fresh, count: batch.header.count, facts: Self.facts(batch.header, fresh.keys), digestKey: $0.digestKey
        )
      }
    } else if !builder.newGroupFiles.isEmpty {
      unlocked.withLock { $0.sealer.groups = builder.sealer.groups }
    }
    let facts = Self.facts(batch.header, keys ?? sealer.keys)
    unlocked.withLock { ($0.count, $0.facts) = (batch.header.count, facts) }
    // Deleted rows have been overwritten already (secure_delete), and the commit is durable: a full disk is not an error here.
    if keys != nil || builder.compacts { try? store.compact() }
    tellCommit(facts)
    return batch.header.serial
  }

  /// The fingerprint of a value in the domain of one key's record.
  package func fingerprint(_ value: SecretBox, of key: Identifier<Key>) -> Fingerprint {
    let (keys, known) = unlocked.withLock { ($0.sealer.keys, $0.ids[key]) }
    return keys.fingerprint(value, in: known ?? keys.id(of: key))
  }

  /// The fingerprint of a token in the domain of one account's record.
  package func fingerprint(_ token: SecretBox, of account: Identifier<Account>) -> Fingerprint {
    let keys = unlocked.withLock { $0.sealer.keys }
    return keys.fingerprint(token, in: keys.id(of: account))
  }

  /// HMAC-SHA-256 under a key of the store that all recipients have, cut to 16 bytes; nil before the records were read.
  package func digest(ofFile bytes: [UInt8]) -> [UInt8]? {
    guard let key = unlocked.withLock({ $0.digestKey }) else { return nil }
    let code = HMAC<SHA256>.authenticationCode(for: bytes, using: SymmetricKey(data: key))
    return code.withUnsafeBytes { Array($0.prefix(16)) }
  }

  /// Whether the identity that opened the store can only plan.
  package var isPlanOnly: Bool { unlocked.withLock { $0.sealer.keys }.isPlanOnly }

  /// HMAC-SHA-256 under the plan key of the store's current epoch; 32 bytes.
  package func planCode(of bytes: [UInt8]) -> [UInt8] {
    unlocked.withLock { $0.sealer.keys }.planCode(bytes)
  }

  /// Ed25519; of recipients that can only plan, the code.
  package func signature(ofPlan bytes: [UInt8]) -> [UInt8] { unlocked.withLock { $0.sealer.keys }.sign(plan: bytes) }

  /// The signer of a saved plan; nil if the signature is invalid.
  package func signer(ofPlan bytes: [UInt8], _ signature: [UInt8]) -> PlanSigner? {
    unlocked.withLock { $0.sealer.keys }.signer(ofPlan: bytes, signature)
  }

  /// - Parameter isAnew: whether the store is asked, even if it was opened just now.
  private func verified(
    _ buckets: Buckets, in rows: (any RowStore)? = nil, isAnew: Bool = false
  ) throws(StoreError) -> (header: Header, rows: [Row], sealer: Sealer) {
    let (sealer, sent, known) = unlocked.withLock { ($0.sealer, $0.sent, $0.count) }
    var count = known
    let digest = Digest(keys: sealer.keys)
    if !isAnew, let sent {
      let found = sent.rows(in: buckets)
      try digest.verify(found, of: buckets, to: sent.header)
      return (sent.header, found, sealer)
    }
    while true {
      let (header, found) = try (rows ?? self.rows).read(buckets, atMost: count)
      try digest.verify(header)
      defer { unlocked.withLock { $0.take(header, sealer.keys) } }
      if header.count > count {
        // Records were added since, and some may be missing here.
        count = header.count
        continue
      }
      try digest.verify(found, of: buckets, to: header)
      return (header, found, sealer)
    }
  }
}
