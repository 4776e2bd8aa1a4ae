import Crypto
import FoundationEssentials
package import KeyplanAge
package import KeyplanModel
package import KeyplanPorts
package import KeyplanSecrets

/// Everything in a store with all values, as JSON in an age file that needs neither keyplan nor the store to be read.
///
/// It ends with a MAC under a key that is derived from the store's root key, so that someone who only knows the recipients cannot
/// forge one.
package struct StoreBackup: Sendable {
  /// The store's id, 32 hex digits.
  package let store: String
  /// The commitment to the root key, as it is pinned.
  package let rootID: String
  package let serial: Int64
  package let epoch: Int64
  package let createdAt: Moment
  /// The MAC at its end, which no other backup has.
  package let code: String
  /// The recipients that could open the store.
  package let recipients: [Identifier<Recipient>: Recipient]
  let keys: EpochKeys
  let state: StateRecord
  let records: [Entry]

  /// The size in bytes above which a backup is neither written nor read.
  package static let sizeLimit = 1 << 36

  /// The number of values, tokens counted once for each account.
  package var values: Int { records.reduce(0) { $0 + $1.count } }
  /// The number of records, with the state.
  package var count: Int { records.count + 1 }
}

// MARK: Writing

extension StoreBackup {
  /// - Parameter others: sealed to these instead of the store's recipients that can open all of its values.
  /// - Throws: `otherRecipients` if some values are for others only.
  package static func file(
    of place: StoreLocation, identities: [Identity], to others: [AgeRecipient], at now: Moment,
    plugins: any PluginRunning = NoPlugins()
  ) throws(StoreError) -> (file: [UInt8], facts: StoreFacts, records: Int, values: Int) {
    let dump = try StoreDump(at: place, .reading, under: nil, identities: identities)
    try dump.mark.requireHere()
    let sealer = dump.sealer
    let entries = Dictionary(try state(of: dump).forgotten.map { (dump.keys.id(of: $0), $0.name) }) { first, _ in first
    }
    let rows = Dictionary(dump.whole.values.map { ($0.id, $0) }) { first, _ in first }
    func value(_ binding: Sealer.Binding) throws(StoreError) -> SecretBox {
      guard let row = rows[sealer.valueID(binding)] else { throw Sealer.tampered }
      return try sealer.open(value: row, binding)
    }
    // Decoded again when it is written: all records of a store at once would take several times as much memory as their rows.
    var found: [(kind: String, name: String?, row: Int)] = []
    var recipients: [Identifier<Recipient>: Recipient] = [:]
    var groups: [[Identifier<Recipient>]] = []
    var closed: [StoredKey] = []
    var count = 0
    for (index, row) in dump.whole.records.enumerated() {
      let record = try sealer.record(in: row)
      switch record {
      case .key(let key), .forgotten(let key, _):
        if let group = key.valueGroup { groups.append(group.recipients) }
        if sealer.isClosed(key) { closed.append(key) }
      case .state(let state): recipients = state.recipients
      case .account, .slot, .target: break
      }
      found.append(("\(record.kind)", entries[row.id] ?? record.name, index))
    }
    if let first = closed.min(by: { $0.name < $1.name }) {
      throw .otherRecipients(of: first.name, first.record.facts.recipients ?? [])
    }
    found.sort { ($0.kind, $0.name ?? "") < ($1.kind, $1.name ?? "") }
    var texts: [[UInt8]] = []
    texts.reserveCapacity(found.count)
    for (kind, name, index) in found {
      let id = dump.whole.records[index].id
      let record = try sealer.record(in: dump.whole.records[index])
      var values: [BackupContent.Value]?
      switch record {
      case .key(let key), .forgotten(let key, _):
        var versions: [BackupContent.Value] = []
        for version in key.versions {
          guard let binding = key.binding(version, in: dump.keys.id(of: key.name)) else { continue }
          let secret = try value(binding)
          versions.append(
            secret.withBytes {
              BackupContent.Value(
                version: version.number, isCurrent: version.number == key.record.version.number, $0)
            })
        }
        values = versions
        count += versions.count
      case .account(let account):
        guard let binding = account.binding(in: id) else { break }
        let tokens = try AccountTokens(sealed: try value(binding))
        values = [("access", tokens.access), ("refresh", tokens.refresh)].compactMap { name, token in
          token?.withBytes { BackupContent.Value(token: name, $0) }
        }
        count += 1
      case .state, .slot, .target: break
      }
      texts.append(
        try BackupText.encode(
          BackupContent.Record(kind: kind, name: name, record: Data(record.encoded), values: values)))
    }
    let content = BackupContent(
      createdAt: now.description, store: dump.facts.id, serial: dump.facts.serial, epoch: dump.facts.epoch,
      rootKey: try dump.keys.keyring.root.withUnsafeBytes { $0.hexadecimal },
      records: [])
    let text = try BackupText.write(content, texts) { bytes throws(StoreError) in
      try dump.keys.authenticate(backup: bytes)
    }
    // A file that a restore would refuse is not written.
    let backup = try StoreBackup(text)
    guard backup.count == found.count, backup.values == count else { throw StoreBackup.damaged }
    let file: [UInt8]
    let all = try others.isEmpty ? readers(of: groups, among: recipients) : others
    do throws(AgeError) {
      file = try Age.encrypt(text, to: all, plugins: plugins)
    } catch {
      throw .notEncrypted("The backup", error, hint: "Name a --recipient.")
    }
    guard file.count <= sizeLimit else {
      throw StoreError(.io, "The backup has \(file.count) bytes, and a restore reads up to \(sizeLimit).")
    }
    return (file, dump.facts, found.count, count)
  }

