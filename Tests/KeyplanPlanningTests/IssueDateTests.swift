import KeyplanModel
import KeyplanPlanning
import Testing

@Suite("a date of issue belongs to the value that it was declared for") struct IssueDateTests {
  private static let old = now - .days(86)
  private static let retiring = Expiry(.after(.days(90)), warn: .days(14), then: .retire)
  private static let a: Identifier<Key> = named("a")

  /// A key whose value was issued 86 days ago, and whose source has another one.
  private static func replaced(issued: Moment = old) -> Scene {
    var scene = Scene()
    scene.declare("a", expiry: retiring, issued: old)
    scene.record("a", "one", stored: old)
    scene.declare("a", expiry: retiring, issued: issued)
    scene.find("a", "two")
    return scene
  }

  private static func drift(_ scene: Scene) -> [Finding] {
    Finding.drift(of: scene.manifest, in: scene.observed, at: now).findings
  }

  private static func stored(_ scene: Scene, _ value: String, over old: KeyRecord?) -> KeyRecord? {
    guard let facts = scene.keys[a]?.facts else { return nil }
    return .storing(
      KeyWrite(facts: facts, source: 0), print(value, of: "a"), over: old, revision: 4, at: now)
  }

  @Test("a new value counts from when it is stored while the manifest names the date of the one before")
  func replacedValue() throws {
    var scene = Self.replaced()
    #expect(scene.steps() == ["replace key.a (sourceChanged)"])
    #expect(scene.faults() == ["issuedOutdated key.a"])
    let record = try #require(Self.stored(scene, "two", over: scene.observed.recorded.keys[Self.a]))
    #expect(record.version.issuedAt == nil)
    #expect(record.history.map(\.issuedAt) == [Self.old])
    #expect(record.state(at: now) == .fresh(until: now + .days(90)))
    scene.observed.recorded.keys[Self.a] = record
    #expect(scene.steps(at: now + .days(10)) == [])
    #expect(scene.faults(at: now + .days(10)) == ["issuedOutdated key.a"])
    #expect(record.serving(at: now + .days(10)) == .asUsual)
  }

  @Test("it counts from a date that was changed with the value")
  func datedValue() throws {
    let scene = Self.replaced(issued: now - .days(2))
    #expect(scene.steps() == ["replace key.a (sourceChanged)"])
    #expect(scene.faults() == [])
    let record = try #require(Self.stored(scene, "two", over: scene.observed.recorded.keys[Self.a]))
    #expect(record.state(at: now) == .fresh(until: now + .days(88)))
  }

  @Test("a value that is older than its date cannot be meant by it")
  func declaredInAdvance() throws {
    var scene = Self.replaced()
    scene.declare("a", expiry: Self.retiring, issued: now)
    scene.record("a", "one", stored: Self.old)
    let record = try #require(Self.stored(scene, "two", over: scene.observed.recorded.keys[Self.a]))
    #expect(record.version.issuedAt == now)
    // A date has no time of day: that of the old value may be a day ahead of when it was stored.
    scene.record("a", "one", stored: now - .days(1))
    let sameDay = try #require(Self.stored(scene, "two", over: scene.observed.recorded.keys[Self.a]))
    #expect(sameDay.version.issuedAt == nil)
  }

  @Test("a later date, or none, changes from when the current value counts")
  func corrected() throws {
    var scene = Self.replaced()
    var record = try #require(Self.stored(scene, "two", over: scene.observed.recorded.keys[Self.a]))
    for (date, end) in [(now - .days(5), now + .days(85)), (nil, now + .days(90))] {
      scene.declare("a", expiry: Self.retiring, issued: date)
      scene.observed.recorded.keys[Self.a] = record
      #expect(scene.faults() == [])
      #expect(scene.steps() == ["update key.a (manifest)"])
      let facts = try #require(scene.keys[Self.a]?.facts)
      #expect(record.state(under: facts, at: now) == .fresh(until: end))
      record = record.updating(KeyWrite(facts: facts, source: nil), revision: 5)
      #expect(record.state(at: now) == .fresh(until: end))
    }
  }

  @Test("an earlier value has its own date again, whether it is rolled back or comes back from its source")
  func earlierValue() throws {
    let scene = Self.replaced(issued: now)
    let first = try #require(scene.observed.recorded.keys[Self.a])
    let second = try #require(Self.stored(scene, "two", over: first))
    let back = try #require(second.rolledBack(KeyRollback(to: 1, was: 2, rejected: nil), revision: 5))
    #expect(back.version.issuedAt == Self.old)
    #expect(back.otherDate(under: back.facts) == now)
    let again = try #require(Self.stored(scene, "one", over: second))
    #expect(again.version.issuedAt == Self.old)
  }

  @Test("drift says so until the manifest names another date")
  func drift() {
    var scene = Scene()
    scene.declare("a", expiry: Self.retiring, issued: Self.old)
    scene.record("a", isOtherDate: true)
    scene.find("a", "one")
    #expect(Self.drift(scene).map(\.kind) == [.issuedOutdated])
    #expect(Self.drift(scene).map(\.level) == [.soon])
    scene.declare("a", expiry: Self.retiring, issued: now - .days(1))
    #expect(Self.drift(scene) == [])
  }

  @Test("a date that is more than a day ahead is an error")
  func ahead() {
    var scene = Scene()
    scene.declare("a", issued: now + .days(1))
    scene.find("a", "one")
    #expect(scene.faults() == [])
    scene.declare("a", issued: now + .days(1) + Interval(seconds: 1))
    #expect(scene.faults() == ["invalidValue key.a"])
  }
}
