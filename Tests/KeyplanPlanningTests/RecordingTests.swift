import KeyplanModel
import KeyplanPlanning
import Testing

/// What steps leave in the records.
@Suite struct RecordingTests {
  private let facts = Scene.facts("a", [remote("a")])

  private func stored(_ value: String, over old: KeyRecord?) -> KeyRecord {
    KeyRecord.storing(
      KeyWrite(facts: facts, source: 0), print(value, of: "a"), over: old, revision: 7, at: now)
  }

  @Test("five earlier versions are kept, the newest first")
  func history() {
    var record: KeyRecord?
    for number in 1...8 { record = stored("\(number)", over: record) }
    #expect(record?.version.number == 8)
    #expect(record?.history.map(\.number) == [7, 6, 5, 4, 3])
  }

  @Test("a new value ends a retirement and a rejection")
  func renewed() {
    var record = stored("one", over: nil)
    record.retiredAt = now
    record.rejected = print("zero", of: "a")
    let next = stored("two", over: record)
    #expect(next.retiredAt == nil)
    #expect(next.rejected == nil)
    #expect(next.revision == 7)
  }

  @Test("after a rollback no number comes twice")
  func rollback() {
    var record = stored("two", over: stored("one", over: nil))
    (record.version, record.history) = (record.history[0], [record.version])
    #expect(stored("three", over: record).version.number == 3)
  }

  @Test("a rolled back record keeps every version, its number and its moment, and is in use")
  func rolledBack() throws {
    var record = stored("three", over: stored("two", over: stored("one", over: nil)))
    record.retiredAt = now
    let rejected = print("three", of: "a")
    let back = try #require(record.rolledBack(KeyRollback(to: 1, was: 3, rejected: rejected), revision: 9))
    #expect(back.version == record.history[1])
    #expect(back.history.map(\.number) == [3, 2])
    #expect((back.revision, back.retiredAt, back.rejected) == (9, nil, rejected))
    #expect(back.previous == nil)
    #expect(record.previous == 2)
    #expect(back.rolledBack(KeyRollback(to: 9, was: 1, rejected: nil), revision: 10) == nil)
    #expect(stored("four", over: back).version.number == 4)
  }

  @Test("an accepted value is a new version from where it was taken, and the target's name has it")
  func accepted() throws {
    let record = stored("one", over: nil)
    let acceptance = KeyAcceptance(
      target: named("app"), destination: place("x"), name: "K", rejected: record.version.fingerprint)
    let next = record.accepting(acceptance, print("two", of: "a"), revision: 9, at: now)
    #expect(next.version.number == 2)
    #expect(next.version.origin == "target.app.K")
    #expect(next.history == [record.version])
    #expect((next.revision, next.rejected) == (9, record.version.fingerprint))
    let entry = TargetRecord.Entry(key: named("a"), fingerprint: record.version.fingerprint, syncedAt: now - .days(1))
    let target = TargetRecord(revision: 5, destination: place("x"), entries: ["K": entry, "L": entry])
    let seen = try #require(target.accepting(acceptance, print("two", of: "a"), revision: 9, at: now))
    #expect(seen.revision == 9)
    #expect(seen.entries["K"] == .init(key: named("a"), fingerprint: print("two", of: "a"), syncedAt: now))
    #expect(seen.entries["L"] == entry)
    let elsewhere = TargetRecord(revision: 5, destination: place("y"), entries: ["K": entry])
    #expect(elsewhere.accepting(acceptance, print("two", of: "a"), revision: 9, at: now) == nil)
  }

  @Test("an update keeps the version, and its origin where the value stays whatever it was")
  func update() {
    let record = stored("one", over: nil)
    let other = Scene.facts("a", [remote("b")])
    #expect(record.updating(KeyWrite(facts: other, source: nil), revision: 8).version == record.version)
    let moved = record.updating(KeyWrite(facts: other, source: 0), revision: 8)
    #expect(moved.version.origin == "vault://b")
    #expect(moved.version.storedAt == record.version.storedAt)
    #expect(moved.facts == other)
  }

  @Test("a target's record holds one place, and ends with its last name")
  func target() {
    let prints: [Identifier<Key>: Fingerprint] = [named("a"): print("one", of: "a")]
    func write(_ names: [String], at destination: Destination) -> TargetWrite {
      TargetWrite(
        destination: destination, entries: names.map { .init(name: $0, key: named("a"), reason: .new) }, total: 1)
    }
    let first = TargetRecord.syncing(write(["K"], at: place("x")), prints, over: nil, revision: 1, at: now)
    let second = TargetRecord.syncing(write(["L"], at: place("x")), prints, over: first, revision: 2, at: now)
    #expect(second.entries.keys.sorted() == ["K", "L"])
    let moved = TargetRecord.syncing(write(["L"], at: place("y")), prints, over: second, revision: 3, at: now)
    #expect(moved.entries.keys.sorted() == ["L"])
    let removal = TargetRemoval(destination: place("x"), names: ["K"], released: ["L"])
    #expect(second.withdrawing(removal, revision: 4) == nil)
    let one = TargetRemoval(destination: place("x"), names: ["K"], released: [])
    #expect(second.withdrawing(one, revision: 4)?.entries.keys.sorted() == ["L"])
  }
}