  /// The recipients that can open every value, so that a backup gives no one more access than the store does.
  private static func readers(
    of groups: [[Identifier<Recipient>]],
    among recipients: [Identifier<Recipient>: Recipient]
  ) throws(StoreError) -> [AgeRecipient] {
    let all = recipients.filter { name, _ in groups.allSatisfy { $0.contains(name) } }
    guard groups.isEmpty || all.contains(where: { $0.value.role == .full }) else {
      throw StoreError(
        .otherRecipients, "No recipient of the store can open all of its values.",
        hint: "Name who can read all of them in the backup, with --recipient.")
    }
    return try CommitBuilder.encryptionRecipients(all, for: .full)
  }
}

// MARK: Reading

extension StoreBackup {
  /// Decrypts a backup, and verifies its MAC, every record and every value.
  package init(file: consuming [UInt8], identities: [Identity]) throws(StoreError) {
    let secret: Secret
    do throws(AgeError) {
      secret = try Age.decrypt(file, with: identities)
    } catch {
      switch error {
      case .noMatch, .noIdentities, .needsPassphrase:
        throw StoreError(
          .wrongIdentity, "None of the identities can open the backup.", hint: "Use another one with --identity.")
      case .libraryMissing:
        throw StoreError(.io, "The backup cannot be decrypted: \(error).", hint: StoreError.installingLibcrypto)
      case .plugin(let plugin, let fault):
        throw StoreError(
          .plugin, "The backup cannot be decrypted: \(error).", hint: StoreError.installing(plugin, fault))
      default: throw StoreError(.tampered, "The backup cannot be decrypted: \(error).")
      }
    }
    file = []
    try self.init(secret)
  }

  init(_ text: borrowing Secret) throws(StoreError) {
    self = try text.withBytes { bytes throws(StoreError) in try StoreBackup(text: bytes) }
  }

  private init(text: UnsafeRawBufferPointer) throws(StoreError) {
    guard var reader = BackupText.Reader(text), reader.frame.format == BackupContent.format else {
      throw StoreError(.damaged, "The file is not a backup made by keyplan.")
    }
    let content = reader.frame
    guard content.formatVersion == 1 else {
      throw StoreError(
        .newerVersion, "The backup has format \(content.formatVersion); this version of keyplan reads format 1.",
        hint: "Use a later version of keyplan.")
    }
    guard let root = Self.bytes(content.rootKey, 32), let id = Self.bytes(content.store, 16), content.epoch > 0,
      content.serial > 0, let createdAt = Moment(content.createdAt)
    else { throw Self.damaged }
    let keys = try EpochKeys(root: SymmetricKey(data: root), store: id, epoch: content.epoch)
    guard try reader.isAuthentic({ bytes throws(StoreError) in try keys.authenticate(backup: bytes) }) else {
      throw Self.damaged
    }
    (self.keys, code) = (keys, reader.code)
    (store, serial, epoch, self.createdAt) = (content.store, content.serial, content.epoch, createdAt)
    rootID = keys.rootID.hexadecimal

    var state: StateRecord?
    var records: [Entry] = []
    var ids: Set<RowID> = []
    while let stored = try reader.record() {
      let encoded = Array(stored.record)
      let record = try Entry.decode(encoded)
      if case .state(let found) = record {
        guard state == nil else { throw Self.damaged }
        state = found
        continue
      }
      var forgotten: StateRecord.Forgotten?
      if case .forgotten(let key, let moment) = record {
        guard let entry = stored.name.flatMap({ StateRecord.Forgotten(name: $0, at: moment) }), entry.key == key.name
        else { throw Self.damaged }
        forgotten = entry
      }
      let values = try Self.values(of: record, stored.values ?? [], under: keys)
      let entry = Entry(encoded, record, forgotten, values, under: keys)
      // Two records of one name would both be sealed.
      guard let id = entry.id(of: record, under: keys), ids.insert(id).inserted else { throw Self.damaged }
      records.append(entry)
    }
    guard let state, Set(records.compactMap(\.forgotten)) == Set(state.forgotten) else { throw Self.damaged }
    (self.state, self.records, recipients) = (state, records, state.recipients)
  }

