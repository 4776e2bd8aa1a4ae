package import KeyplanModel
package import KeyplanPorts
package import KeyplanSecrets
import Synchronization

/// An in-memory store for tests, with the same contract as real ones, but without encryption or persistence.
/// Fingerprints depend on the store and key, but are not cryptographic.
package final class MemoryStore: RecordStore, TokenStore, Fingerprinting, PlanSigning {
  private let content: Mutex<Content>

  fileprivate struct Content {
    var recorded: Recorded
    var values: [Identifier<Key>: [Int64: SecretBox]] = [:]
    /// The values of forgotten keys, by the serial of the commit that forgot them.
    var forgottenValues: [Int64: [Identifier<Key>: [Int64: SecretBox]]] = [:]
    var tokens: [Identifier<Account>: AccountTokens] = [:]
    var root: UInt64
  }

  /// A new, empty store.
  package init(recipients: [Identifier<Recipient>: Recipient] = [:]) {
    let id =
      String(UInt64.random(in: 1 << 60 ... .max), radix: 16) + String(UInt64.random(in: 1 << 60 ... .max), radix: 16)
    let recorded = Recorded(store: StoreState(id: id, serial: 1, epoch: 1), recipients: recipients)
    content = Mutex(Content(recorded: recorded, root: .random(in: .min ... .max)))
  }

  private init(_ content: Content) { self.content = Mutex(content) }

  /// A copy of the current state, as seen by a process that opened the store before the next commit.
  package func copy() -> MemoryStore { MemoryStore(content.withLock { $0 }) }

  /// Everything except the secrets.
  package func recorded() throws(StoreError) -> Recorded { content.withLock { $0.recorded }.inheriting() }

  /// The value of a key: the current version, or an earlier one that is still in the history.
  package func value(of key: Identifier<Key>, version: Int64?) throws(StoreError) -> SecretBox {
    let found = content.withLock { content in
      content.recorded.keys[key].flatMap { content.values[key]?[version ?? $0.version.number] }
    }
    guard let found else { throw StoreError(.notRecorded, "No such value of the key \(key) is recorded.") }
    return found
  }

  /// The tokens of an account; nil if it has none.
  package func tokens(of account: Identifier<Account>) throws(StoreError) -> AccountTokens? {
    let found = content.withLock { content in (content.recorded.accounts[account], content.tokens[account]) }
    guard found.0 != nil else { throw StoreError(.notRecorded, "No account is recorded under the name \(account).") }
    return found.1
  }

  /// Executes all changes, or none of them if one fails.
  package func commit(
    _ changes: [RecordChange], expecting serial: Int64, at now: Moment
  ) throws(StoreError) -> Int64 {
    try content.withLock { content throws(StoreError) in
      guard let state = content.recorded.store, state.serial == serial else {
        throw StoreError(.stale, "Another commit was made meanwhile.")
      }
      guard !changes.isEmpty else { return serial }
      var next = content
      next.dropForgotten(at: now)
      for change in changes { try next.apply(change, at: now) }
      let epoch = next.recorded.store?.epoch ?? state.epoch
      next.recorded.store = StoreState(
        id: state.id, serial: serial + 1, epoch: epoch, appliedAt: now, applied: next.recorded.applied)
      content = next
      return serial + 1
    }
  }

  /// The fingerprint of a value in the domain of one key's record.
  package func fingerprint(_ value: SecretBox, of key: Identifier<Key>) -> Fingerprint {
    content.withLock { $0.fingerprint(value, of: key) }
  }

  /// The fingerprint of a token in the domain of one account's record.
  package func fingerprint(_ token: SecretBox, of account: Identifier<Account>) -> Fingerprint {
    content.withLock { $0.fingerprint(token, in: "calendar.\(account)") }
  }

  /// 32 bytes that depend on the store, its epoch and the bytes.
  package func planCode(of bytes: [UInt8]) -> [UInt8] {
    let root = content.withLock { $0.root }
    return (0..<4).flatMap { Keyed.bytes(of: bytes, under: root &+ $0) }
  }

  /// The code.
  package func signature(ofPlan bytes: [UInt8]) -> [UInt8] { planCode(of: bytes) }

  /// `full` for the code.
  package func signer(ofPlan bytes: [UInt8], _ signature: [UInt8]) -> PlanSigner? {
    signature == planCode(of: bytes) ? .full : nil
  }
}

