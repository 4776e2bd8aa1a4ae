import KeyplanModel
import KeyplanPlanning
import ReportSamples
import Testing

@testable import KeyplanOperations
@testable import KeyplanReporting

@Suite("Findings that people know of")
struct DriftFilterTests {
  private static func finding(
    _ address: String, _ kind: Finding.Kind = .targetChanged, since: Moment? = nil
  ) throws -> Finding {
    Finding(Sample.fact(kind), at: try #require(Address(address)), level: .pending, since: since)
  }

  @Test("an ignored target takes its names along, and only its own")
  func ignoring() throws {
    let all = ["target.app.A", "target.app", "target.application.A", "key.a", "key.b"]
    let filter = DriftFilter(ignored: Set(["target.app", "key.b"].compactMap { Address($0) }))
    let parted = filter.part(try all.map { try Self.finding($0) }, at: Sample.now)
    #expect(parted.counted.map(\.address.description) == ["target.application.A", "key.a"])
    #expect(parted.leftOut.map(\.reason) == [.ignored, .ignored, .ignored])
  }

  @Test(
    "only what is known to have begun before is left out",
    arguments: [
      (kind: Finding.Kind.expired, ago: Int64?(8), isLeftOut: true), (.expired, 7, false), (.expired, nil, false),
      (.interrupted, 8, true), (.lastKeyKept, 8, true), (.slotWithoutKey, 8, true),
      // Last seen equal long ago, and changed perhaps a minute ago.
      (.targetChanged, 8, false), (.targetMissing, 8, false), (.sourceChanged, 8, false),
    ])
  func since(kind: Finding.Kind, ago: Int64?, isLeftOut: Bool) throws {
    let filter = DriftFilter(since: Sample.now - .days(7))
    let finding = try Self.finding("key.a", kind, since: ago.map { Sample.now - .days($0) })
    #expect(filter.part([finding], at: Sample.now).counted.isEmpty == isLeftOut)
  }

  @Test("a baseline knows a kind at an address until its date, and no other kind there")
  func baseline() throws {
    let known = try Self.finding("key.a", .expired)
    let filter = DriftFilter(baseline: Baseline([known], until: Sample.now + .days(1)))
    let other = try Self.finding("key.a", .sourceMissing)
    let parted = filter.part([known, other], at: Sample.now)
    #expect(parted.counted == [other])
    #expect(parted.leftOut == [LeftOut(known, .baseline(until: Sample.now + .days(1)))])
    #expect(parted.unknown.isEmpty && parted.overdue.isEmpty)
  }

  @Test("past its date it counts again and is said; what is no longer found is said too")
  func past() throws {
    let (known, gone) = (try Self.finding("key.a", .expired), try Self.finding("key.b", .expired))
    let filter = DriftFilter(baseline: Baseline([known, gone], until: Sample.now))
    let parted = filter.part([known], at: Sample.now)
    #expect(parted.counted == [known])
    #expect(parted.overdue.map(\.address) == [known.address])
    #expect(parted.unknown.map(\.address) == [gone.address])
  }

  @Test("what is left out is summed by its option")
  func sum() throws {
    let finding = try Self.finding("key.a")
    let reasons: [LeftOut.Reason] = [.baseline(until: Sample.now), .ignored, .earlier, .ignored]
    let report = DriftReport([], leftOut: reasons.map { LeftOut(finding, $0) })
    #expect(report.leftOutSum == "Left out: 2 by --ignore, 1 by --since, 1 by --baseline.")
    #expect(DriftReport([]).leftOutSum == nil)
  }
}
