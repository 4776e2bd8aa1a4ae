import Foundation
import KeyplanModel
import TestTools
import Testing

@testable import KeyplanCalendars

@Suite struct ZoneTests {
  @Test(
    "a zone of this machine shows what the C library shows",
    arguments: [
      "Europe/Berlin", "America/New_York", "America/St_Johns", "Australia/Lord_Howe", "Africa/Casablanca",
      "Asia/Kolkata",
      "Pacific/Apia", "America/Sao_Paulo", "Antarctica/Troll", "Europe/Dublin", "Asia/Gaza", "Etc/GMT+5", "UTC",
    ])
  func files(name: String) throws {
    guard let bytes = SystemZones.file(named: name) else {
      // Without zone data there is nothing to compare.
      #expect(!FileManager.default.fileExists(atPath: "/usr/share/zoneinfo/\(name)"))
      return
    }
    let zone = try #require(ZoneFile(bytes)).zone(through: 2060)
    // Every 101 hours from 1970 to 2054, so that each hour of a day comes.
    let answer = try Child.answer([
      "sh", "-c", "seq -f @%.0f 1 363600 2680000000 | TZ=$0 date -f - '+%s %Y%m%dT%H%M%S'", name,
    ])
    var (compared, different) = (0, [Substring]())
    for line in answer.text.split(separator: "\n") {
      let words = line.split(separator: " ")
      let local = ICalTime(Array(words[1].utf8)[...], zone: nil)?.written
      let moment = Moment(seconds: try #require(Int64(words[0])))
      if zone.local(at: moment) != local { different.append(line) }
      compared += 1
    }
    #expect(compared > 7000 && different == [])
  }

  @Test("a time that is skipped counts from before the change, and one that occurs twice is the first")
  func edges() throws {
    let change = try #require(Moment("2024-03-31T01:00:00Z"))
    let back = try #require(Moment("2024-10-27T01:00:00Z"))
    let zone = ClockZone(first: 3600, changes: [.init(at: change, offset: 7200), .init(at: back, offset: 3600)])
    func moment(_ text: String) throws -> Moment {
      let clock = try #require(ICalTime(Array(text.utf8)[...], zone: nil))
      return zone.moment(of: clock.written)
    }
    #expect(try moment("20240331T015959") == Moment("2024-03-31T00:59:59Z"))
    #expect(try moment("20240331T023000") == Moment("2024-03-31T01:30:00Z"))
    #expect(try moment("20240331T030000") == Moment("2024-03-31T01:00:00Z"))
    #expect(try moment("20241027T015959") == Moment("2024-10-26T23:59:59Z"))
    #expect(try moment("20241027T023000") == Moment("2024-10-27T00:30:00Z"))
    #expect(try moment("20241027T030000") == Moment("2024-10-27T02:00:00Z"))
  }

  @Test("a file that is cut off or damaged is not used, and does no harm")
  func damaged() throws {
    guard let bytes = SystemZones.file(named: "Europe/Berlin") else {
      return #expect(SystemZones.file(named: "UTC") == nil)
    }
    for length in 0..<min(bytes.count, 400) { #expect(ZoneFile(Array(bytes[..<length])) == nil) }
    for place in 0..<min(bytes.count, 2000) {
      var damaged = bytes
      damaged[place] ^= 0xFF
      _ = ZoneFile(damaged)?.zone(through: 2030).local(at: Moment(seconds: 1_700_000_000))
    }
  }

  @Test(
    "rules for all years are read in each form",
    arguments: [
      ("CET-1CEST,M3.5.0,M10.5.0/3", "2030-03-31T01:00:00Z", "2030-10-27T01:00:00Z"),
      ("EST5EDT,M3.2.0,M11.1.0", "2030-03-10T07:00:00Z", "2030-11-03T06:00:00Z"),
      ("AEST-10AEDT,M10.1.0,M4.1.0/3", "2030-04-06T16:00:00Z", "2030-10-05T16:00:00Z"),
      ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "2030-04-06T15:00:00Z", "2030-10-05T15:30:00Z"),
      ("IST-2IDT,M3.4.4/26,M10.5.0", "2030-03-29T00:00:00Z", "2030-10-26T23:00:00Z"),
      ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2030-03-31T01:00:00Z", "2030-10-27T01:00:00Z"),
      ("AAA0BBB,J60/0,J300/0", "2030-03-01T00:00:00Z", "2030-10-26T23:00:00Z"),
      ("AAA0BBB,59/0,299/0", "2030-03-01T00:00:00Z", "2030-10-26T23:00:00Z"),
    ])
  func rules(text: String, first: String, second: String) throws {
    let rule = try #require(ZoneRule(Array(text.utf8)[...]))
    #expect(rule.changes(in: 2030...2030).map { "\($0.at)" } == [first, second])
  }

  @Test(
    "what is not such a rule is not read",
    arguments: [
      "", "CET", "CE-1", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0", "CET-999", "<CET-1", "CET-1x",
    ])
  func invalid(text: String) { #expect(ZoneRule(Array(text.utf8)[...]) == nil) }
}
