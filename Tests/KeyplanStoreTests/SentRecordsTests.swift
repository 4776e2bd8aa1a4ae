import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import PostgresForTests
import TestTools
import Testing

@testable import KeyplanStore

@Suite("Records that a server sends along when a store is opened", needsServer)
struct SentRecordsTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch(.server)
    try scratch.create().put(["a": "value a", "b": "value b"])
  }

  private func open(
    _ wanted: SealedStore.Wanted, _ access: SealedStore.Access = .reading
  ) throws -> (store: SealedStore, session: PostgresSession) {
    let shared = SharedStore(try #require(scratch.shared).address)
    let store = try SealedStore.open(
      at: .shared(shared), identities: [scratch.identity], access: access, wanting: wanted)
    return (store, shared.session)
  }

  private func text(_ found: FoundKey?) throws -> String {
    try #require(found).value().withBytes { String(decoding: $0, as: UTF8.self) }
  }

  @Test("are not asked for once more")
  func once() throws {
    let (all, one) = try open(.all)
    #expect(try all.recorded().keys.count == 2)
    #expect(all.lastFacts.serial == 2)
    #expect(one.roundTrips == 1)
    let (few, other) = try open(.few)
    #expect(try text(few.found(name("a"))) == "value a")
    #expect(try few.found(name("c")) == nil)
    #expect(other.roundTrips == 2)
    #expect(try few.facts().serial == 2)
    #expect(other.roundTrips == 3, "what is now has to be asked")
  }

  @Test("are not sent if they are too many to cost nothing")
  func many() throws {
    try scratch.open(.writing).put(Dictionary(uniqueKeysWithValues: (0..<200).map { ("key-\($0)", "value \($0)") }))
    let (few, session) = try open(.few)
    #expect(try text(few.found(name("key-7"))) == "value 7")
    #expect(session.roundTrips == 3)
    let (all, other) = try open(.all)
    #expect(try all.recorded().keys.count == 202)
    #expect(other.roundTrips == 1)
  }

  @Test("are too many if they are too large")
  func large() throws {
    let sources = (0..<100).map { "env://A_RATHER_LONG_NAME_OF_A_VARIABLE_\($0)" }
    let store = try scratch.open(.writing)
    let key: Identifier<Key> = name("wide-0")
    let version = KeyVersion(
      number: 1, fingerprint: store.fingerprint(secret("x"), of: key), storedAt: Moment(seconds: 1),
      origin: "env://X")
    let record = KeyRecord(
      revision: 1, facts: KeyFacts(provider: "openai", variable: "OPENAI_API_KEY", sources: sources), version: version)
    try store.commit((0..<20).map { .key(name("wide-\($0)"), record, value: secret("x")) })
    let (few, session) = try open(.few)
    #expect(try text(few.found(name("wide-3"))) == "x")
    #expect(session.roundTrips == 3)
  }

  @Test("are verified as others are", arguments: [SealedStore.Wanted.few, .all])
  func tampered(_ wanted: SealedStore.Wanted) throws {
    let mine = "store = (SELECT id FROM keyplan.stores WHERE project = $1)"
    try scratch.attack(
      "UPDATE keyplan.records SET sealed = set_byte(sealed, 20, get_byte(sealed, 20) # 1) WHERE \(mine)")
    let (changed, _) = try open(wanted)
    #expect(code { _ = try changed.recorded() } == .tampered)
    #expect(code { _ = try changed.found(name("a")) } == .tampered)
    try scratch.attack("DELETE FROM keyplan.records WHERE \(mine)")
    let (gone, _) = try open(wanted)
    #expect(code { _ = try gone.recorded() } == .tampered)
    #expect(code { _ = try gone.found(name("a")) } == .tampered)
    try scratch.attack(
      "INSERT INTO keyplan.records SELECT id, 'x', 1, 1, 'x' FROM keyplan.stores WHERE project = $1")
    let (damaged, _) = try open(wanted)
    #expect(code { _ = try damaged.recorded() } == .damaged)
  }

  @Test("are those of the moment in which it was opened, until they are forgotten, or a later commit is seen")
  func moment() throws {
    let (one, _) = try open(.all)
    let (other, _) = try open(.all)
    try scratch.open(.writing).put(["a": "newer"])
    #expect(try one.recorded().store?.serial == 2)
    one.forgetSent()
    #expect(try one.recorded().store?.serial == 3)
    #expect(try other.recorded().store?.serial == 2)
    #expect(try other.facts().serial == 3)
    #expect(try other.recorded().store?.serial == 3)
  }

  @Test("lead to no error if the value that they name has been removed since")
  func replaced() throws {
    let (store, _) = try open(.few)
    let found = try #require(try store.found(name("a")))
    let writer = try scratch.open(.writing)
    for number in 0...KeyRecord.historyLimit { try writer.put(["a": "later \(number)"]) }
    #expect(try text(found) == "later \(KeyRecord.historyLimit)")
    try scratch.attack(
      "DELETE FROM keyplan.secrets WHERE store = (SELECT id FROM keyplan.stores WHERE project = $1)")
    #expect(code { _ = try text(found) } == .tampered)
    let (again, _) = try open(.few)
    #expect(code { _ = try text(again.found(name("a"))) } == .tampered)
  }

  @Test("serve for one commit, and for none if another one has come between")
  func commit() throws {
    let (one, session) = try open(.all, .writing)
    let (other, _) = try open(.all, .writing)
    let serial = try #require(try one.recorded().store?.serial)
    #expect(try one.commit([.forget(name("a"))], expecting: serial, at: Moment(seconds: 3000)) == serial + 1)
    #expect(session.roundTrips == 2)
    #expect(one.lastFacts == (try one.facts()))
    #expect(
      code { _ = try other.commit([.forget(name("b"))], expecting: serial, at: Moment(seconds: 3000)) } == .stale)
    #expect(try scratch.open().recorded().keys.keys.map(\.name) == ["b"])
    // It reads anew.
    #expect(try other.recorded().store?.serial == serial + 1)
  }
}
