/// Parses the events in calendar data in one pass. Other components, alarms in events, and other properties are
/// skipped.
struct ICalReader {
  private static let depthLimit = 8

  private var open: [String] = []
  private var builder: EventBuilder?
  private var events: [ICalEvent] = []
  private var hasCalendar = false

  /// The events in document order; expanded occurrences are separate events.
  static func events(in source: [UInt8]) throws(ICalFault) -> [ICalEvent] {
    var reader = ICalReader()
    var last = 1
    // Remove a byte order mark, which would be part of the first name.
    for line in ICalLines(source.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(source.dropFirst(3)) : source) {
      last = line.number
      // Some programs leave empty lines at the end.
      if line.bytes.isEmpty { continue }
      guard let property = ICalProperty(line.bytes) else { throw ICalFault(reason: .line, line: line.number) }
      try reader.take(property, at: line.number)
    }
    guard reader.open.isEmpty, reader.hasCalendar else { throw ICalFault(reason: .structure, line: last) }
    return reader.events
  }

  private mutating func take(_ property: ICalProperty, at line: Int) throws(ICalFault) {
    switch property.name {
    case "BEGIN":
      let name = property.text.uppercased()
      guard open.isEmpty == (name == "VCALENDAR") else { throw ICalFault(reason: .structure, line: line) }
      guard open.count < Self.depthLimit else { throw ICalFault(reason: .depth, line: line) }
      open.append(name)
      hasCalendar = true
      if isInEvent { builder = EventBuilder() }
    case "END":
      guard open.last == property.text.uppercased() else { throw ICalFault(reason: .structure, line: line) }
      if isInEvent, let builder { events.append(try builder.event(at: line)) }
      open.removeLast()
    default:
      guard !open.isEmpty else { throw ICalFault(reason: .structure, line: line) }
      if isInEvent { try builder?.take(property, at: line) }
    }
  }

  private var isInEvent: Bool { open.count == 2 && open[1] == "VEVENT" }
}

/// Collects the properties of an event.
private struct EventBuilder {
  private var uid: String?
  private var start: ICalTime?
  private var occurrence: ICalTime?
  private var end: ICalTime?
  private var duration: ICalDuration?
  private var summary: String?
  private var location: String?
  private var status: ICalEvent.Status?
  private var isSeries = false

  mutating func take(_ property: ICalProperty, at line: Int) throws(ICalFault) {
    func valid<Value>(_ value: Value?) throws(ICalFault) -> Value {
      guard let value else { throw ICalFault(reason: .value(property.name), line: line) }
      return value
    }
    switch property.name {
    case "UID": uid = property.text
    case "DTSTART": start = try valid(property.time)
    case "DTEND": end = try valid(property.time)
    case "DURATION": duration = try valid(ICalDuration(property.value))
    case "RECURRENCE-ID": occurrence = try valid(property.time)
    case "SUMMARY": summary = property.text
    case "LOCATION": location = property.text
    // No other values are defined.
    case "STATUS": status = ICalEvent.Status(rawValue: property.text.uppercased())
    case "RRULE", "RDATE": isSeries = true
    default: break
    }
  }

  func event(at line: Int) throws(ICalFault) -> ICalEvent {
    guard let uid, !uid.isEmpty else { throw ICalFault(reason: .missing("UID"), line: line) }
    guard let start else { throw ICalFault(reason: .missing("DTSTART"), line: line) }
    return ICalEvent(
      uid: uid, occurrence: occurrence, start: start,
      end: end.map { .at($0) } ?? duration.map { .after($0) } ?? .none, summary: summary, location: location,
      status: status, isSeries: isSeries)
  }
}