extension MemoryStore.Content {
  fileprivate mutating func apply(_ change: RecordChange, at now: Moment) throws(StoreError) {
    if let address = change.endedFailure { recorded.failures[address] = nil }
    switch change {
    case .key(let name, let record, let value): try write(name, record, value)
    case .forget(let name):
      guard let record = recorded.keys.removeValue(forKey: name) else {
        throw StoreError(.notRecorded, "No key is recorded under the name \(name).")
      }
      recorded.forgotten.append(ForgottenKey(key: name, serial: revision, at: now, record: record))
      forgottenValues[revision, default: [:]][name] = values.removeValue(forKey: name)
    case .restore(let name, let serial): try restore(name, forgotten: serial)
    case .move(let old, let new): try move(old, to: new)
    case .migrated(let mark): recorded.migrated.insert(mark)
    case .slot(let name, let slot): recorded.slots[name] = slot
    case .target(let name, let target): recorded.targets[name] = target
    case .account(let name, let record, let tokens): try write(name, record, tokens)
    case .allow(let item, let terms): recorded.surface[item] = terms
    case .disallow(let item): recorded.surface[item] = nil
    case .purge(let name, let isAll): purge(name, isAll: isAll)
    case .recipients(let recipients, let freshRoot, let leaving):
      recorded.recipients = recipients
      expose(to: leaving.map { Exposure(recipient: $0, since: now) })
      if freshRoot { takeFreshRoot() }
    case .attempt(let target, let attempt): recorded.attempts[target] = attempt
    case .mint(let key, let attempt): recorded.mints[key] = attempt
    case .hook(let target, let isDue): recorded.dueHooks[target] = isDue ? recorded.dueHooks[target] ?? now : nil
    case .failure(let address, let failure): recorded.failures[address] = failure
    case .began(let address): recorded.interrupted[address] = now
    case .finished(let address): recorded.interrupted[address] = nil
    case .guards(let guards): recorded.guards = guards
    case .applied(let plan): recorded.applied.note(plan)
    }
  }

  private mutating func write(
    _ name: Identifier<Key>, _ record: KeyRecord, _ value: SecretBox?
  ) throws(StoreError) {
    let old = recorded.keys[name]?.storedVersions ?? []
    var kept: [Int64: SecretBox] = [:]
    for version in record.storedVersions {
      guard let before = old.first(where: { $0.number == version.number }),
        before.fingerprint == version.fingerprint, before.storedAt == version.storedAt
      else { continue }
      kept[version.number] = values[name]?[version.number]
    }
    let new = record.pending.flatMap { kept[$0.number] == nil ? $0.number : nil } ?? record.version.number
    if let value { kept[new] = value }
    guard kept[record.version.number] != nil, record.pending.map({ kept[$0.number] != nil }) ?? true else {
      throw StoreError(.notRecorded, "No value of this version of the key \(name) is recorded.")
    }
    recorded.keys[name] = record
    values[name] = kept
  }

  private mutating func write(
    _ name: Identifier<Account>, _ record: AccountRecord?, _ new: AccountTokens?
  ) throws(StoreError) {
    recorded.accounts[name] = record
    tokens[name] = record?.signIn == nil && new == nil ? nil : new ?? tokens[name]
    guard record?.signIn == nil || tokens[name] != nil else {
      throw StoreError(.notRecorded, "No tokens of the account \(name) are recorded.")
    }
    if record == nil { tokens[name] = nil }
  }

