import Testing

@testable import KeyplanModel
@testable import KeyplanPlanning

/// All combinations of what belongs under a name, what keyplan wrote, what is there, and whether a write is open.
@Suite struct NameStandingTests {
  private static let key: Identifier<Key> = named("a")
  private static let (current, earlier, theirs) = (
    print("current", of: "a"), print("earlier", of: "a"), print("theirs", of: "a")
  )
  private static let mark = Mark("2026")
  private static let records = [
    key: KeyRecord(
      revision: 1, facts: Scene.facts("a", []),
      version: KeyVersion(number: 2, fingerprint: current, storedAt: now, origin: nil),
      history: [KeyVersion(number: 1, fingerprint: earlier, storedAt: now, origin: nil)])
  ]

  private static let wanted: [NameFacts.Wanted] = [.value(key, current), .value(key, nil), .nothing, .keep]
  private static let written: [TargetRecord.Entry?] = [
    nil, entry(current), entry(earlier), entry(current, mark: mark), entry(earlier, kept: mark),
  ]
  private static let seen: [NameFacts.Seen] = [
    .unseen, .nothing, .value(found(current)), .value(found(earlier)), .value(found(theirs)), .mark(mark),
    .mark(Mark("other")), .mark(nil),
  ]

  private static func entry(_ fingerprint: Fingerprint, mark: Mark? = nil, kept: Mark? = nil) -> TargetRecord.Entry {
    TargetRecord.Entry(key: key, fingerprint: fingerprint, syncedAt: now, mark: mark, kept: kept)
  }

  private static func found(_ fingerprint: Fingerprint) -> FoundEntry { FoundEntry([key: fingerprint]) }

  private static var all: [NameFacts] {
    wanted.flatMap { wanted in
      written.flatMap { written in
        seen.flatMap { seen in
          [false, true].map { NameFacts(wanted: wanted, written: written, seen: seen, isAttempted: $0) }
        }
      }
    }
  }

  @Test(
    "each combination has one standing, each standing is reached, and is written exactly where its value is missing")
  func table() {
    var reached: Set<NameStanding> = []
    for facts in Self.all {
      let standing = facts.standing(among: Self.records)
      reached.insert(standing)
      let reason = facts.reason(among: Self.records)
      switch standing {
      case .inPlace: #expect(reason == nil || reason == .alreadyThere, "\(facts)")
      case .interrupted, .behind, .removed, .changed, .foreign, .notYet:
        if case .value = facts.wanted { #expect(reason != nil && reason != .alreadyThere, "\(facts)") }
      case .gone, .leftover, .released, .waits: #expect(reason == nil, "\(facts)")
      case .unknown: #expect(reason == nil || reason == .notReadable, "\(facts)")
      }
    }
    #expect(
      reached == [
        .inPlace, .interrupted, .behind, .removed, .changed, .foreign, .notYet, .gone, .leftover, .released, .waits,
        .unknown,
      ])
  }

  static let rows: [(NameFacts, NameStanding)] = {
    func facts(
      _ wanted: NameFacts.Wanted, _ written: TargetRecord.Entry?, _ seen: NameFacts.Seen, _ isAttempted: Bool = false
    ) -> NameFacts { NameFacts(wanted: wanted, written: written, seen: seen, isAttempted: isAttempted) }
    let value = NameFacts.Wanted.value(key, current)
    return [
      (facts(value, entry(current), .value(found(current))), .inPlace),
      // A killed apply wrote it.
      (facts(value, entry(earlier), .value(found(current)), true), .inPlace),
      (facts(value, entry(earlier), .value(found(current))), .inPlace),
      (facts(value, entry(earlier), .value(found(earlier)), true), .interrupted),
      (facts(value, entry(earlier), .value(found(earlier))), .behind),
      // The record of the target was lost.
      (facts(value, nil, .value(found(earlier))), .behind),
      (facts(value, entry(current), .nothing), .removed),
      (facts(value, entry(current), .value(found(theirs))), .changed),
      (facts(value, nil, .value(found(theirs))), .foreign),
      (facts(value, nil, .nothing), .notYet),
      (facts(value, entry(current, mark: mark), .mark(mark)), .inPlace),
      (facts(value, entry(earlier, mark: mark), .mark(mark)), .behind),
      (facts(value, entry(current, mark: mark), .mark(Mark("other"))), .changed),
      // Which value a mark stands for is not known while a write is open.
      (facts(value, entry(current, mark: mark), .mark(mark), true), .interrupted),
      // Somebody else's value, accepted there until the key changes.
      (facts(value, entry(current, kept: mark), .mark(mark)), .inPlace),
      (facts(.nothing, entry(current), .nothing), .gone),
      (facts(.nothing, entry(current), .value(found(current))), .leftover),
      (facts(.nothing, entry(current), .value(found(theirs))), .released),
      (facts(.nothing, entry(current, kept: mark), .mark(mark)), .released),
      (facts(.keep, entry(current), .value(found(theirs))), .waits),
      (facts(value, entry(earlier), .unseen), .unknown),
    ]
  }()

  @Test("a revoked version that somebody put back is left over, and one that is not revoked stays")
  func putBack() throws {
    let known = try #require(Self.records[Self.key])
    let revoked = KeyRecord(
      revision: 1, facts: known.facts, version: known.version, history: known.history,
      revoked: [Revocation(fingerprint: Self.earlier, version: 1, at: now, reason: nil)])
    let facts = NameFacts(
      wanted: .nothing, written: Self.entry(Self.current), seen: .value(Self.found(Self.earlier)), isAttempted: false)
    #expect(facts.standing(among: [Self.key: revoked]) == .leftover)
    #expect(facts.standing(among: Self.records) == .released)
  }

  @Test("the table of the documentation", arguments: rows.indices)
  func documented(index: Int) {
    let (facts, standing) = Self.rows[index]
    #expect(facts.standing(among: Self.records) == standing, "\(facts)")
  }
}