  /// The values of a record, each of which has to be the one that the record describes.
  private static func values(
    of record: StoredRecord, _ values: [BackupContent.Value], under keys: EpochKeys
  ) throws(StoreError) -> [Entry.Value] {
    switch record {
    case .key(let key), .forgotten(let key, _):
      let id = keys.id(of: key.name)
      var found: [Entry.Value] = []
      for version in key.versions {
        guard let binding = key.binding(version, in: id) else { continue }
        guard let bytes = values.first(where: { $0.version == version.number })?.bytes else { throw damaged }
        let value = SecretBox(bytes)
        guard keys.fingerprint(value, in: id) == version.fingerprint else { throw damaged }
        found.append(Entry.Value(value: value, binding: binding))
      }
      guard found.count == values.count else { throw damaged }
      return found
    case .account(let account):
      guard let binding = account.binding(in: keys.id(of: account.name)) else { return [] }
      func token(_ name: String) -> SecretBox? { values.first { $0.token == name }?.bytes.map { SecretBox($0) } }
      let tokens = AccountTokens(access: token("access"), refresh: token("refresh"))
      return [Entry.Value(value: tokens.sealing, binding: binding)]
    case .state, .slot, .target: return []
    }
  }

  static let damaged = StoreError(
    .tampered, "The backup was changed after keyplan wrote it, or is not complete.", hint: "Use another backup.")

  private static func bytes(_ text: String, _ count: Int) -> [UInt8]? {
    guard text.utf8.count == 2 * count else { return nil }
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) {
      bytes.append(high << 4 | low)
    }
    return bytes.count == count ? bytes : nil
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x61...0x66: byte - 0x57
    default: nil
    }
  }
}

// MARK: Restoring

extension StoreBackup {
  /// A key of the backup with the value that would be current.
  package var currentValues: [Identifier<Key>: SecretBox] {
    var found: [Identifier<Key>: SecretBox] = [:]
    for entry in records {
      if case .key(let name)? = entry.address { found[name] = entry.current }
    }
    return found
  }

  /// The values of each key that are not revoked in the backup, its history included.
  package var usableValues: [Identifier<Key>: [SecretBox]] {
    var found: [Identifier<Key>: [SecretBox]] = [:]
    for entry in records {
      if case .key(let name)? = entry.address { found[name] = entry.usable }
    }
    return found
  }

  /// The addresses of all records but those of forgotten keys.
  package var addresses: Set<Address> { Set(records.compactMap(\.address)) }

