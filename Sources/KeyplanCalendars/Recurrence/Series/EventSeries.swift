import KeyplanModel

/// The events of an object that have one UID: one with its recurrence rules, and those that replace occurrences of it.
/// Invitations to a single occurrence come without the former.
struct EventSeries: Sendable {
  private(set) var master: ICalEvent?
  private(set) var replacements: [ICalEvent] = []

  /// The series of an object in the order of their first events.
  static func all(in events: [ICalEvent]) -> [EventSeries] {
    var series: [EventSeries] = []
    var places: [String: Int] = [:]
    for event in events {
      let place = places[event.uid] ?? series.count
      if place == series.count {
        places[event.uid] = place
        series.append(EventSeries())
      }
      if event.occurrence != nil {
        series[place].replacements.append(event)
      } else if series[place].master.map({ event.sequence > $0.sequence }) ?? true {
        series[place].master = event
      }
    }
    return series
  }

  /// Whether it is a single event, whose expansion needs no limit.
  var isSingle: Bool { master.map { !$0.recurrence.isSeries } ?? true }

  /// The name for people.
  var name: String { (master ?? replacements.first)?.name ?? "" }
}

/// The result of expanding a series in a range.
struct ExpandedSeries: Sendable {
  /// In no order.
  var occurrences: [Occurrence] = []
  /// The reasons that occurrences may be missing, or that there are none, by the name of the event.
  var unread: [ICalObject.Unread] = []
}
