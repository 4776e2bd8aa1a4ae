import KeyplanAge
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets

/// Builds one commit: from verified rows and changes to a batch of sealed rows.
struct CommitBuilder {
  var sealer: Sealer
  private(set) var header: Header
  let now: Moment
  var state: StateRecord
  /// The verified rows of all buckets that the commit changes.
  var rows: [RowID: Row] = [:]
  /// Reads one value row.
  var readValue: (RowID) throws(StoreError) -> Row? = { _ throws(StoreError) in nil }
  var written: [RowID: StoredRecord] = [:]
  var removed: Set<RowID> = []
  /// New values by the salts with which they will be sealed.
  var newValues: [[UInt8]: (value: SecretBox, binding: Sealer.Binding)] = [:]
  var removedValues: [RowID] = []
  /// The rows sealed so far, and the number of new records among them.
  var sealedRecords: [Row] = []
  var sealedValues: [Row] = []
  var added: Int64 = 0
  /// Values that are not stored, by their fingerprints in records, which can therefore be derived again under a fresh root key.
  var knownValues: [Fingerprint: SecretBox] = [:]
  var wrapsKeyring = false
  var takesFreshRoot = false
  /// Whether something was deleted that must not be found in the file, or on the server, any more.
  var compacts = false
  /// The age files of new groups, by slot.
  var newGroupFiles: [String: [UInt8]] = [:]
  /// Whether the identity in use can open one of these files: a recipient that may not read a value may not write it either.
  var opensGroup: ([[UInt8]]) throws(StoreError) -> Bool = { _ throws(StoreError) in true }
  /// Runs the plugins that recipients need.
  var plugins: any PluginRunning = NoPlugins()
  /// The recipients before this commit.
  var recipientsBefore: [Identifier<Recipient>: Recipient]

  static let moved = StoreError(.stale, "Another process committed to the store meanwhile.", hint: "Plan again.")

  /// - Parameter rows: verified rows of the bucket that contains the state.
  init(_ sealer: Sealer, _ header: Header, _ rows: [Row], at now: Moment) throws(StoreError) {
    guard let row = rows.first(where: { $0.id == sealer.keys.stateID }),
      case .state(let state) = try sealer.record(in: row)
    else { throw Sealer.tampered }
    self.init(sealer, header, state, at: now)
  }

  init(_ sealer: Sealer, _ header: Header, _ state: StateRecord, at now: Moment) {
    self.sealer = sealer
    self.header = header
    self.state = state
    recipientsBefore = state.recipients
    self.now = now
  }

  /// The first commit of a store.
  static func first(
    _ keys: EpochKeys, _ recipients: [Identifier<Recipient>: Recipient],
    plugins: any PluginRunning = NoPlugins()
  ) throws(StoreError) -> Batch {
    let header = Header(
      format: StoreMark.here.format, store: keys.store, serial: 0, epoch: keys.epoch, count: 0,
      buckets: Digest.emptyBuckets,
      root: [], keyring: [:])
    let state = StateRecord(recipients: recipients, digestKey: Sealer.salt())
    var builder = CommitBuilder(Sealer(keys: keys), header, state, at: Moment(seconds: 0))
    builder.wrapsKeyring = true
    builder.plugins = plugins
    return try builder.sealed()
  }

  /// The buckets that these changes affect, including those of expired forgotten keys.
  func buckets(for changes: [RecordChange]) -> Buckets {
    let keys = sealer.keys
    guard case .some(let certain) = Self.buckets(for: changes, under: keys) else { return .all }
    var touched = Set(certain)
    for forgotten in overdue { touched.insert(keys.id(of: forgotten).bucket) }
    for change in changes {
      switch change {
      case .recipients(let recipients, freshRoot: false, _) where renamesReaders(to: recipients): return .all
      case .forget(let key): touched.insert(keys.id(of: forgetting(key)).bucket)
      case .restore(let key, let serial):
        for forgotten in state.forgotten where forgotten.key == key && forgotten.serial == serial {
          touched.insert(keys.id(of: forgotten).bucket)
        }
      case .purge(let key, _):
        for forgotten in state.forgotten where forgotten.key == key { touched.insert(keys.id(of: forgotten).bucket) }
      default: break
      }
    }
    return .some(touched.sorted())
  }

