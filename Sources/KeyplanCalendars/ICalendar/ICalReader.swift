/// Parses the events and time zones of calendar data in one pass. Other components, alarms in events, and other
/// properties are skipped.
struct ICalReader {
  private static let depthLimit = 8

  private var open: [String] = []
  private var event: EventBuilder?
  private var zone: ZoneBuilder?
  private var object = ICalObject()
  private var hasCalendar = false

  /// The events of an object. One that cannot be read is named and does not hide the others; of data that is not a
  /// calendar, or not a whole one, nothing is used.
  static func read(_ source: [UInt8]) -> ICalObject {
    var reader = ICalReader()
    do throws(ICalFault) {
      try reader.read(source)
      return reader.object
    } catch {
      let name = reader.event?.name ?? reader.object.events.first?.name
      return ICalObject(unread: [ICalObject.Unread(name: name, fault: error)])
    }
  }

  private mutating func read(_ source: [UInt8]) throws(ICalFault) {
    var last = 1
    // Remove a byte order mark, which would be part of the first name.
    for line in ICalLines(source.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(source.dropFirst(3)) : source) {
      last = line.number
      // Some programs leave empty lines at the end.
      if line.bytes.isEmpty { continue }
      guard let property = ICalProperty(line.bytes) else { throw ICalFault(reason: .line, line: line.number) }
      try take(property, at: line.number)
    }
    guard open.isEmpty, hasCalendar else { throw ICalFault(reason: .structure, line: last) }
  }

  private mutating func take(_ property: ICalProperty, at line: Int) throws(ICalFault) {
    switch property.name {
    case "BEGIN":
      let name = property.text.uppercased()
      guard open.isEmpty == (name == "VCALENDAR") else { throw ICalFault(reason: .structure, line: line) }
      guard open.count < Self.depthLimit else { throw ICalFault(reason: .depth, line: line) }
      open.append(name)
      hasCalendar = true
      if isIn("VEVENT") { event = EventBuilder() }
      if isIn("VTIMEZONE") { zone = ZoneBuilder() }
      if isInObservance { zone?.begin() }
    case "END":
      guard open.last == property.text.uppercased() else { throw ICalFault(reason: .structure, line: line) }
      if isIn("VEVENT"), let event { finish(event, at: line) }
      if isIn("VTIMEZONE"), let definition = zone?.definition { object.zones.append(definition) }
      if isInObservance { zone?.end() }
      open.removeLast()
    default:
      guard !open.isEmpty else { throw ICalFault(reason: .structure, line: line) }
      if isIn("VEVENT") { event?.take(property, at: line) }
      if isIn("VTIMEZONE") || isInObservance { zone?.take(property) }
    }
  }

  private mutating func finish(_ event: EventBuilder, at line: Int) {
    do throws(ICalFault) {
      object.events.append(try event.event(at: line))
    } catch {
      object.unread.append(ICalObject.Unread(name: event.name, fault: error))
    }
    self.event = nil
  }

  private func isIn(_ component: String) -> Bool { open.count == 2 && open[1] == component }

  private var isInObservance: Bool {
    open.count == 3 && open[1] == "VTIMEZONE" && ["STANDARD", "DAYLIGHT"].contains(open[2])
  }
}
