import Testing

@testable import KeyplanCalendars

@Suite struct ICalReaderTests {
  private func calendar(_ lines: String...) -> [UInt8] {
    Array((["BEGIN:VCALENDAR", "VERSION:2.0"] + lines + ["END:VCALENDAR", ""]).joined(separator: "\r\n").utf8)
  }

  private func event(_ lines: String...) throws(ICalFault) -> ICalEvent? {
    let text = (["BEGIN:VEVENT", "UID:u"] + lines + ["END:VEVENT"]).joined(separator: "\r\n")
    let object = ICalReader.read(calendar(text))
    if let fault = object.unread.first?.fault { throw fault }
    return object.events.first
  }

  /// The fault, which leaves no event.
  private func fault(_ source: [UInt8]) -> ICalFault? {
    let object = ICalReader.read(source)
    #expect(object.unread.isEmpty || object.events.isEmpty)
    return object.unread.first?.fault
  }

  @Test("an event is read with its names, its place and its times")
  func whole() throws {
    let event = try event(
      "dtstart;TZID=\"Europe/Berlin\";X-A=\"a:b;c\",d:20261122T090000", "DTEND;TZID=Europe/Berlin:20261122T101500",
      "RECURRENCE-ID:20261122T080000Z", #"SUMMARY:Lunch\, with \"x\"\; a\\b\nnext"#, "LOCATION;LANGUAGE=de:Café: 1",
      "STATUS:Cancelled", "DESCRIPTION:passed over", "BEGIN:VALARM", "SUMMARY:alarm", "DTSTART:nonsense", "END:VALARM")
    let nine = ICalClock(date: ICalDate(year: 2026, month: 11, day: 22), hour: 9, minute: 0, second: 0)
    #expect(event?.start == .zoned(nine, zone: "Europe/Berlin"))
    #expect(
      event?.end == .at(.zoned(ICalClock(date: nine.date, hour: 10, minute: 15, second: 0), zone: "Europe/Berlin")))
    #expect(event?.occurrence == .utc(ICalClock(date: nine.date, hour: 8, minute: 0, second: 0)))
    #expect(event?.summary == "Lunch, with \\\"x\\\"; a\\b\nnext")
    #expect(event?.location == "Café: 1")
    #expect(event?.status == .cancelled)
    #expect(event?.recurrence.isSeries == false)
    #expect(event?.name == event?.summary)
  }

  @Test("rules, dates, periods and zones are read, each property as often as it comes")
  func series() throws {
    let event = try event(
      "DTSTART;TZID=A:20261122T090000",
      "RRULE:FREQ=MONTHLY;BYDAY=-1FR,MO;BYSETPOS=-1;INTERVAL=2;UNTIL=20270101T000000Z",
      "RDATE;TZID=A:20261123T090000,20261124T090000",
      "RDATE;VALUE=PERIOD:20261125T090000Z/PT1H,20261126T090000Z/20261126T093000Z",
      "EXDATE;TZID=A:20261122T090000", "EXDATE;VALUE=DATE:20261201,20261202", "EXRULE:FREQ=YEARLY",
      "RECURRENCE-ID;RANGE=thisandfuture;TZID=A:20261122T090000", "SEQUENCE:7")
    let rule = try #require(event?.recurrence.rules.first)
    #expect(rule.frequency == .monthly && rule.interval == 2 && rule.positions == [-1] && rule.count == nil)
    #expect(rule.weekdays == [.init(day: 4, ordinal: -1), .init(day: 0)])
    #expect(event?.recurrence.additions.count == 4 && event?.recurrence.exclusions.count == 3)
    #expect(event?.recurrence.additions.map { $0.end != nil } == [false, false, true, true])
    #expect(event?.recurrence.exclusionRules.count == 1)
    #expect(event?.isForFuture == true && event?.sequence == 7)
    for line in ["RDATE:20261123T090000,x", "RDATE:20261123T090000Z/x", "EXDATE:20261123T0900", "EXRULE:FREQ=X"] {
      #expect(throws: ICalFault.self) { _ = try self.event("DTSTART:20261122T090000Z", line) }
    }
    let object = ICalReader.read(
      calendar(
        "BEGIN:VTIMEZONE", "TZID:A", "BEGIN:STANDARD", "DTSTART:19701025T030000", "TZOFFSETFROM:+0200",
        "TZOFFSETTO:+0100",
        "RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU", "END:STANDARD", "BEGIN:DAYLIGHT", "DTSTART:19700329T020000",
        "TZOFFSETFROM:-013015", "TZOFFSETTO:+0200", "RDATE:19710328T020000", "END:DAYLIGHT", "END:VTIMEZONE"))
    #expect(object.zones.map(\.name) == ["A"])
    #expect(object.zones.first?.observances.map(\.from) == [7200, -5415])
    #expect(object.zones.first?.observances.map(\.dates.count) == [0, 1])
  }

  @Test("folds are taken out wherever they stand, also within a character")
  func folds() throws {
    let lines = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUI\n D:u\r\n\t1\r\nDTSTART;VALUE=DATE:2026\n 1122\nSUMMARY:caf"
    let source = Array(lines.utf8) + [0xC3] + Array("\r\n ".utf8) + [0xA9] + Array("\nEND:VEVENT\nEND:VCALENDAR".utf8)
    let event = ICalReader.read(source).events.first
    #expect(event?.uid == "u1")
    #expect(event?.summary == "café")
    #expect(event?.start == .date(ICalDate(year: 2026, month: 11, day: 22)))
    #expect(event?.end == ICalEvent.End.none)
  }

  @Test(
    "times are days, UTC, of a zone by its name, or floating",
    arguments: [
      ("20280229", nil, "date(2028-02-29)"), ("20261122T235960Z", "X/Y", "utc(2026-11-22T23:59:59)"),
      ("20261122T000000", "X/Y", "zoned(2026-11-22T00:00:00, zone: \"X/Y\")"),
      ("00010101T010203", nil, "floating(0001-01-01T01:02:03)"), ("20261122", "X/Y", "date(2026-11-22)"),
      ("20270229", nil, nil), ("20261301", nil, nil), ("20261100", nil, nil), ("2026112", nil, nil), ("", nil, nil),
      ("20261122T240000Z", nil, nil), ("20261122T0000Z", nil, nil), ("20261122T000000z", nil, nil),
      ("20261122 000000Z", nil, nil), ("2026112aT000000Z", nil, nil), ("20261122T000000ZZ", nil, nil),
      ("-0261122", nil, nil),
    ] as [(String, String?, String?)])
  func times(text: String, zone: String?, expected: String?) {
    let time = ICalTime(Array(text.utf8)[...], zone: zone)
    #expect(time.map { "\($0)" } == expected)
  }

  @Test(
    "durations keep days apart from hours",
    arguments: [
      ("P1D", 1, 0), ("PT1H30M", 0, 5400), ("P2W", 14, 0), ("+P1DT5S", 1, 5), ("PT0S", 0, 0), ("-PT5M", nil, nil),
      ("P", nil, nil), ("PT", nil, nil), ("P1H", nil, nil), ("PT1D", nil, nil), ("P1", nil, nil),
      ("P1000000000D", nil, nil), ("1D", nil, nil), ("PTT1S", nil, nil), ("P1DT", nil, nil),
    ] as [(String, Int?, Int?)])
  func durations(text: String, days: Int?, seconds: Int?) {
    let duration = ICalDuration(Array(text.utf8)[...])
    #expect(duration?.days == days)
    #expect(duration?.seconds == seconds)
  }

  @Test("a duration of more than all time is a fault, however it is written", arguments: ["W", "DT1H"])
  func endless(unit: String) throws {
    let parts = String(repeating: "999999999\(unit.prefix(1))", count: 200_000) + unit.dropFirst()
    #expect(throws: ICalFault(reason: .value("DURATION"), line: 6)) {
      _ = try event("DTSTART:20261122T000000Z", "DURATION:P\(parts)")
    }
    #expect(try event("DTSTART:20261122T000000Z", "DURATION:P999999999W") != nil)
  }

  @Test("what is not one whole calendar is a fault with its line, and quotes nothing")
  func faults() throws {
    let cases: [([UInt8], ICalFault.Reason, Int)] = [
      ([], .structure, 1), (Array("BEGIN:VCALENDAR\n".utf8), .structure, 1),
      (Array("BEGIN:VEVENT\nEND:VEVENT\n".utf8), .structure, 1), (calendar("BEGIN:VEVENT", "UID:u"), .structure, 5),
      (calendar("END:VCALENDAR", "X:1"), .structure, 4), (calendar("no colon"), .line, 3),
      (calendar("A;B=\"open:1"), .line, 3), (calendar("A;=1:1"), .line, 3), (calendar(":1"), .line, 3),
      (calendar("BEGIN:VEVENT", "DTSTART:20261122", "END:VEVENT"), .missing("UID"), 5),
      (calendar("BEGIN:VEVENT", "UID:u", "END:VEVENT"), .missing("DTSTART"), 5),
      (calendar("BEGIN:VEVENT", "UID:u", "DTSTART:canary", "END:VEVENT"), .value("DTSTART"), 5),
      (calendar(String(repeating: "BEGIN:A\r\n", count: 8)), .depth, 10),
    ]
    for (source, reason, line) in cases {
      let fault = fault(source)
      #expect(fault == ICalFault(reason: reason, line: line))
      #expect("\(try #require(fault))".contains("canary") == false)
    }
  }

  @Test("data cut off at any line is a fault")
  func truncated() throws {
    let whole = calendar("BEGIN:VEVENT", "UID:u", "DTSTART:20261122", "SUMMARY:x", "END:VEVENT")
    let lines = String(decoding: whole, as: UTF8.self).split(separator: "\r\n")
    for count in 0..<lines.count { #expect(fault(Array(lines[..<count].joined(separator: "\n").utf8)) != nil) }
    #expect(fault(whole) == nil)
  }
}
