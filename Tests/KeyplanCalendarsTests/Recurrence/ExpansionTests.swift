import KeyplanModel
import Testing

@testable import KeyplanCalendars

@Suite struct ExpansionTests {
  /// The events of a calendar between two days; each is the lines of a `VEVENT`.
  private func expand(_ events: [String]..., from: String, to: String, with zones: [String] = []) throws
    -> ExpandedSeries
  {
    var lines = ["BEGIN:VCALENDAR", "VERSION:2.0"] + zones
    for event in events { lines += ["BEGIN:VEVENT", "UID:u"] + event + ["END:VEVENT"] }
    let (start, end) = (try #require(Moment(from)), try #require(Moment(to)))
    return KeyplanCalendarsTests.expand(
      (lines + ["END:VCALENDAR", ""]).joined(separator: "\r\n"), from: start.seconds, to: end.seconds)
  }

  private func starts(_ expanded: ExpandedSeries) -> [String] {
    expanded.occurrences.map(\.span.written.start).sorted()
  }

  @Test("what begins at the end of the range or ends at its beginning is not in it; what has no length is")
  func range() throws {
    let times = [
      ("DTSTART:20241001T000000Z\r\nDTEND:20241002T000000Z", false), ("DTSTART:20241002T000000Z", true),
      ("DTSTART:20241001T230000Z\r\nDTEND:20241002T000100Z", true), ("DTSTART:20241003T000000Z", false),
      ("DTSTART:20240101T000000Z\r\nDTEND:20250101T000000Z", true), ("DTSTART;VALUE=DATE:20241001", false),
      ("DTSTART;VALUE=DATE:20241002", true), ("DTSTART;VALUE=DATE:20241003", false),
      // 01:30 in Berlin is 23:30 UTC of the day before.
      ("DTSTART;TZID=Europe/Berlin:20241002T013000\r\nDTEND;TZID=Europe/Berlin:20241002T015900", false),
      ("DTSTART;TZID=Europe/Berlin:20241003T013000", true), ("DTSTART;TZID=America/New_York:20241002T200000", false),
    ]
    for (time, isFound) in times {
      let found = try expand([time], from: "2024-10-02", to: "2024-10-03")
      #expect(found.occurrences.count == (isFound ? 1 : 0), "\(time)")
      #expect(found.unread == [])
    }
  }

  @Test("an occurrence that was moved out of the range is not listed, and one that was moved into it is")
  func moved() throws {
    let series = ["DTSTART:20241001T080000Z", "RRULE:FREQ=DAILY;COUNT=30", "SUMMARY:Series"]
    let away = ["RECURRENCE-ID:20241003T080000Z", "DTSTART:20250101T080000Z", "SUMMARY:Away"]
    let here = ["RECURRENCE-ID:20241020T080000Z", "DTSTART:20241003T120000Z", "SUMMARY:Here"]
    let found = try expand(series, away, here, from: "2024-10-02", to: "2024-10-05")
    #expect(starts(found) == ["2024-10-02T08:00:00Z", "2024-10-03T12:00:00Z", "2024-10-04T08:00:00Z"])
    #expect(Set(found.occurrences.compactMap(\.original)).count == 3)
    let other = try expand(series, away, here, from: "2024-10-20", to: "2024-10-21")
    #expect(starts(other) == [])
  }

  @Test("dates exclude and replace what begins on that day, as some programs write it")
  func dates() throws {
    let series = [
      "DTSTART;TZID=America/New_York:20241001T220000", "RRULE:FREQ=DAILY;COUNT=5", "EXDATE;VALUE=DATE:20241002",
    ]
    let moved = ["RECURRENCE-ID;VALUE=DATE:20241004", "DTSTART;TZID=America/New_York:20241004T120000"]
    let found = try expand(series, moved, from: "2024-10-01", to: "2024-11-01")
    #expect(
      starts(found) == [
        "2024-10-02T02:00:00Z", "2024-10-04T02:00:00Z", "2024-10-04T16:00:00Z", "2024-10-06T02:00:00Z",
      ])
  }

