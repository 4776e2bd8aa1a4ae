import KeyplanModel
import KeyplanPorts
import Testing

@testable import KeyplanStore

/// What lets a later keyplan add to a record without another format.
@Suite("A record with fields of a later keyplan")
struct NumberedFieldsTests {
  /// A key's record as a later version might write it: with a field of its own, and one in the version.
  private static func record(version extra: [UInt8] = [], key more: [UInt8] = []) throws -> [UInt8] {
    let fingerprint = try #require(Fingerprint(Array(repeating: 7, count: 16)))
    var writer = ByteWriter()
    writer.raw([1, StoredRecord.Kind.key.rawValue])
    writer.field(1, text: "weather")
    writer.field(2, number: 4)
    writer.field(3, text: "openweathermap")
    writer.field(12) { writer in
      writer.field(1, number: 3)
      writer.field(2, fingerprint: fingerprint)
      writer.field(3, moment: Moment(seconds: 1000))
      writer.raw(extra)
    }
    writer.raw(more)
    return writer.bytes
  }

  private static func field(_ number: UInt64, _ text: String) -> [UInt8] {
    var writer = ByteWriter()
    writer.field(number, text: text)
    return writer.bytes
  }

  @Test("keeps them as they are, also in its parts")
  func kept() throws {
    let bytes = try Self.record(version: Self.field(40, "part"), key: Self.field(100, "a") + Self.field(100, "b"))
    let record = try StoredRecord(decoding: bytes)
    #expect(record.encoded == bytes)
  }

  @Test("keeps those of a version when it becomes an earlier one")
  func versions() throws {
    let bytes = try Self.record(version: Self.field(40, "part"))
    guard case .key(var key) = try StoredRecord(decoding: bytes) else { throw ByteReader.Malformed() }
    let before = key.record.version
    key.record.version = KeyVersion(
      number: 4, fingerprint: before.fingerprint, storedAt: before.storedAt, origin: nil)
    key.record.history = [before]
    guard case .key(let again) = try StoredRecord(decoding: StoredRecord.key(key).encoded) else {
      throw ByteReader.Malformed()
    }
    #expect(again.unknown == key.unknown && !again.unknown.parts.isEmpty)
  }

  @Test(
    "is refused if one of them changes what the others mean",
    arguments: [(part: [UInt8](), own: Self.field(101, "revoked")), (Self.field(41, "revoked"), [])])
  func refused(part: [UInt8], own: [UInt8]) throws {
    let bytes = try Self.record(version: part, key: own)
    #expect(throws: ByteReader.Malformed.self) { try StoredRecord(decoding: bytes) }
  }

  @Test(
    "is refused if its fields are not in order, if one stands twice, or if one is cut",
    arguments: [Self.field(4, "model"), [16, 1, 97, 15, 0], [100, 5, 1], [0, 0]])
  func malformed(rest: [UInt8]) throws {
    let bytes = try Self.record(key: rest)
    #expect(throws: ByteReader.Malformed.self) { try StoredRecord(decoding: bytes) }
    let twice = try Self.record(key: Self.field(16, "a") + Self.field(16, "b"))
    #expect(throws: ByteReader.Malformed.self) { try StoredRecord(decoding: twice) }
  }

  @Test("has the marks of what was written to a target, under another name of the key and a fresh root, too")
  func marks() throws {
    let scratch = try Scratch()
    let store = try scratch.create()
    try store.put(["weather": "1"])
    let target: Identifier<Target> = name("app")
    func entry(_ key: Identifier<Key>, in store: SealedStore) -> TargetRecord.Entry {
      TargetRecord.Entry(
        key: key, fingerprint: store.fingerprint(secret("1"), of: key), syncedAt: Moment(seconds: 7), mark: Mark("v1"),
        kept: Mark("ü 2"))
    }
    let record = TargetRecord(
      revision: 2, destination: Destination(type: "marked", location: "shop"),
      entries: ["A": entry(name("weather"), in: store)], placeId: "42")
    try store.commit([.target(target, record)])
    #expect(try scratch.open(.reading).recorded().targets[target] == record)
    let again = try scratch.open(.writing)
    try again.commit([.move(name("weather"), to: name("renamed"))])
    try again.commit([.recipients(scratch.recipients, freshRoot: true)])
    let last = try scratch.open(.reading)
    let found = try #require(try last.recorded().targets[target])
    #expect(found.placeId == "42" && found.entries == ["A": entry(name("renamed"), in: last)])
  }

  @Test("keeps them through every change that a commit makes to it")
  func throughCommits() throws {
    let scratch = try Scratch()
    let store = try scratch.create()
    try store.put(["weather": "1", "other": "2"])
    let slot: Identifier<Slot> = name("main")
    try store.commit([.slot(slot, SlotRecord(revision: 3, key: name("weather"), since: Moment(seconds: 1)))])
    try scratch.extendRecords(with: Self.field(100, "later"))
    func extended() throws -> Int { try scratch.extensions(Self.field(100, "later")) }
    #expect(try extended() == 4, "the state, two keys and a slot")
    let again = try scratch.open(.writing)
    try again.put(["weather": "3"])
    try again.commit([.slot(slot, SlotRecord(revision: 5, key: name("other"), since: Moment(seconds: 2)))])
    try again.commit([.move(name("weather"), to: name("renamed"))])
    try again.commit([.recipients(scratch.recipients, freshRoot: true)])
    #expect(try extended() == 4)
    try scratch.open(.writing).commit([.forget(name("renamed"))])
    #expect(try extended() == 4)
  }
}

extension Scratch {
  /// Rewrites every record with these bytes behind its fields, as a later version that knows a further field would.
  func extendRecords(with field: [UInt8]) throws {
    let store = try StoreDump(at: location, .writing, under: nil, identities: [identity])
    let sealer = Sealer(keys: store.keys)
    var batch = Batch(header: store.header)
    batch.header.serial += 1
    for row in store.whole.records {
      batch.records.append(try sealer.seal(record: try sealer.open(record: row) + field, as: row.id))
    }
    let digest = Digest(keys: store.keys)
    for bucket in Set(batch.records.map(\.id.bucket)) {
      let rows = batch.records.filter { $0.id.bucket == bucket }.sorted { $0.id < $1.id }
      batch.header.buckets.replaceSubrange(16 * Int(bucket)..<16 * Int(bucket) + 16, with: digest.bucket(bucket, rows))
    }
    batch.header.root = try digest.root(of: batch.header)
    try store.rows.commit(batch, replacing: store.header.root)
  }

  /// How many records end in these bytes.
  func extensions(_ field: [UInt8]) throws -> Int {
    let store = try StoreDump(at: location, .reading, under: nil, identities: [identity])
    let sealer = Sealer(keys: store.keys)
    return try store.whole.records.count { try sealer.open(record: $0).suffix(field.count) == field[...] }
  }
}