  /// The buckets that can be determined before anything is read, always including that of the state.
  static func buckets(for changes: [RecordChange], under keys: EpochKeys) -> Buckets {
    var touched: Set<UInt8> = [keys.stateID.bucket]
    for change in changes {
      switch change {
      case .key(let key, _, _), .forget(let key), .restore(let key, _), .purge(let key, _):
        touched.insert(keys.id(of: key).bucket)
      case .slot(let slot, _): touched.insert(keys.id(of: slot).bucket)
      case .target(let target, _): touched.insert(keys.id(of: target).bucket)
      case .account(let account, _, _): touched.insert(keys.id(of: account).bucket)
      // Any slot and any target may contain the name of a renamed key.
      case .recipients(_, freshRoot: true, _), .move: return .all
      case .recipients, .migrated, .allow, .disallow, .attempt, .mint, .hook, .failure, .began, .finished, .guards,
        .applied:
        break
      }
    }
    return touched.count == Digest.bucketCount ? .all : .some(touched.sorted())
  }

  /// Adds the verified rows of those buckets.
  mutating func take(
    _ found: [Row], values: @escaping (RowID) throws(StoreError) -> Row?
  ) throws(StoreError) {
    readValue = values
    rows.reserveCapacity(found.count)
    for row in found { rows[row.id] = row }
    let over = overdue
    for forgotten in over {
      let id = sealer.keys.id(of: forgotten)
      guard case .forgotten(let key, _)? = try record(id) else { throw Sealer.tampered }
      drop(Array(key.salts.keys), of: key)
      remove(id)
    }
    state.forgotten.removeAll { over.contains($0) }
  }

  mutating func apply(_ change: RecordChange) throws(StoreError) {
    if let address = change.endedFailure { state.failures[address] = nil }
    switch change {
    case .key(let name, let record, let value): try write(name, record, value)
    case .forget(let name): try forget(name)
    case .restore(let name, let serial): try restore(name, forgotten: serial)
    case .move(let old, let new): try move(old, to: new)
    case .migrated(let mark): state.migrated.insert(mark)
    case .slot(let name, let slot): try write(name, slot)
    case .target(let name, let target): try write(name, target)
    case .account(let name, let record, let tokens): try write(name, record, tokens)
    case .allow(let item, let terms): state.surface[item] = terms
    case .disallow(let item): state.surface[item] = nil
    case .attempt(let target, let attempt): state.attempts[target] = attempt
    case .mint(let key, let attempt): state.mints[key] = attempt
    case .hook(let target, let isDue): state.dueHooks[target] = isDue ? state.dueHooks[target] ?? now : nil
    case .failure(let address, let failure): state.failures[address] = failure
    case .began(let address): state.open[address] = now
    case .finished(let address): state.open[address] = nil
    case .guards(let guards): state.guards = guards
    case .applied(let plan): state.applied.note(plan)
    case .purge(let name, let isAll): try purge(name, isAll: isAll)
    case .recipients(let recipients, let freshRoot, let leaving):
      if !freshRoot { try requireSameKeys(for: recipients) }
      try expose(to: leaving.map { Exposure(recipient: $0, since: now) })
      let renames = renamesReaders(to: recipients)
      state.recipients = recipients
      wrapsKeyring = true
      if renames, !freshRoot { try renameReaders() }
      if freshRoot { takesFreshRoot = true }
    }
  }

  private mutating func write(_ name: Identifier<Slot>, _ slot: SlotRecord?) throws(StoreError) {
    let id = sealer.keys.id(of: name)
    let unknown = try unknown(at: id)
    set(id, slot.map { .slot(StoredSlot(name: name, record: $0, unknown: unknown)) })
  }