  @Test("of two events for one occurrence, the one with the higher sequence number counts")
  func sequence() throws {
    let series = ["DTSTART:20241001T080000Z", "RRULE:FREQ=DAILY;COUNT=1", "SEQUENCE:1", "SUMMARY:Old"]
    let newer = ["DTSTART:20241001T090000Z", "RRULE:FREQ=DAILY;COUNT=1", "SEQUENCE:2", "SUMMARY:New"]
    func replacement(_ sequence: Int) -> [String] {
      ["RECURRENCE-ID:20241001T090000Z", "SEQUENCE:\(sequence)", "DTSTART:20241001T1\(sequence)0000Z"]
    }
    #expect(starts(try expand(newer, series, from: "2024-10-01", to: "2024-10-02")) == ["2024-10-01T09:00:00Z"])
    let found = try expand(series, newer, replacement(5), replacement(3), from: "2024-10-01", to: "2024-10-02")
    #expect(starts(found) == ["2024-10-01T15:00:00Z"])
  }

  @Test("a zone is that of the object, else of this machine, else a clock with its name")
  func zones() throws {
    func span(_ zone: String, with definition: [String] = []) throws -> EventSpan? {
      try expand(
        ["DTSTART;TZID=\(zone):20241002T090000"], from: "2024-10-02", to: "2024-10-03", with: definition
      ).occurrences.first?.span
    }
    func at(_ text: String, _ zone: String) throws -> EventSpan {
      let moment = try #require(Moment(text))
      return .timed(from: moment, to: moment, zone: zone)
    }
    for name in [
      "Europe/Berlin", "/mozilla.org/20050126_1/Europe/Berlin", "/freeassociation.sourceforge.net/Europe/Berlin",
    ] {
      #expect(try span(name) == at("2024-10-02T07:00:00Z", name))
    }
    let nowhere = "2024-10-02T09:00:00"
    for name in ["Customized Time Zone", "../../../etc/passwd", "/etc/passwd", "Europe/../Europe/Berlin", "right/UTC"] {
      #expect(try span(name) == .clock(from: nowhere, to: nowhere, zone: name))
    }
    let definition = [
      "BEGIN:VTIMEZONE", "TZID:Customized Time Zone", "BEGIN:STANDARD", "DTSTART:16010101T000000", "TZOFFSETFROM:+0530",
      "TZOFFSETTO:+0530", "END:STANDARD", "END:VTIMEZONE",
    ]
    #expect(try span("Customized Time Zone", with: definition) == at("2024-10-02T03:30:00Z", "Customized Time Zone"))
    // A definition that cannot be read is none.
    let broken = definition.map { $0 == "TZOFFSETTO:+0530" ? "TZOFFSETTO:half" : $0 }
    #expect(
      try span("Customized Time Zone", with: broken) == .clock(from: nowhere, to: nowhere, zone: "Customized Time Zone")
    )
  }

  @Test("a start in a zone that nobody knows and an end in UTC cannot be compared, and are named")
  func mixed() throws {
    let event = ["SUMMARY:Flight", "DTSTART;TZID=Nowhere:20241002T090000", "DTEND:20241002T120000Z"]
    let found = try expand(event, from: "2024-10-01", to: "2024-11-01")
    #expect(found.occurrences == [])
    #expect(found.unread == [ICalObject.Unread(name: "Flight", fault: ICalFault(reason: .zone, line: nil))])
  }

  @Test("an end before the start has no length; one of a day that has a time includes that day")
  func ends() throws {
    let cases = [
      ("DTSTART:20241002T090000Z\r\nDTEND:20241002T080000Z", "2024-10-02T09:00:00Z"),
      ("DTSTART:20241002T090000Z\r\nDTEND;VALUE=DATE:20241003", "2024-10-03T00:00:00Z"),
      ("DTSTART;VALUE=DATE:20241002\r\nDTEND:20241003T080000Z", "2024-10-04"),
      ("DTSTART;VALUE=DATE:20241002\r\nDTEND;VALUE=DATE:20240901", "2024-10-03"),
      ("DTSTART;VALUE=DATE:20241002\r\nDURATION:PT25H", "2024-10-04"),
      ("DTSTART:20241002T090000Z\r\nDURATION:P999999999W", "9999-12-31T23:59:59Z"),
      ("DTSTART:19000101T090000Z\r\nDTEND:20241002T080000Z", "2024-10-02T08:00:00Z"),
    ]
    for (times, end) in cases {
      let found = try expand([times], from: "2024-10-01", to: "2024-11-01")
      #expect(found.occurrences.map(\.span.written.end) == [end], "\(times)")
    }
  }

  @Test("one event that cannot be read is named with its reason, and hides nothing else")
  func faults() throws {
    let good = ["DTSTART:20241001T080000Z", "RRULE:FREQ=DAILY;COUNT=2"]
    let rules: [(String, ICalFault.Reason)] = [
      ("FREQ=DAILY;INTERVAL=0", .value("RRULE")), ("FREQ=DAILY;COUNT=0", .value("RRULE")),
      ("FREQ=SOMETIMES", .value("RRULE")), ("COUNT=3", .value("RRULE")), ("FREQ=DAILY;BYDAY=", .value("RRULE")),
      ("FREQ=DAILY;BYDAY=XX", .value("RRULE")), ("FREQ=DAILY;BYMONTHDAY=32", .value("RRULE")),
      ("FREQ=DAILY;BYMONTHDAY=0", .value("RRULE")), ("FREQ=DAILY;BYDAY=0MO", .value("RRULE")),
      ("FREQ=DAILY;BYDAY=54MO", .value("RRULE")), ("FREQ=DAILY;BYSETPOS=0", .value("RRULE")),
      ("FREQ=DAILY;BYHOUR=24", .value("RRULE")), ("FREQ=DAILY;BYEASTER=1", .value("RRULE")),
      ("FREQ=DAILY;UNTIL=soon", .value("RRULE")), ("FREQ=DAILY;COUNT=99999999999999999999", .value("RRULE")),
      ("FREQ=DAILY;COUNT=1;COUNT=2", .value("RRULE")), ("FREQ=DAILY;COUNT", .value("RRULE")), ("", .value("RRULE")),
      ("FREQ=DAILY;RSCALE=CHINESE", .unsupported("RSCALE")), ("FREQ=DAILY;SKIP=FORWARD", .unsupported("SKIP")),
    ]
    for (rule, reason) in rules {
      let bad = ["SUMMARY:Bad", "RECURRENCE-ID:20241001T080000Z", "DTSTART:20241001T080000Z", "RRULE:\(rule)"]
      let found = try expand(good, bad, from: "2024-10-01", to: "2024-11-01")
      #expect(found.occurrences.count == 2, "\(rule)")
      #expect(found.unread.map(\.name) == ["Bad"] && found.unread.map(\.fault.reason) == [reason], "\(rule)")
    }
    let days = ["SUMMARY:Bad", "DTSTART;VALUE=DATE:20241001", "RRULE:FREQ=HOURLY"]
    #expect(try expand(days, from: "2024-10-01", to: "2024-11-01").unread.map(\.fault.reason) == [.value("RRULE")])
  }

  @Test(
    "what is allowed and rare is read: lower case, parts of others, leap seconds, the calendar that is meant anyway")
  func lenient() throws {
    for rule in [
      "freq=daily;count=3", "FREQ=DAILY;;COUNT=3;", "FREQ=DAILY;COUNT=3;X-NAME=x",
      "RSCALE=GREGORIAN;FREQ=DAILY;COUNT=3",
      "FREQ=DAILY;COUNT=3;BYSECOND=60,59", "FREQ=DAILY;COUNT=+3", "FREQ=DAILY;COUNT=3;UNTIL=20991231",
    ] {
      let found = try expand(["DTSTART:20241001T080059Z", "RRULE:\(rule)"], from: "2024-10-01", to: "2024-11-01")
      #expect(found.occurrences.count == 3 && found.unread == [], "\(rule)")
    }
  }

  @Test("a rule without an end stops at the limit, in the range that is asked for, and says so")
  func limits() throws {
    let cases: [(rule: String, count: Int, reason: ICalFault.Reason?)] = [
      ("FREQ=SECONDLY", 10_000, .tooMany(10_000)), ("FREQ=SECONDLY;COUNT=999999999", 10_000, .tooMany(10_000)),
      ("FREQ=SECONDLY;INTERVAL=999999999", 0, nil), ("FREQ=MINUTELY;COUNT=9999", 0, nil),
      ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", 0, nil), ("FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30", 0, nil),
      (
        "FREQ=YEARLY;BYHOUR=\(all(23));BYMINUTE=\(all(59));BYSECOND=\(all(59));BYDAY=MO,TU,WE,TH,FR,SA,SU", 10_000,
        .tooMany(10_000)
      ),
      (
        "FREQ=YEARLY;BYHOUR=\(all(23));BYMINUTE=\(all(59));BYSECOND=\(all(59));BYDAY=MO,TU,WE,TH,FR,SA,SU;BYSETPOS=1,-1",
        0,
        nil
      ),
      // Two rows of seconds from the year 2000 on have to be counted.
      ("FREQ=SECONDLY;BYSECOND=\(all(58));COUNT=999999999", 0, .tooMuchWork),
      ("FREQ=HOURLY;BYMONTHDAY=31;BYMONTH=2;COUNT=1", 0, nil),
    ]
    for (rule, count, reason) in cases {
      let event = ["SUMMARY:Hostile", "DTSTART:20000101T000001Z", "RRULE:\(rule)"]
      let found = try expand(event, from: "2024-10-01", to: "2024-10-31")
      #expect(
        found.occurrences.count == count && found.unread.map(\.fault.reason) == (reason.map { [$0] } ?? []), "\(rule)")
      #expect(found.unread.allSatisfy { $0.name == "Hostile" })
    }
  }

  private func all(_ last: Int) -> String { (0...last).map(String.init).joined(separator: ",") }

  @Test("the limits hold for a whole answer, and single events are never left out")
  func total() throws {
    let object = ICalReader.read(
      Array(
        """
        BEGIN:VCALENDAR
        BEGIN:VEVENT
        UID:single
        DTSTART:20241002T080000Z
        END:VEVENT
        BEGIN:VEVENT
        UID:hostile
        DTSTART:20240101T000000Z
        RRULE:FREQ=SECONDLY;BYSECOND=0,1,2,3,4,5,6,7,8,9
        END:VEVENT
        END:VCALENDAR
        """.utf8))
    let range = EventPeriod(start: try #require(Moment("2024-10-01")), end: try #require(Moment("2024-10-31")))
    var expansion = CalendarExpansion(in: range, ZoneFiles(reading: { _ in nil }))
    for count in [10_000, 10_000, 10_000, 10_000, 10_000, 0, 0] {
      let found = expansion.expand(object)
      #expect(found.occurrences.count == count + 1)
      #expect(found.unread.map(\.fault.reason) == [.tooMany(count)])
    }
    #expect("\(ICalFault(reason: .tooMany(0), line: nil))".contains("none"))
  }

  @Test("a hostile zone takes no more steps than an event, and is named")
  func hostileZone() throws {
    let definition = [
      "BEGIN:VTIMEZONE", "TZID:Evil", "BEGIN:STANDARD", "DTSTART:19000101T000000", "TZOFFSETFROM:+0100",
      "TZOFFSETTO:+0200",
      "RRULE:FREQ=SECONDLY", "END:STANDARD", "END:VTIMEZONE",
    ]
    let found = try expand(
      ["SUMMARY:Evil", "DTSTART;TZID=Evil:20241002T090000"], from: "2024-10-01", to: "2024-11-01", with: definition)
    #expect(found.occurrences == [] && found.unread.map(\.fault.reason) == [.tooMuchWork])
  }
}