  /// Makes the backup the content of the store at a place, under a fresh root key: in one transaction, or not at all.
  /// - Parameters:
  ///   - recipients: the recipients that can open it from now on.
  ///   - floor: the highest serial that was seen; the restored store is above it.
  ///   - seen: the existing store as the user saw it; nil if there was none.
  package func restore(
    to place: StoreLocation, identities: [Identity], under lock: StoreLock?, replacing seen: StoreFacts?,
    recipients: [Identifier<Recipient>: Recipient], above floor: Int64, at now: Moment,
    plugins: any PluginRunning = NoPlugins(),
    tellFreshRoot: (SealedStore.FreshRoot) throws(StoreError) -> Void
  ) throws(StoreError) -> StoreFacts {
    var dump = try seen.map { _ throws(StoreError) in
      try StoreDump(at: place, .writing, under: lock, identities: identities)
    }
    if let dump {
      try dump.mark.requireHere()
      guard dump.facts == seen, dump.facts.id == store else { throw CommitBuilder.moved }
    }
    let present = dump.map { (rows: $0.rows, header: $0.header) }
    // Everything is sealed again, so the old side has to agree only with itself.
    let old = try EpochKeys(
      root: keys.keyring.root, store: keys.store, epoch: max(epoch, present?.header.epoch ?? 0))
    let start = Header(
      format: StoreMark.here.format, store: old.store,
      serial: max(serial, floor, present?.header.serial ?? 0), epoch: old.epoch, count: 0,
      buckets: Digest.emptyBuckets, root: [], keyring: [:])
    var state = try dump.map { dump throws(StoreError) in try merged(with: dump) } ?? state
    state.recipients = recipients
    state.movedAt = start.serial + 1
    state.undone = nil
    state.appliedAt = now
    var builder = CommitBuilder(Sealer(keys: old), start, state, at: now)
    builder.recipientsBefore = self.recipients
    builder.plugins = plugins
    let later = try LaterKnowledge(
      in: dump, leaving: self.recipients.leaving(for: recipients).map { Exposure(recipient: $0, since: now) })
    // The existing rows, of which the rest is not needed.
    dump = nil
    var renewal = try Renewal(of: builder)
    for entry in records {
      var record = try entry.record()
      guard let id = entry.id(of: record, under: old) else { continue }
      let values = entry.values(of: record, under: keys)
      builder.knownValues = try later.add(to: &record, values, under: keys)
      builder.newValues = Dictionary(values.map { ($0.binding.salt, ($0.value, $0.binding)) }) { first, _ in first }
      try renewal.add(record, at: id, from: builder)
    }
    var (batch, sealer) = try renewal.finished()
    let (header, fresh) = (batch.header, sealer.keys)
    let rootID = fresh.rootID.hexadecimal
    try tellFreshRoot(.coming(rootID))
    if let present {
      batch.before = present.header.serial
      try present.rows.commit(batch, replacing: present.header.root)
      // Its rows are not needed while the file is written again.
      batch = Batch(header: header)
      try? present.rows.compact()
    } else {
      switch place {
      case .file(let path): _ = try SQLiteRows.create(try StoreFile(making: path).path, batch)
      case .shared(let shared): _ = try PostgresRows.create(shared.session, batch)
      }
    }
    // The commit is valid even if this fails.
    try? tellFreshRoot(.committed(rootID))
    return StoreFacts(header, rootID: fresh.rootID)
  }

  /// Permissions and recorded rules are those of the existing store, and steps begun or due since then are kept.
  private func merged(with dump: StoreDump) throws(StoreError) -> StateRecord {
    let present = try Self.state(of: dump)
    var merged = state
    merged.surface = present.surface
    merged.guards = present.guards
    merged.open = present.open.merging(state.open) { first, _ in first }
    merged.mints = present.mints.merging(state.mints) { first, _ in first }
    merged.attempts = present.attempts.merging(state.attempts) { first, _ in first }
    merged.dueHooks = present.dueHooks.merging(state.dueHooks) { first, _ in first }
    merged.failures = present.failures
    return merged
  }

  private static func state(of dump: StoreDump) throws(StoreError) -> StateRecord {
    guard let row = dump.whole.records.first(where: { $0.id == dump.keys.stateID }),
      case .state(let state) = try Sealer(keys: dump.keys).record(in: row)
    else { throw Sealer.tampered }
    return state
  }
}

extension EpochKeys {
  /// Under a separate key for backups.
  /// - Throws: `planOnly`.
  func authenticate(backup text: some DataProtocol) throws(StoreError) -> [UInt8] {
    let key = HKDF<SHA256>.deriveKey(
      inputKeyMaterial: try keyring.root, salt: store, info: Array("keyplan/kp1/backup/\(epoch)".utf8),
      outputByteCount: 32)
    return HMAC<SHA256>.authenticationCode(for: text, using: key).withUnsafeBytes { [UInt8]($0) }
  }
}

extension StoredRecord {
  /// Nil for the state.
  fileprivate var name: String? {
    switch self {
    case .state: nil
    case .key(let key), .forgotten(let key, _): key.name.name
    case .slot(let slot): slot.name.name
    case .target(let target): target.name.name
    case .account(let account): account.name.name
    }
  }
}