  private mutating func write(_ name: Identifier<Target>, _ target: TargetRecord?) throws(StoreError) {
    let id = sealer.keys.id(of: name)
    let unknown = try unknown(at: id)
    set(id, target.map { .target(StoredTarget(name: name, record: $0, unknown: unknown)) })
  }

  /// The unknown fields of the record with this id, to be kept in the new record.
  private func unknown(at id: RowID) throws(StoreError) -> UnknownFields { try record(id)?.unknown ?? UnknownFields() }

  /// The batch, and the sealer of the new epoch if there is one.
  mutating func finished() throws(StoreError) -> (Batch, Sealer?) {
    state.appliedAt = now
    return takesFreshRoot ? try withFreshRoot() : (try sealed(), nil)
  }

  private mutating func write(
    _ name: Identifier<Key>, _ record: KeyRecord, _ value: SecretBox?
  ) throws(StoreError) {
    let id = sealer.keys.id(of: name)
    let old = try key(id)
    var stored = StoredKey(
      name: name, record: record, salts: [:], unknown: old?.unknown ?? UnknownFields(),
      group: try group(of: name, record, old))
    for version in stored.versions {
      guard let salt = old?.salts[version.number],
        let before = old?.versions.first(where: { $0.number == version.number }),
        before.fingerprint == version.fingerprint, before.storedAt == version.storedAt
      else { continue }
      stored.salts[version.number] = salt
    }
    // A value that was made and is not used yet, or the current one.
    let new = record.pending.flatMap { stored.salts[$0.number] == nil ? $0.number : nil } ?? record.version.number
    if let old, old.group != stored.group {
      // Recipients that may no longer read them have the key of the old rows.
      compacts = true
      for version in stored.versions where value == nil || version.number != new {
        guard stored.salts[version.number] != nil, let before = old.binding(version, in: id) else { continue }
        let kept = try keptValue(before)
        stored.salts[version.number] = Sealer.salt()
        if let binding = stored.binding(version, in: id) { newValues[binding.salt] = (kept, binding) }
      }
    }
    if let value {
      if let old, let group = stored.group, old.group == group { try requireAuthentic(old, in: id) }
      stored.salts[new] = Sealer.salt()
      if let version = stored.versions.first(where: { $0.number == new }), let binding = stored.binding(version, in: id)
      {
        newValues[binding.salt] = (value, binding)
      }
    }
    for number in [record.version.number, record.pending?.number].compactMap(\.self) where stored.salts[number] == nil {
      throw StoreError(.notRecorded, "No value of version \(number) of the key \(name) is recorded.")
    }
    if let old { drop(old.salts.filter { stored.salts[$0.key] != $0.value }.map(\.key), of: old) }
    set(id, .key(stored))
  }

  private mutating func forget(_ name: Identifier<Key>) throws(StoreError) {
    let id = sealer.keys.id(of: name)
    guard let old = try key(id) else {
      throw StoreError(.notRecorded, "No key is recorded under the name \(name).")
    }
    let forgotten = forgetting(name)
    remove(id)
    set(sealer.keys.id(of: forgotten), .forgotten(old, at: now))
    state.forgotten.append(forgotten)
  }

  /// Values are bound to the name, so only the record must be restored.
  private mutating func restore(_ name: Identifier<Key>, forgotten serial: Int64) throws(StoreError) {
    let id = sealer.keys.id(of: name)
    guard let index = state.forgotten.firstIndex(where: { $0.key == name && $0.serial == serial }) else {
      throw StoreError(.notRecorded, "The key \(name) that serial \(serial) forgot is no longer kept.")
    }
    guard try key(id) == nil else { throw StoreError(.exists, "The name \"\(name)\" is in use by another key.") }
    let old = sealer.keys.id(of: state.forgotten.remove(at: index))
    guard case .forgotten(var key, _)? = try record(old) else { throw Sealer.tampered }
    key.record.revision = header.serial + 1
    remove(old)
    set(id, .key(key))
  }

