import Crypto
import KeyplanAge
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import Testing

@testable import KeyplanStore

/// Recipients that can only plan. The attacker has such an identity, and can write the store's file.
@Suite("A recipient that can only plan")
struct RoleTests {
  let scratch: Scratch
  let planner = Identity.generate()
  let key: Identifier<Key> = name("k")

  init() throws {
    scratch = try Scratch()
    let store = try scratch.create()
    try store.put(["k": "a value"], at: 1_001)
    try store.commit([.recipients(recipients(), freshRoot: false)], at: 1_002)
  }

  private func recipients() -> [Identifier<Recipient>: Recipient] {
    var all = scratch.recipients
    all[name("ci")] = Recipient(publicKey: planner.recipient.description, role: .plan)
    return all
  }

  private func openAsPlanner(_ access: SealedStore.Access = .reading) throws -> SealedStore {
    try SealedStore.open(at: scratch.location, identities: [planner], access: access)
  }

  private func plannerKeys() throws -> EpochKeys {
    try EpochKeys.open(try scratch.everything().header, with: [planner])
  }

  @Test("sees what everybody sees who plans: records, fingerprints, plan ids and the root id")
  func plans() throws {
    let (full, plan) = (try scratch.open(), try openAsPlanner())
    #expect(plan.isPlanOnly && !full.isPlanOnly)
    let (seen, whole) = (try plan.recorded(), try full.recorded())
    #expect(seen.keys == whole.keys && seen.recipients == whole.recipients && seen.store == whole.store)
    #expect(try plan.facts() == full.facts())
    #expect(plan.fingerprint(secret("a value"), of: key) == full.fingerprint(secret("a value"), of: key))
    #expect(plan.planCode(of: [1, 2]) == full.planCode(of: [1, 2]))
  }

  @Test("gets no value and cannot commit")
  func reads() throws {
    let plan = try openAsPlanner()
    for read in [
      { _ = try plan.value(of: key, version: nil) }, { _ = try plan.values(of: [key]) },
      { _ = try plan.snapshot().values(of: [key]) }, { _ = try openAsPlanner(.writing) },
      { _ = try plan.commit([.finished(.recipients)], expecting: plan.facts().serial, at: Moment(seconds: 1_003)) },
    ] as [() throws -> Void] {
      let error = #expect(throws: StoreError.self) { try read() }
      #expect(error?.code == .planOnly)
    }
  }

  @Test("has no key in its keyring from which a value's key could be derived")
  func keyring() throws {
    let header = try scratch.everything().header
    let text = try Age.decrypt(try #require(header.keyring[PlanKeyring.slot]), with: [planner])
    let root = try scratch.keys().keyring.root
    let derived = ["enc", "mac", "sign"].map { purpose in
      HKDF<SHA256>.deriveKey(
        inputKeyMaterial: root, salt: header.store, info: Array("keyplan/kp1/\(purpose)/\(header.epoch)".utf8),
        outputByteCount: 32)
    }
    let words = text.withBytes { String(decoding: $0, as: UTF8.self) }
    for forbidden in derived + [root] {
      #expect(!words.contains(forbidden.withUnsafeBytes { $0.hexadecimal }))
    }
    #expect(words.contains("\"role\":\"plan\""))
    #expect(throws: StoreError.self) { _ = try plannerKeys().keyring }
  }

  /// A record changed with the keys that the planner has, and a bucket to match.
  private func forged(_ change: (inout Batch, EpochKeys) throws -> Void) throws -> Batch {
    let keys = try plannerKeys()
    let whole = try scratch.everything()
    let sealer = Sealer(keys: keys)
    var batch = Batch(header: whole.header)
    batch.header.serial += 1
    let row = try #require(whole.records.first)
    batch.records = [try sealer.seal(record: try sealer.open(record: row), as: row.id)]
    let rows = whole.records.filter { $0.id.bucket == row.id.bucket }
      .map { $0.id == row.id ? batch.records[0] : $0 }
    let start = 16 * Int(row.id.bucket)
    batch.header.buckets.replaceSubrange(start..<start + 16, with: Digest(keys: keys).bucket(row.id.bucket, rows))
    try change(&batch, keys)
    return batch
  }

  @Test("cannot forge a store that anybody accepts", arguments: 0..<5)
  func forges(attempt: Int) throws {
    let other = Curve25519.Signing.PrivateKey()
    let root = try scratch.everything().header.root
    let batch = try forged { batch, keys in
      let bytes = Array("the header".utf8)
      switch attempt {
      case 0: break
      case 1: batch.header.root = keys.authenticate(rows: bytes) + Array(try other.signature(for: bytes))
      case 2:
        batch.replacesKeyring = true
        batch.header.keyring[PlanKeyring.slot] = nil
      case 3:
        batch.header.root = keys.authenticate(rows: bytes)
      default:
        // A keyring of its own making for the other planners.
        batch.replacesKeyring = true
        let mine = PlanKeyring(
          store: keys.store, epoch: keys.epoch, keys: try #require(keys.planKeyring).keys,
          verifying: Array(other.publicKey.rawRepresentation))
        batch.header.keyring[PlanKeyring.slot] = try mine.files(for: [planner.recipient], plugins: NoPlugins())[
          PlanKeyring.slot]
      }
    }
    let pinned = try scratch.open().facts()
    let rows = try SQLiteRows.open(scratch.path, writing: true)
    try rows.commit(batch, replacing: root)
    for identity in [scratch.identity, planner] {
      let error = #expect(throws: StoreError.self) {
        let store = try SealedStore.open(at: scratch.location, identities: [identity], access: .reading)
        _ = try store.recorded()
        // Whoever has its own signing key is found out by the pinned root.
        if try store.facts().rootID != pinned.rootID { throw StoreError(.anotherStore, "") }
      }
      #expect([.tampered, .wrongIdentity, .anotherStore].contains(error?.code), "\(attempt)")
    }
  }

  @Test("cannot sign a plan as one with full access, and can verify such a plan")
  func signs() throws {
    let (full, plan) = (try scratch.open(), try openAsPlanner())
    let bytes: [UInt8] = [1, 2, 3]
    for store in [full, plan] {
      #expect(store.signer(ofPlan: bytes, full.signature(ofPlan: bytes)) == .full)
      #expect(store.signer(ofPlan: bytes, plan.signature(ofPlan: bytes)) == .planOnly)
      #expect(store.signer(ofPlan: [1], full.signature(ofPlan: bytes)) == nil)
    }
  }

  @Test("is added without a fresh root key, and knows nothing of the store once it is removed")
  func leaves() throws {
    let before = try scratch.keys().epoch
    #expect(before == 1)
    let store = try scratch.open(.writing)
    try store.commit([.recipients(scratch.recipients, freshRoot: true)], at: 1_003)
    #expect(throws: StoreError.self) { try openAsPlanner() }
    #expect(try scratch.keys().epoch == 2)
    #expect(try scratch.open().text("k") == "a value")
  }
}
