import KeyplanModel
import KeyplanOperations
import KeyplanReporting
import TestTools
import Testing

@Suite("What is watched")
struct WatchedItemsTests {
  private static let now = Moment(seconds: 1_000_000)

  private enum State { case current, revoked, retired }

  private func record(_ number: Int64, _ state: State = .current, ends: Moment? = nil) throws -> KeyRecord {
    let fingerprint = try #require(Fingerprint([UInt8](repeating: UInt8(number), count: 16)))
    return KeyRecord(
      revision: number,
      facts: KeyFacts(provider: "acme", expiry: ends.map { Expiry(.on($0), warn: .days(1), then: .retire) }),
      version: KeyVersion(number: number, fingerprint: fingerprint, storedAt: Self.now, origin: nil),
      retiredAt: state == .retired ? Self.now : nil,
      revoked: state == .revoked ? [Revocation(fingerprint: fingerprint, version: number, at: Self.now)] : [])
  }

  private func key(_ name: String) throws -> Identifier<Key> { try #require(Identifier<Key>(name)) }

  private func recorded(_ keys: [String: KeyRecord], main: String? = nil) throws -> Recorded {
    let slot = try #require(Identifier<Slot>("main"))
    return Recorded(
      keys: Dictionary(uniqueKeysWithValues: try keys.map { (try key($0.key), $0.value) }),
      slots: try main.map { [slot: SlotRecord(revision: 1, key: try key($0), since: Self.now)] } ?? [:])
  }

  private func words(_ changes: [WatchChange]) -> [String] {
    changes.map { "\($0.item) \($0.kind.rawValue) \($0.key) \($0.version)" }
  }

  @Test("reports each change once, by what is served")
  func kinds() throws {
    var items = try WatchedItems([], in: try recorded(["a": try record(1)], main: "a"), at: Self.now)
    #expect(words(items.present(at: Self.now)) == ["active.main present a 1", "key.a present a 1"])
    let steps: [(Recorded, [String])] = [
      (try recorded(["a": try record(1)], main: "a"), []),
      (try recorded(["a": try record(2)], main: "a"), ["active.main changed a 2", "key.a changed a 2"]),
      (try recorded(["a": try record(2), "b": try record(7)], main: "a"), ["key.b added b 7"]),
      (try recorded(["a": try record(2), "b": try record(7)], main: "b"), ["active.main switched b 7"]),
      (
        try recorded(["a": try record(2, .retired), "b": try record(7, .revoked)], main: "b"),
        ["active.main revoked b 7", "key.a retired a 2", "key.b revoked b 7"]
      ),
      (
        try recorded(["a": try record(2, .retired), "b": try record(8)], main: "b"),
        ["active.main changed b 8", "key.b changed b 8"]
      ),
      (try recorded(["b": try record(8)]), ["active.main removed b 8", "key.a removed a 2"]),
      (try recorded(["b": try record(8)]), []),
      (try recorded(["a": try record(1, .revoked), "b": try record(8)]), ["key.a revoked a 1"]),
    ]
    for (recorded, expected) in steps { #expect(words(items.changes(in: recorded, at: Self.now)) == expected) }
  }

  @Test("reports only what was named, each once, and nothing that expires without being retired")
  func named() throws {
    let ends = Self.now + .days(1)
    let recorded = try recorded(["a": try record(1, ends: ends), "b": try record(1)], main: "a")
    var items = try WatchedItems(["a", "key.a"], in: recorded, at: Self.now)
    #expect(words(items.present(at: Self.now)) == ["key.a present a 1"])
    #expect(items.changes(in: recorded, at: ends + .days(1)) == [])
    #expect(items.changes(in: try self.recorded(["a": try record(1, ends: ends)]), at: Self.now) == [])
  }

  @Test("is refused for a name of which the store has nothing", arguments: ["c", "active.other", "target.app", ""])
  func unknown(name: String) throws {
    let recorded = try recorded(["a": try record(1)], main: "a")
    #expect(throws: Failure.self) { _ = try WatchedItems([name], in: recorded, at: Self.now) }
  }
}
