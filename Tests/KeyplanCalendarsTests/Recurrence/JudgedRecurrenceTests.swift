import Foundation
import KeyplanModel
import TestTools
import Testing

@testable import KeyplanCalendars

/// Occurrences are compared with those of recurring-ical-events: the events of many programs, and random rules.
@Suite struct JudgedRecurrenceTests {
  struct Judged: Decodable, Sendable {
    struct Found: Decodable, Hashable, Sendable {
      let start: String
      /// Nil where the clocks change in between: keyplan's length is exact, the other's is that on the clock.
      let end: String?
      let title: String
    }

    let name, text: String
    let from, to: Int64
    let found: [Found]
    /// Where keyplan deliberately gives another answer: why, and the other one.
    let section: String?
    let other: [[String]]?
  }

  private static let python = ProcessInfo.processInfo.environment["KEYPLAN_TEST_PYTHON"]
  /// In CI it has to be there.
  private static let isHere = ProcessInfo.processInfo.environment["CI"] != nil || canImport

  private static let canImport: Bool = {
    guard let python else { return false }
    return (try? Child.answer([python, "-c", "import recurring_ical_events"]))?.status == 0
  }()

  private static func judged(random: Int, seed: Int) throws -> [Judged] {
    let python = try #require(python, "run make setup-test: KEYPLAN_TEST_PYTHON")
    let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fixtures/judge_recurrence.py").path
    let answer = try Child.answer([python, script, "\(seed)", "\(random)"])
    try #require(answer.status == 0)
    return try answer.text.split(separator: "\n").map { try JSONDecoder().decode(Judged.self, from: Data($0.utf8)) }
  }

  @Test(
    "each occurrence is as recurring-ical-events has it, but where RFC 5545 says otherwise",
    .enabled(if: isHere, "run make setup-test, and set KEYPLAN_TEST_PYTHON"))
  func judged() throws {
    let seed = ProcessInfo.processInfo.environment["KEYPLAN_TEST_SEED"].flatMap { Int($0) } ?? 1
    let all = try Self.judged(random: 120, seed: seed)
    #expect(all.filter { $0.section == nil }.count > 500)
    var (occurrences, withoutEnd, differences) = (0, 0, 0)
    for judged in all {
      let expanded = expand(judged.text, from: judged.from, to: judged.to)
      #expect(expanded.unread == [], "\(judged.name)")
      let pairs = expanded.occurrences.map(\.span.written)
      let titles = expanded.occurrences.map { $0.event.summary ?? "" }
      let own = zip(pairs, titles).map { Judged.Found(start: $0.start, end: $0.end, title: $1) }.sorted { $0 < $1 }
      let compared = zip(own, judged.found).map {
        Judged.Found(start: $0.start, end: $1.end == nil ? nil : $0.end, title: $0.title)
      }
      #expect(
        own.count == judged.found.count && compared == judged.found, "seed \(seed): \(judged.name)\n\(judged.text)")
      occurrences += own.count
      withoutEnd += judged.found.count { $0.end == nil }
      if let other = judged.other {
        differences += 1
        // If the other library follows the section now, the case is no difference any more.
        #expect(other != own.map { [$0.start, $0.end ?? ""] }, "\(judged.name), \(judged.section ?? "")")
      }
    }
    #expect(occurrences > 10_000 && withoutEnd * 100 < occurrences && differences == 9)
  }
}

extension JudgedRecurrenceTests.Judged.Found: Comparable {
  static func < (left: Self, right: Self) -> Bool {
    (left.start, left.end ?? "", left.title) < (right.start, right.end ?? "", right.title)
  }
}

extension EventSpan {
  /// As the judge writes it.
  var written: (start: String, end: String) {
    switch self {
    case .timed(let from, let to, _): ("\(from)", "\(to)")
    case .clock(let from, let to, _), .days(let from, let to): (from, to)
    }
  }
}

/// Expands the events of an object with this machine's zones.
func expand(
  _ text: String, from: Int64, to: Int64, zones: @escaping (String) -> [UInt8]? = SystemZones.file
) -> ExpandedSeries {
  let range = EventPeriod(start: Moment(seconds: from), end: Moment(seconds: to))
  var expansion = CalendarExpansion(in: range, ZoneFiles(reading: zones))
  return expansion.expand(ICalReader.read(Array(text.utf8)))
}
