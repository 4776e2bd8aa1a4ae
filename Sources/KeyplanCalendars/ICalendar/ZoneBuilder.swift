/// Collects the properties of a `VTIMEZONE`. One that is not valid is not used, as if it were not there.
struct ZoneBuilder {
  private var name: String?
  private var observances: [ZoneDefinition.Observance] = []
  private var isValid = true

  private var start: ICalTime?
  private var from, to: Int?
  private var rules: [RecurrenceRule] = []
  private var dates: [ICalTime] = []

  mutating func begin() { (start, from, to, rules, dates) = (nil, nil, nil, [], []) }

  mutating func take(_ property: ICalProperty) {
    switch property.name {
    case "TZID": name = property.text
    case "DTSTART": start = property.time
    case "TZOFFSETFROM": from = property.offset
    case "TZOFFSETTO": to = property.offset
    case "RRULE":
      if let rule = try? RecurrenceRule(property.value) { rules.append(rule) } else { isValid = false }
    case "RDATE":
      if let times = property.dates { dates += times.map(\.start) } else { isValid = false }
    default: break
    }
  }

  mutating func end() {
    guard let start, let from, let to else {
      isValid = false
      return
    }
    observances.append(ZoneDefinition.Observance(start: start, from: from, to: to, rules: rules, dates: dates))
  }

  var definition: ZoneDefinition? {
    guard let name, isValid, !observances.isEmpty else { return nil }
    return ZoneDefinition(name: name, observances: observances)
  }
}
