import KeyplanHTTP
import KeyplanModel
import KeyplanSecrets

@testable import KeyplanCalendars

extension FuzzEntry {
  static let calendars = [
    FuzzEntry(name: "icalendar", check: events), FuzzEntry(name: "recurrence-rule", longest: 512, check: rule),
    FuzzEntry(name: "zone-file", check: zone), FuzzEntry(name: "caldav", check: multistatus),
    FuzzEntry(name: "google-answer", longest: 2048, check: google),
    FuzzEntry(name: "graph-answer", longest: 2048, check: graph),
  ]

  private static let range = EventPeriod(start: Moment(seconds: 1_790_000_000), end: Moment(seconds: 1_795_000_000))

  private static func events(_ input: [UInt8]) throws(Violation) {
    let object = ICalReader.read(input)
    for unread in object.unread {
      if let line = unread.fault.line { try require(line: line, inside: input) }
    }
    try require(object.events.allSatisfy { !$0.uid.isEmpty }, "an event without a name")
    var expansion = CalendarExpansion(in: range, ZoneFiles(reading: { _ in nil }))
    let expanded = expansion.expand(object)
    try require(expanded.occurrences.count <= WorkBudget.totalOccurrences + object.events.count, "no limit")
    let events = expanded.occurrences.map { DAVEvent(resource: "/a.ics", occurrence: $0) }
    let found = FoundEvents(DAVEvents(events: events))
    try require(found.events.count == events.count, "events were lost")
    for event in found.events { try isWritten(event.span) }
  }

  /// What is read of a rule ends, and its times are in order and in the range.
  private static func rule(_ input: [UInt8]) throws(Violation) {
    guard let rule = try? RecurrenceRule(input[...]) else { return }
    try require(rule.interval > 0 && rule.count ?? 1 > 0, "a rule without steps")
    let start = LocalTime(CivilDay(year: 2024, month: 2, day: 29), second: 35_999)
    for lower in [start, start + 70_000_000] {
      var times = RuleSequence(rule, from: start, notBefore: lower, upTo: lower + 40_000_000)
      var (budget, last, count) = (WorkBudget(steps: 20_000), LocalTime?.none, 0)
      while let time = (try? times.next(&budget)) ?? nil {
        try require(time >= lower && time <= lower + 40_000_000, "\(time) is out of the range")
        try require(last.map { $0 < time } ?? true, "\(time) is after \(String(describing: last))")
        (last, count) = (time, count + 1)
      }
      try require(count <= min(20_000, rule.count ?? .max), "\(count) times")
    }
  }

  private static func zone(_ input: [UInt8]) throws(Violation) {
    guard let zone = ZoneFile(input)?.zone(through: 2030) else { return }
    for seconds in [-10_000_000_000, 0, 1_700_000_000, 200_000_000_000] as [Int64] {
      let local = zone.local(at: Moment(seconds: seconds))
      try require(abs(Int(seconds) - local.seconds) < 700_000, "an offset of more than a week")
      _ = zone.moment(of: local)
    }
  }

  /// Whatever a service says is the time of an event, it can be shown.
  private static func isWritten(_ span: EventSpan) throws(Violation) {
    try require(!"\(span)\(span.order)".isEmpty, "no words")
  }

  /// An answer of a CalDAV server: XML, the addresses in it and the calendars in that.
  private static func multistatus(_ input: [UInt8]) throws(Violation) {
    guard let address = try? HTTPAddress("https://dav.example.com/cal/") else { throw Violation("no address") }
    for status in [207, 403] {
      do throws(DAVError) {
        let response = try DAVResponse(HTTPResponse(status: status, body: SecretBox(input)), from: address)
        guard case .found(let found) = response else { continue }
        for part in found.responses {
          if let place = try? part.reference.resolved(at: address) {
            _ = (place.path, place.lastName, place.pathAndQuery)
          }
          for property in part.properties.values {
            _ = property.text
            _ = ICalReader.read(property.bytes)
          }
        }
      } catch {
        if case .unreadable(.xml(.malformed(let line))) = error.code { try require(line: line, inside: input) }
        if case .unreadable(.xml(.libraryMissing)) = error.code { throw Violation("libexpat is missing") }
        try require(!"\(error)".isEmpty, "no words")
      }
    }
  }

  private static func google(_ input: [UInt8]) throws(Violation) {
    let body = SecretBox(input)
    let response = HTTPResponse(status: 200, body: body)
    if let page = response.json(GooglePage<GoogleEventItem>.self) {
      let (events, removed, unreadable) = GoogleEventItem.sorted(page.items)
      try require(events.count + removed.count + unreadable.count == page.items.count, "items were lost")
      for event in events { try isWritten(event.span) }
    }
    _ = response.json(GooglePage<GoogleCalendarItem>.self)
    for status in [401, 403, 410, 500] {
      let response = HTTPResponse(status: status, body: body)
      try isShown(GoogleFault.error(of: response).detail)
      _ = GoogleFault.pause(of: response)
    }
  }

  private static func graph(_ input: [UInt8]) throws(Violation) {
    let body = SecretBox(input)
    let response = HTTPResponse(status: 200, body: body)
    if let page = response.json(GraphPage<GraphEventItem>.self) {
      let (events, removed, unreadable) = GraphEventItem.sorted(page.items)
      try require(events.count + removed.count + unreadable.count <= page.items.count, "more items than there were")
      for event in events { try isWritten(event.span) }
    }
    _ = (response.json(GraphPage<GraphCalendarItem>.self), response.json(GraphPerson.self))
    for status in [401, 403, 410, 429, 503] {
      let response = HTTPResponse(status: status, body: body)
      try isShown(GraphFault.error(of: response).detail)
      if let pause = GraphFault.pause(of: response) {
        try require(pause >= .zero && pause <= .seconds(86_400), "a pause of \(pause)")
      }
    }
  }

  /// A code of a service is shown, so it can neither quote a request nor control a terminal.
  private static func isShown(_ code: String) throws(Violation) {
    let isCode = code.utf8.allSatisfy {
      (0x61...0x7A).contains($0 | 0x20) || (0x30...0x39).contains($0) || [0x5F, 0x2D, 0x2E].contains($0)
    }
    try require(isCode && code.utf8.count <= 64, "the code \(code.debugDescription)")
  }
}