  private mutating func restore(_ name: Identifier<Key>, forgotten serial: Int64) throws(StoreError) {
    guard let index = recorded.forgotten.firstIndex(where: { $0.key == name && $0.serial == serial }) else {
      throw StoreError(.notRecorded, "Nothing that serial \(serial) forgot of the key \(name) is kept.")
    }
    guard recorded.keys[name] == nil else { throw StoreError(.exists, "The name \"\(name)\" is in use.") }
    var record = recorded.forgotten.remove(at: index).record
    record.revision = revision
    recorded.keys[name] = record
    values[name] = forgottenValues[serial]?.removeValue(forKey: name)
  }

  private mutating func purge(_ name: Identifier<Key>, isAll: Bool) {
    for forgotten in recorded.forgotten where forgotten.key == name { forgottenValues[forgotten.serial]?[name] = nil }
    recorded.forgotten.removeAll { $0.key == name }
    let kept = isAll ? nil : recorded.keys[name]?.purged(revision: revision)
    recorded.keys[name] = kept
    values[name] = kept.flatMap { kept in
      values[name]?.filter { value in kept.storedVersions.contains { $0.number == value.key } }
    }
  }

  private mutating func expose(to exposures: [Exposure]) {
    guard !exposures.isEmpty else { return }
    recorded.keys = recorded.keys.mapValues { $0.exposed(to: exposures) }
    recorded.accounts = recorded.accounts.mapValues { $0.exposed(to: exposures) }
    recorded.forgotten = recorded.forgotten.map {
      ForgottenKey(key: $0.key, serial: $0.serial, at: $0.at, record: $0.record.exposed(to: exposures))
    }
  }

  private mutating func move(_ old: Identifier<Key>, to new: Identifier<Key>) throws(StoreError) {
    guard var record = recorded.keys[old] else {
      throw StoreError(.notRecorded, "No key is recorded under the name \(old).")
    }
    guard recorded.keys[new] == nil else { throw StoreError(.exists, "The name \"\(new)\" is in use.") }
    var renewed: [Fingerprint: Fingerprint] = [:]
    for version in record.storedVersions {
      if let value = values[old]?[version.number] { renewed[version.fingerprint] = fingerprint(value, of: new) }
    }
    func anew(_ print: Fingerprint) -> Fingerprint { renewed[print] ?? lost(print) }
    record.renew(anew)
    record.revision = revision
    recorded.keys[old] = nil
    if let mint = recorded.mints.removeValue(forKey: old) { recorded.mints[new] = mint }
    if let failure = recorded.failures.removeValue(forKey: .key(old)) { recorded.failures[.key(new)] = failure }
    recorded.guards = recorded.guards.moving([old: new])
    recorded.keys[new] = record
    values[new] = values.removeValue(forKey: old)
    for (name, record) in recorded.keys where record.isMade(ofOneOf: [old]) {
      var renamed = record.renamingParts([old: new])
      renamed.revision = revision
      recorded.keys[name] = renamed
    }
    recorded.forgotten = recorded.forgotten.map {
      ForgottenKey(key: $0.key, serial: $0.serial, at: $0.at, record: $0.record.renamingParts([old: new]))
    }
    for (name, slot) in recorded.slots where slot.key == old {
      recorded.slots[name] = SlotRecord(revision: revision, key: new, since: slot.since)
    }
    recorded.attempts = recorded.attempts.mapValues { attempt in
      WriteAttempt(destination: attempt.destination, names: attempt.names.mapValues { $0 == old ? new : $0 })
    }
    for (name, var target) in recorded.targets where target.entries.values.contains(where: { $0.key == old }) {
      target.revision = revision
      target.entries = target.entries.mapValues {
        $0.key == old ? $0.renewed(key: new, fingerprint: anew($0.fingerprint)) : $0
      }
      recorded.targets[name] = target
    }
  }

  /// The serial of the commit in progress.
  private var revision: Int64 { (recorded.store?.serial ?? 0) + 1 }

  fileprivate mutating func dropForgotten(at now: Moment) {
    for forgotten in recorded.forgotten where forgotten.end < now {
      forgottenValues[forgotten.serial]?[forgotten.key] = nil
    }
    recorded.forgotten.removeAll { $0.end < now }
  }

