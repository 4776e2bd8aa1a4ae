import Foundation
import KeyplanAge
import KeyplanModel
import KeyplanPlanning
import KeyplanPorts
import KeyplanSecrets
import PostgresForTests
import TestTools
import Testing

@testable import KeyplanStore

/// A store with values that only some recipients may open: `ops` and `both` are for others than `me`, `all` is for everybody.
private final class GroupScratch {
  let scratch: Scratch
  let ops = Identity.generate()
  let planner = Identity.generate()

  init(_ kind: Scratch.Kind = .file) throws {
    scratch = try Scratch(kind)
    let store = try scratch.create()
    try store.commit([.recipients(recipients, freshRoot: false)], at: 1_001)
    try openAsOps(.writing).put(["all": "everybody's"], at: 1_002)
    try openAsOps(.writing).put("secret", "first of ops", for: ["ops"], at: 1_003)
    try openAsOps(.writing).put("secret", "second of ops", for: ["ops"], at: 1_004)
    try openAsOps(.writing).put("shared", "of both", for: ["me", "ops"], at: 1_005)
  }

  var recipients: [Identifier<Recipient>: Recipient] {
    var all = scratch.recipients
    all[name("ops")] = Recipient(publicKey: ops.recipient.description)
    all[name("ci")] = Recipient(publicKey: planner.recipient.description, role: .plan)
    return all
  }

  /// Everybody but those.
  func recipients(without names: String...) -> [Identifier<Recipient>: Recipient] {
    recipients.filter { !names.contains($0.key.name) }
  }

  func open(_ access: SealedStore.Access = .reading, as identity: Identity? = nil) throws -> SealedStore {
    try SealedStore.open(at: scratch.elsewhere, identities: [identity ?? scratch.identity], access: access)
  }

  func openAsOps(_ access: SealedStore.Access = .reading) throws -> SealedStore { try open(access, as: ops) }

  func groupFiles() throws -> [String: [UInt8]] {
    try scratch.everything().header.keyring.filter { GroupKey.id(slot: $0.key) != nil }
  }
}

extension SealedStore {
  fileprivate func put(_ key: String, _ text: String, for recipients: [String]?, at now: Int64 = 2_000) throws {
    try commit([change(key, text, for: recipients, at: now)], at: now)
  }

  /// - Parameter text: nil for the recorded value.
  fileprivate func change(
    _ key: String, _ text: String?, for recipients: [String]?, at now: Int64 = 2_000
  ) throws -> RecordChange {
    let old = try recorded().keys[name(key)]
    let facts = KeyFacts(
      provider: "generic", recipients: recipients?.map { name($0) }.sorted())
    guard let text else {
      var record = try #require(old)
      record.facts = facts
      return .key(name(key), record, value: nil)
    }
    let value = secret(text)
    let write = KeyWrite(facts: facts, source: nil)
    let record = KeyRecord.storing(
      write, fingerprint(value, of: name(key) as Identifier<Key>), over: old, revision: 1, at: Moment(seconds: now))
    return .key(name(key), record, value: value)
  }
}

@Suite("Values for some recipients only")
struct GroupTests {
  @Test("are given to these recipients and refused to others, who read everything else", arguments: Scratch.kinds)
  func reads(kind: Scratch.Kind) throws {
    let groups = try GroupScratch(kind)
    let (mine, theirs) = (try groups.open(), try groups.openAsOps())
    #expect(try theirs.text("secret") == "second of ops")
    #expect(try theirs.text("secret", version: 1) == "first of ops")
    #expect(try mine.text("all") == "everybody's" && mine.text("shared") == "of both")
    for read in [
      { _ = try mine.value(of: name("secret"), version: nil) },
      { _ = try mine.value(of: name("secret"), version: 1) },
      { _ = try mine.values(of: [name("all"), name("secret")]) },
      { _ = try mine.snapshot().values(of: [name("all"), name("secret")]) },
    ] as [() throws -> Void] {
      let error = #expect(throws: StoreError.self) { try read() }
      #expect(error?.code == .otherRecipients)
      #expect(error?.detail == "The value of the key secret is only for ops.")
    }
  }

