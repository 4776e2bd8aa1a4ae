/// Collects the properties of an event, and remembers the first that is invalid.
struct EventBuilder {
  private var uid: String?
  private var start: ICalTime?
  private var occurrence: ICalTime?
  private var isForFuture = false
  private var sequence = 0
  private var end: ICalTime?
  private var duration: ICalDuration?
  private var recurrence = ICalEvent.Recurrence()
  private var summary: String?
  private var location: String?
  private var status: ICalEvent.Status?
  private var fault: ICalFault?

  /// The name for people.
  var name: String? { [summary, uid].compactMap(\.self).first { !$0.isEmpty } }

  mutating func take(_ property: ICalProperty, at line: Int) {
    do throws(ICalFault.Reason) {
      try take(property)
    } catch {
      fault = fault ?? ICalFault(reason: error, line: line)
    }
  }

  private mutating func take(_ property: ICalProperty) throws(ICalFault.Reason) {
    func valid<Value>(_ value: Value?) throws(ICalFault.Reason) -> Value {
      guard let value else { throw .value(property.name) }
      return value
    }
    func rule() throws(ICalFault.Reason) -> RecurrenceRule {
      do throws(RuleFault) { return try RecurrenceRule(property.value) } catch {
        switch error {
        case .invalid: throw .value(property.name)
        case .unsupported(let part): throw .unsupported(part)
        }
      }
    }
    switch property.name {
    case "UID": uid = property.text
    case "DTSTART": start = try valid(property.time)
    case "DTEND": end = try valid(property.time)
    case "DURATION": duration = try valid(ICalDuration(property.value))
    case "RECURRENCE-ID":
      occurrence = try valid(property.time)
      isForFuture = property.range == "THISANDFUTURE"
    case "SEQUENCE": sequence = Int(property.text) ?? 0
    case "SUMMARY": summary = property.text
    case "LOCATION": location = property.text
    // No other values are defined.
    case "STATUS": status = ICalEvent.Status(rawValue: property.text.uppercased())
    case "RRULE": recurrence.rules.append(try rule())
    case "EXRULE": recurrence.exclusionRules.append(try rule())
    case "RDATE": recurrence.additions += try valid(property.dates)
    case "EXDATE": recurrence.exclusions += try valid(property.times)
    default: break
    }
  }

  func event(at line: Int) throws(ICalFault) -> ICalEvent {
    if let fault { throw fault }
    guard let uid, !uid.isEmpty else { throw ICalFault(reason: .missing("UID"), line: line) }
    guard let start else { throw ICalFault(reason: .missing("DTSTART"), line: line) }
    if case .date = start, (recurrence.rules + recurrence.exclusionRules).contains(where: { $0.frequency < .daily }) {
      // A day has no hours in which it could recur.
      throw ICalFault(reason: .value("RRULE"), line: line)
    }
    return ICalEvent(
      uid: uid, occurrence: occurrence, isForFuture: isForFuture, sequence: sequence, start: start,
      end: end.map { .at($0) } ?? duration.map { .after($0) } ?? .none, recurrence: recurrence, summary: summary,
      location: location, status: status)
  }
}