  private mutating func purge(_ name: Identifier<Key>, isAll: Bool) throws(StoreError) {
    compacts = true
    let id = sealer.keys.id(of: name)
    if var stored = try key(id) {
      let kept = [stored.record.version.number, stored.record.pending?.number]
      drop(stored.salts.keys.filter { isAll || !kept.contains($0) }, of: stored)
      stored.record = stored.record.purged(revision: header.serial + 1)
      stored.salts = stored.salts.filter { kept.contains($0.key) }
      set(id, isAll ? nil : .key(stored))
    }
    for forgotten in state.forgotten where forgotten.key == name {
      let id = sealer.keys.id(of: forgotten)
      guard case .forgotten(let key, _)? = try record(id) else { throw Sealer.tampered }
      drop(Array(key.salts.keys), of: key)
      remove(id)
    }
    state.forgotten.removeAll { $0.key == name }
  }

  /// Marks every value that is recorded now, forgotten ones included.
  private mutating func expose(to exposures: [Exposure]) throws(StoreError) {
    guard !exposures.isEmpty else { return }
    for id in Set(rows.keys).union(written.keys) {
      switch try record(id) {
      case .key(var key)?:
        key.record = key.record.exposed(to: exposures)
        set(id, .key(key))
      case .forgotten(var key, let moment)?:
        key.record = key.record.exposed(to: exposures)
        set(id, .forgotten(key, at: moment))
      case .account(var account)?:
        account.record = account.record.exposed(to: exposures)
        set(id, .account(account))
      case .state?, .slot?, .target?, nil: break
      }
    }
  }

  /// Removes the values of these versions in this commit.
  mutating func drop(_ versions: [Int64], of key: StoredKey) {
    for version in key.versions where versions.contains(version.number) {
      guard let binding = key.binding(version, in: sealer.keys.id(of: key.name)) else { continue }
      if newValues.removeValue(forKey: binding.salt) == nil { removedValues.append(sealer.valueID(binding)) }
    }
  }

  private var overdue: [StateRecord.Forgotten] { state.forgotten.filter { now - $0.at > ForgottenKey.restorable } }

  private func forgetting(_ key: Identifier<Key>) -> StateRecord.Forgotten {
    StateRecord.Forgotten(key: key, serial: header.serial + 1, at: now)
  }

  /// Rewrites every record in the current format. A store that gets roles gets a new root key with them, because its root
  /// id is then that of a public key.
  func key(_ id: RowID) throws(StoreError) -> StoredKey? {
    guard case .key(let key)? = try record(id) else { return nil }
    return key
  }

  func record(_ id: RowID) throws(StoreError) -> StoredRecord? {
    if let record = written[id] { return record }
    guard !removed.contains(id), let row = rows[id] else { return nil }
    return try sealer.record(in: row)
  }

  mutating func set(_ id: RowID, _ record: StoredRecord?) {
    written[id] = record
    if record == nil { removed.insert(id) } else { removed.remove(id) }
  }

  mutating func remove(_ id: RowID) { set(id, nil) }

  static func encryptionRecipients(
    _ recipients: [Identifier<Recipient>: Recipient], for role: Recipient.Role
  ) throws(StoreError) -> [AgeRecipient] {
    var found: [AgeRecipient] = []
    for (name, recipient) in recipients.sorted(by: { $0.key < $1.key }) where recipient.role == role {
      do throws(AgeError) {
        found.append(try AgeRecipient(parsing: recipient.publicKey))
      } catch {
        throw StoreError(.wrongIdentity, "The recipient \"\(name)\" cannot be used: \(error).")
      }
    }
    return found
  }
}

extension Sealer {
  func record(in row: Row) throws(StoreError) -> StoredRecord {
    let bytes = try open(record: row)
    do throws(ByteReader.Malformed) {
      return try StoredRecord(decoding: bytes)
    } catch {
      // It is authentic, so it was written by a later version of keyplan.
      throw StoreError(
        .newerVersion, "The store contains a record that this version of keyplan cannot read.",
        hint: "Use a later version of keyplan.")
    }
  }
}
