import KeyplanAge
import KeyplanModel
import KeyplanPorts
import Testing

@testable import KeyplanStore

@Suite("Two who have one store open")
struct ProcessesTests {
  @Test("see each other's commits, and the slower one is stale", arguments: Scratch.kinds)
  func stale(_ kind: Scratch.Kind) throws {
    let scratch = try Scratch(kind)
    let one = try scratch.create()
    let two = try scratch.open(.writing)
    try one.put(["a": "1"])
    #expect(try two.text("a") == "1")
    #expect(code { _ = try two.commit([.began(.recipients)], expecting: 1, at: Moment(seconds: 1)) } == .stale)
    try two.put(["a": "2"])
    #expect(try one.text("a") == "2")
    #expect(try one.recorded().store?.serial == 3)
  }

  @Test("part when one gives the store a fresh root, which is no tampering", arguments: Scratch.kinds)
  func reRooted(_ kind: Scratch.Kind) throws {
    let scratch = try Scratch(kind)
    let one = try scratch.create()
    let two = try scratch.open(.writing)
    let before = try one.facts()
    try one.commit([.recipients(scratch.recipients, freshRoot: true)])
    #expect(code { _ = try two.recorded() } == .stale)
    let after = try one.facts()
    #expect(after.epoch == 2 && after.id == before.id && after.rootID != before.rootID)
    #expect(try scratch.open().facts() == after)
  }

  @Test("who joins can open it, and who leaves cannot any more", arguments: Scratch.kinds)
  func recipients(_ kind: Scratch.Kind) throws {
    let scratch = try Scratch(kind)
    let store = try scratch.create()
    try store.put(["a": "1"])
    let other = Identity.generate()
    var both = scratch.recipients
    both[name("other")] = Recipient(publicKey: other.recipient.description)
    func openedByOther() throws -> SealedStore {
      try SealedStore.open(at: scratch.location, identities: [other], access: .reading)
    }
    #expect(code { _ = try openedByOther() } == .wrongIdentity)
    try store.commit([.recipients(both, freshRoot: false)])
    #expect(try openedByOther().text("a") == "1")
    #expect(try store.recorded().recipients == both)
    #expect(try store.facts().epoch == 1)
    try store.commit([.recipients(scratch.recipients, freshRoot: true)])
    #expect(code { _ = try openedByOther() } == .wrongIdentity)
    #expect(try scratch.open().text("a") == "1")
    #expect(code { try store.commit([.recipients([:], freshRoot: false)]) } == .wrongIdentity)
  }

  @Test("keep a forgotten key for 30 days, and drop it with the first commit after that", arguments: Scratch.kinds)
  func forgotten(_ kind: Scratch.Kind) throws {
    let scratch = try Scratch(kind)
    let store = try scratch.create()
    try store.put(["a": "1", "b": "2"])
    try store.put(["a": "3"])
    try store.commit([.forget(name("a"))], at: 10_000)
    func rows() throws -> [Int] { [try scratch.sealed("secrets").count, try scratch.sealed("records").count] }
    #expect(try rows() == [3, 3])
    let days = Interval.days(30).seconds
    try store.commit([.began(.recipients)], at: 10_000 + days)
    #expect(try rows() == [3, 3])
    try store.commit([.finished(.recipients)], at: 10_001 + days)
    #expect(try rows() == [1, 2])
    #expect(try scratch.open().recorded().keys.keys.map(\.name) == ["b"])
  }

  @Test("and a plan without a store has fingerprints that nobody else has")
  func throwaway() throws {
    let key: Identifier<Key> = name("a")
    let keys = try ThrowawayKeys()
    #expect(keys.fingerprint(secret("x"), of: key) == keys.fingerprint(secret("x"), of: key))
    #expect(keys.fingerprint(secret("x"), of: key) != keys.fingerprint(secret("x"), of: name("b") as Identifier<Key>))
    #expect(keys.fingerprint(secret("x"), of: key) != (try ThrowawayKeys()).fingerprint(secret("x"), of: key))
  }
}
