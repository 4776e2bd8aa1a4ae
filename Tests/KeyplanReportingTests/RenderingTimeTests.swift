import KeyplanModel
import Testing

@testable import KeyplanReporting

@Suite("A time for people")
struct RenderingTimeTests {
  private static let morning = Moment(seconds: 1_800_000_000)

  @Test("is in UTC and says so, where nobody's clock is known")
  func elsewhere() {
    #expect(Style().time(Self.morning) == "2027-01-15 08:00Z")
    #expect(Style().time(Self.morning + .days(-1)) == "2027-01-14 08:00Z")
  }

  @Test("says its offset on a terminal, whatever the zone of this machine is")
  func terminal() throws {
    let text = Style(usesLocalTime: true).time(Self.morning)
    let found = try #require(text.wholeMatch(of: /(\d{4}-\d\d-\d\d) (\d\d:\d\d) ([+-]\d\d:\d\d)/))
    #expect(Moment("\(found.1)T\(found.2):00\(found.3)") == Self.morning)
  }

  @Test("that is a date as people give it stays a date")
  func date() {
    #expect(Style(usesLocalTime: true).dateOrTime(Moment(seconds: 86400 * 365)) == "1971-01-01")
    #expect(Style().dateOrTime(Self.morning) == "2027-01-15 08:00Z")
  }

  @Test("names its zone once for a beginning and an end")
  func span() {
    let hour = Interval(seconds: 3600)
    #expect(Style().span(from: Self.morning, to: Self.morning + hour) == "2027-01-15 08:00–09:00Z")
    #expect(Style().span(from: Self.morning, to: Self.morning + .days(1)) == "2027-01-15 08:00 – 2027-01-16 08:00Z")
  }
}
