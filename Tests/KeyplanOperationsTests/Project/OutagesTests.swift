import KeyplanModel
import KeyplanPlanning
import Testing

@testable import KeyplanOperations
@testable import KeyplanReporting

@Suite("What could not be reached")
struct OutagesTests {
  private static let now = Moment(seconds: 1_800_000_000)
  private static let patience = Interval(seconds: 7200)

  private static func unreachable(_ address: String, _ code: Diagnostic.Code = .sourceUnreachable) throws -> Diagnostic
  {
    let place: Address = try #require(Address(address))
    return Diagnostic(code, "It did not answer.", of: place)
  }

  @Test(
    "passes until it has lasted for as long as was said, and then says since when",
    arguments: [(seconds: Int64(0), isTold: false), (7199, false), (7200, true), (100_000, true)])
  func lasting(seconds: Int64, isTold: Bool) throws {
    let all = [try Self.unreachable("key.a"), try Self.unreachable("calendar.b", .accountNotAsked)]
    let later = Self.now + Interval(seconds: seconds)
    let outages = Outages(all, after: Outages(all, after: Outages(), at: Self.now), at: later)
    let parted = outages.part(all, after: Self.patience, at: later)
    let words = "It did not answer. Unreachable since 2027-01-15 08:00Z."
    #expect(parted.counted.map(\.detail) == (isTold ? [words, words] : []))
    #expect(parted.passing.map(\.since) == (isTold ? [] : [Self.now, Self.now]))
    #expect(parted.passing.first?.until == (isTold ? nil : Self.now + Self.patience))
  }

  @Test("begins anew where it was reached in between, or where the clock went back")
  func anew() throws {
    let all = [try Self.unreachable("key.a"), try Self.unreachable("target.b", .targetUnreachable)]
    let first = Outages(all, after: Outages(), at: Self.now)
    let between = Outages([all[1]], after: first, at: Self.now + .days(1))
    let third = Outages(all, after: between, at: Self.now + .days(2))
    let parted = third.part(all, after: .days(2), at: Self.now + .days(2))
    #expect(parted.counted.compactMap(\.address) == [all[1].address])
    #expect(parted.passing.map(\.since) == [Self.now + .days(2)])
    let back = Outages(all, after: first, at: Self.now - .days(9))
    #expect(back.part(all, after: .days(1), at: Self.now - .days(9)).passing.count == 2)
  }

  @Test("is all that passes: what cannot be used is told at once, and so is what is about nothing in particular")
  func others() throws {
    let all = [
      try Self.unreachable("key.a", .sourceUnreadable), try Self.unreachable("key.a", .sourceMissing),
      Diagnostic(.sourceUnreachable, "Somewhere."),
    ]
    let outages = Outages(all, after: Outages(), at: Self.now)
    #expect(outages == Outages())
    #expect(outages.part(all, after: Self.patience, at: Self.now).counted == all)
  }
}