  /// The replacement for the fingerprint of a value that is no longer stored.
  private func lost(_ old: Fingerprint) -> Fingerprint {
    Fingerprint(Keyed.bytes(of: old.bytes, under: root) + [UInt8](repeating: 0, count: 8)) ?? old
  }

  private mutating func takeFreshRoot() {
    root = .random(in: .min ... .max)
    if let state = recorded.store {
      recorded.store = StoreState(
        id: state.id, serial: state.serial, epoch: state.epoch + 1, appliedAt: state.appliedAt,
        applied: recorded.applied)
    }
    var renewed: [Identifier<Key>: [Fingerprint: Fingerprint]] = [:]
    for (name, record) in recorded.keys {
      for version in record.storedVersions {
        guard let value = values[name]?[version.number] else { continue }
        renewed[name, default: [:]][version.fingerprint] = fingerprint(value, of: name)
      }
    }
    func anew(_ old: Fingerprint, of key: Identifier<Key>) -> Fingerprint {
      renewed[key]?[old] ?? lost(old)
    }
    for (name, var record) in recorded.keys {
      record.renew { anew($0, of: name) }
      recorded.keys[name] = record
    }
    recorded.forgotten = recorded.forgotten.map { old in
      var record = old.record
      let values = forgottenValues[old.serial]?[old.key] ?? [:]
      var prints: [Fingerprint: Fingerprint] = [:]
      for version in record.storedVersions {
        prints[version.fingerprint] = values[version.number].map { fingerprint($0, of: old.key) }
      }
      record.renew { prints[$0] ?? lost($0) }
      return ForgottenKey(key: old.key, serial: old.serial, at: old.at, record: record)
    }
    for (name, var account) in recorded.accounts {
      let adopted = account.signIn?.adopted.map(lost)
      account.signIn?.adopted = adopted
      recorded.accounts[name] = account
    }
    for (name, var target) in recorded.targets {
      target.entries = target.entries.mapValues {
        $0.renewed(key: $0.key, fingerprint: anew($0.fingerprint, of: $0.key))
      }
      recorded.targets[name] = target
    }
  }

  fileprivate func fingerprint(_ value: SecretBox, of key: Identifier<Key>) -> Fingerprint {
    fingerprint(value, in: key.name)
  }

  /// Names do not contain dots, so that keys and accounts have separate domains.
  fileprivate func fingerprint(_ value: SecretBox, in domain: String) -> Fingerprint {
    let text = value.withBytes { Array(domain.utf8) + [0] + $0.compared }
    let bytes = Keyed.bytes(of: text, under: root) + Keyed.bytes(of: text, under: ~root)
    guard let fingerprint = Fingerprint(bytes) else { preconditionFailure("twice 8 bytes are 16") }
    return fingerprint
  }
}

extension KeyRecord {
  fileprivate mutating func renew(_ anew: (Fingerprint) -> Fingerprint) {
    func renewed(_ old: KeyVersion) -> KeyVersion { old.renewed(anew(old.fingerprint)) }
    version = renewed(version)
    history = history.map(renewed)
    pending = pending.map(renewed)
    rejected = rejected.map(anew)
    revoked = revoked.map {
      Revocation(fingerprint: anew($0.fingerprint), version: $0.version, at: $0.at, reason: $0.reason)
    }
  }
}

private enum Keyed {
  /// FNV-1a with a secret start value and MurmurHash3's finalizer, so that similar texts have different bytes.
  static func bytes(of text: [UInt8], under root: UInt64) -> [UInt8] {
    var hash = text.reduce(root) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    hash = (hash ^ hash >> 33) &* 0xff51_afd7_ed55_8ccd
    hash = (hash ^ hash >> 33) &* 0xc4ce_b9fe_1a85_ec53
    hash ^= hash >> 33
    return (0..<8).map { UInt8(truncatingIfNeeded: hash >> (8 * UInt64($0))) }
  }
}