  @Test("are planned alike by everybody: records, fingerprints and plan ids are the same", arguments: Scratch.kinds)
  func plans(kind: Scratch.Kind) throws {
    let groups = try GroupScratch(kind)
    let planner = try groups.open(as: groups.planner)
    let (mine, theirs) = (try groups.open(), try groups.openAsOps())
    let recorded = try mine.recorded()
    let key: Identifier<Key> = name("secret")
    for other in [theirs, planner] {
      #expect(try other.recorded().keys == recorded.keys && other.facts() == mine.facts())
      #expect(other.fingerprint(secret("x"), of: key) == mine.fingerprint(secret("x"), of: key))
      #expect(other.planCode(of: [1]) == mine.planCode(of: [1]))
    }
    #expect(recorded.keys[name("secret")]?.facts.recipients == [name("ops")])
    #expect(recorded.access == ValueAccess(readers: [name("me")], closed: [name("secret"): [name("ops")]]))
    #expect(try theirs.recorded().access == ValueAccess(readers: [name("ops")]))
    #expect(try planner.recorded().access == nil)
    #expect(code { _ = try planner.text("shared") } == .planOnly)
  }

  @Test("are not written, renamed, opened to others or sealed anew by others, who change everything else")
  func writes() throws {
    let groups = try GroupScratch()
    let before = try groups.scratch.everything()
    for change in [
      { try $0.put("secret", "of an outsider", for: ["ops"]) },
      { try $0.put("secret", "of an outsider", for: nil) },
      { try $0.commit([$0.change("secret", nil, for: ["me"])]) },
      { try $0.commit([$0.change("secret", nil, for: nil)]) },
      { try $0.commit([.move(name("secret"), to: name("mine"))]) },
      { try $0.commit([.recipients(groups.recipients, freshRoot: true)]) },
      { try $0.put("new", "of an outsider", for: ["ops"]) },
    ] as [(SealedStore) throws -> Void] {
      #expect(code { try change(try groups.open(.writing)) } == .otherRecipients)
    }
    #expect(try groups.scratch.everything().header == before.header)
    try groups.open(.writing).put(["all": "next"])
    try groups.open(.writing).put("shared", "next of both", for: ["me", "ops"])
    #expect(try groups.openAsOps().text("shared") == "next of both")
    // Records have no value: those of others can be forgotten, and come back.
    try groups.open(.writing).commit([.forget(name("secret"))])
    #expect(try groups.open().recorded().access?.closedForgotten == [[name("ops")]])
    let serial = try #require(try groups.open().recorded().forgotten.first?.serial)
    #expect(
      code { try groups.open(.writing).commit([.recipients(groups.recipients, freshRoot: true)]) } == .otherRecipients)
    try groups.open(.writing).commit([.restore(name("secret"), forgotten: serial)])
    #expect(try groups.openAsOps().text("secret") == "second of ops")
    try groups.open(.writing).commit([.purge(name("secret"), isAll: false)])
    #expect(try groups.openAsOps().text("secret") == "second of ops")
  }

  @Test("get other recipients by one of them, with their history, and the rows from before are gone")
  func changes() throws {
    let groups = try GroupScratch()
    let before = Set(try groups.scratch.sealed("secrets"))
    let store = try groups.openAsOps(.writing)
    try store.commit([store.change("secret", nil, for: ["me", "ops"]), store.change("all", nil, for: ["ops"])])
    #expect(
      try groups.open().text("secret") == "second of ops" && groups.open().text("secret", version: 1) == "first of ops")
    #expect(code { _ = try groups.open().text("all") } == .otherRecipients)
    #expect(try groups.openAsOps().text("all") == "everybody's")
    // Two versions, and the value that was everybody's; that of `shared` stays.
    #expect(Set(try groups.scratch.sealed("secrets")).intersection(before).count == 1)
    #expect(try groups.groupFiles().count == 2, "the groups are those from before")
    try store.commit([store.change("secret", nil, for: nil), store.change("all", nil, for: nil)])
    #expect(try groups.open().text("secret") == "second of ops" && groups.open().text("all") == "everybody's")
  }

  @Test("stay theirs under a fresh root key, which the leaving do not learn", arguments: Scratch.kinds)
  func freshRoot(kind: Scratch.Kind) throws {
    let groups = try GroupScratch(kind)
    let before = try groups.groupFiles()
    try groups.openAsOps(.writing).commit([.recipients(groups.recipients, freshRoot: true)], at: 1_010)
    #expect(Set(try groups.groupFiles().keys).isDisjoint(with: before.keys))
    #expect(try groups.openAsOps().text("secret", version: 1) == "first of ops")
    #expect(try groups.open().text("shared") == "of both")
    #expect(code { _ = try groups.open().text("secret") } == .otherRecipients)
    let remaining = groups.recipients(without: "me")
    try groups.openAsOps(.writing).commit([.recipients(remaining, freshRoot: true, leaving: [name("me")])], at: 1_011)
    #expect(try groups.openAsOps().text("shared") == "of both")
    for file in try groups.groupFiles().values {
      #expect(throws: AgeError.self) { _ = try Age.decrypt(file, with: [groups.scratch.identity]) }
    }
    let keys = try groups.openAsOps().recorded().keys
    #expect(keys[name("secret")]?.version.exposures == [], "it was never for who left")
    #expect(keys[name("shared")]?.version.exposures.map(\.recipient) == [name("me")])
    #expect(keys[name("all")]?.version.exposures.map(\.recipient) == [name("me")])
  }

  @Test("cannot lose their only recipient")
  func lastRecipient() throws {
    let groups = try GroupScratch()
    let error = #expect(throws: StoreError.self) {
      try groups.openAsOps(.writing).commit([.recipients(groups.recipients(without: "ops"), freshRoot: true)])
    }
    #expect(error?.code == .refused && error?.detail.contains("Nobody could open the key secret") == true)
    #expect(try groups.openAsOps().text("secret") == "second of ops")
  }

  @Test("follow a recipient with another name or another key, and never another person with the name")
  func renames() throws {
    let groups = try GroupScratch()
    let key = groups.recipients[name("ops")]
    var renamed = groups.recipients(without: "ops")
    renamed[name("platform")] = key
    // By somebody outside of the group, since no value is needed.
    try groups.open(.writing).commit([.recipients(renamed, freshRoot: false)])
    #expect(try groups.openAsOps().text("secret") == "second of ops")
    #expect(try groups.open().recorded().keys[name("secret")]?.facts.recipients == [name("platform")])
    // A newcomer by the old name gets a group of their own.
    let newcomer = Identity.generate()
    renamed[name("ops")] = Recipient(publicKey: newcomer.recipient.description)
    try groups.openAsOps(.writing).commit([.recipients(renamed, freshRoot: false)])
    #expect(code { _ = try groups.open(as: newcomer).text("secret") } == .otherRecipients)
    try groups.openAsOps(.writing).commit([.recipients(renamed, freshRoot: true)])
    #expect(code { _ = try groups.open(as: newcomer).text("secret") } == .otherRecipients)
    #expect(try groups.openAsOps().text("secret") == "second of ops")
    // Exchanged names without a fresh root key would leave each the other's values.
    renamed[name("ops")] = key
    renamed[name("platform")] = Recipient(publicKey: newcomer.recipient.description)
    #expect(code { try groups.openAsOps(.writing).commit([.recipients(renamed, freshRoot: false)]) } == .refused)
  }

  @Test("are for recipients with full access")
  func demands() throws {
    let groups = try GroupScratch()
    for recipients in [["ci"], ["nobody"], ["ops", "ci"], []] {
      #expect(code { try groups.openAsOps(.writing).put("new", "x", for: recipients) } == .refused)
    }
  }

  // MARK: Attacks

  @Test("are lost to nobody who can write the rows: a file that is exchanged, replaced, added or removed is refused")
  func tampering() throws {
    let groups = try GroupScratch()
    let files = try groups.groupFiles().sorted { $0.key < $1.key }
    let keys = try groups.scratch.keys()
    let id = try #require(GroupKey.id(slot: files[0].key))
    let mine = try #require(
      GroupKey(new: id, under: keys).files(for: [groups.scratch.identity.recipient], plugins: NoPlugins()).first?.value)
    let root = try groups.scratch.everything().header.root
    for change in [
      { $0[files[0].key] = files[1].value }, { $0[files[0].key] = mine }, { $0[files[0].key] = nil },
      { $0["\(files[0].key)-pq"] = mine }, { $0[files[0].key] = $0[Keyring.fullSlot] },
      { $0["group-\(String(repeating: "0", count: 32))"] = mine },
    ] as [(inout [String: [UInt8]]) -> Void] {
      let groups = groups
      var batch = Batch(header: try groups.scratch.everything().header)
      let before = batch.header.keyring
      batch.replacesKeyring = true
      change(&batch.header.keyring)
      try SQLiteRows.open(groups.scratch.path, writing: true).commit(batch, replacing: root)
      for identity in [groups.scratch.identity, groups.ops, groups.planner] {
        #expect(code { _ = try groups.open(as: identity) } == .tampered)
      }
      batch.header.keyring = before
      try SQLiteRows.open(groups.scratch.path, writing: true).commit(batch, replacing: root)
    }
    #expect(try groups.openAsOps().text("secret") == "second of ops")
  }

  @Test("are refused with any one bit of their file changed, and with a part of it missing")
  func everyByte() throws {
    let groups = try GroupScratch()
    let header = try groups.scratch.everything().header
    let keys = try groups.scratch.keys()
    let isThorough = ProcessInfo.processInfo.environment["KEYPLAN_TEST_FAULTS"] == "all"
    var trials = 0
    for (slot, file) in try groups.groupFiles() {
      func isRefused(_ changed: [UInt8]) -> Bool {
        var other = header
        other.keyring[slot] = changed
        trials += 1
        guard code({ try Digest(keys: keys).verify(other) }) == .tampered else { return false }
        // Even without the digest it is either refused, or the same key, or nobody's.
        do throws(StoreError) {
          let opened = try GroupKey.open(other, under: keys, with: [groups.ops])
          guard let id = GroupKey.id(slot: slot), let key = opened[id] else { return true }
          let known = try GroupKey.open(header, under: keys, with: [groups.ops])[id]
          return known.map { isEqual($0.valueKey([1]).commitment, key.valueKey([1]).commitment) } ?? false
        } catch {
          return [.tampered, .newerVersion].contains(error.code)
        }
      }
      for index in file.indices {
        for bit in isThorough ? Array(0..<8) : [index % 8] {
          var changed = file
          changed[index] ^= 1 << UInt8(bit)
          if !isRefused(changed) { Issue.record("byte \(index), bit \(bit)") }
        }
      }
      for cut in stride(from: 0, to: file.count, by: 7) {
        if !isRefused(Array(file[..<cut])) { Issue.record("cut at \(cut)") }
      }
    }
    #expect(trials > 800)
  }

  @Test("are not sealed under a key that a recipient outside of the group has put in its place")
  func insider() throws {
    let groups = try GroupScratch()
    let keys = try groups.scratch.keys()
    var batch = Batch(header: try groups.scratch.everything().header)
    let root = batch.header.root
    let slot = try #require(
      try groups.groupFiles().first {
        try groups.opens($0.value, groups.ops) && !groups.opens($0.value, groups.scratch.identity)
      }?.key)
    let forged = GroupKey(new: try #require(GroupKey.id(slot: slot)), under: keys)
    batch.header.keyring.merge(
      try forged.files(
        for: [groups.ops.recipient, groups.scratch.identity.recipient], plugins: NoPlugins())
    ) { $1 }
    batch.replacesKeyring = true
    // An insider has the root key, with which the header is authenticated.
    batch.header.serial += 1
    batch.header.root = try Digest(keys: keys).root(of: batch.header)
    try SQLiteRows.open(groups.scratch.path, writing: true).commit(batch, replacing: root)
    #expect(code { _ = try groups.openAsOps().text("secret") } == .tampered)
    #expect(code { try groups.openAsOps(.writing).put("secret", "third of ops", for: ["ops"]) } == .tampered)
  }

  // MARK: Elsewhere

  @Test("are backed up by one of their recipients, for those who can open everything, and restored as theirs")
  func backup() throws {
    let groups = try GroupScratch()
    func backup(_ identity: Identity, to others: [AgeRecipient] = []) throws -> [UInt8] {
      try StoreBackup.file(
        of: groups.scratch.location, identities: [identity], to: others, at: Moment(seconds: 3_000)
      ).file
    }
    #expect(code { _ = try backup(groups.scratch.identity) } == .otherRecipients)
    let file = try backup(groups.ops)
    #expect(throws: AgeError.self) { _ = try Age.decrypt(file, with: [groups.scratch.identity]) }
    let restored = try Scratch()
    _ = try StoreBackup(file: file, identities: [groups.ops]).restore(
      to: restored.location, identities: [groups.ops], under: nil, replacing: nil, recipients: groups.recipients,
      above: 0,
      at: Moment(seconds: 3_001), tellFreshRoot: { _ in })
    let theirs = try SealedStore.open(at: restored.location, identities: [groups.ops], access: .reading)
    let mine = try SealedStore.open(
      at: restored.location, identities: [groups.scratch.identity], access: .reading)
    #expect(try theirs.text("secret", version: 1) == "first of ops" && mine.text("shared") == "of both")
    #expect(code { _ = try mine.text("secret") } == .otherRecipients)
  }

  @Test(
    "are given back by the restore script to their recipients, and left out for others",
    .enabled(if: RestoreScript.missing == nil || RestoreScript.isCI, RestoreScript.comment), arguments: [false, true])
  func script(freshRoot: Bool) throws {
    let groups = try GroupScratch()
    if freshRoot { try groups.openAsOps(.writing).commit([.recipients(groups.recipients, freshRoot: true)]) }
    func values(_ identity: Identity) throws -> [String: [String?]] {
      let restored = try RestoreScript.run(groups.scratch, as: identity)
      return Dictionary(uniqueKeysWithValues: restored.keys.map { ($0.name, $0.versions.map(\.value)) })
    }
    #expect(
      try values(groups.ops)
        == ["all": ["everybody's"], "secret": ["second of ops", "first of ops"], "shared": ["of both"]])
    #expect(
      try values(groups.scratch.identity) == ["all": ["everybody's"], "secret": [nil, nil], "shared": ["of both"]])
  }

  @Test("go along when the store is moved by somebody who cannot open them", needsServer)
  func move() async throws {
    let groups = try GroupScratch()
    let there = try Scratch(.server)
    let move = StoreMove(
      from: groups.scratch.location, to: there.location, identities: [groups.scratch.identity], names: ("here", "there")
    )
    _ = try await move.carryOut(command: "move", job: nil, since: Moment(seconds: 3_000), timeout: .zero)
    func text(_ identity: Identity) throws -> String {
      try SealedStore.open(at: there.elsewhere, identities: [identity], access: .reading).text("secret")
    }
    #expect(try text(groups.ops) == "second of ops")
    #expect(code { _ = try text(groups.scratch.identity) } == .otherRecipients)
  }
}

extension GroupScratch {
  fileprivate func opens(_ file: [UInt8], _ identity: Identity) throws -> Bool {
    try GroupKey.canOpen(file, with: [identity])
  }
}
