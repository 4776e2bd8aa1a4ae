import KeyplanModel

/// Expands the events of an answer, one object after the other, within limits for all of them.
struct CalendarExpansion {
  private let range: EventPeriod
  private var files: ZoneFiles
  private var steps = WorkBudget.totalSteps
  private var room = WorkBudget.totalOccurrences

  /// - Parameter files: the system's zone data, for objects that do not define their zones.
  init(in range: EventPeriod, _ files: ZoneFiles) {
    (self.range, self.files) = (range, files)
  }

  mutating func expand(_ object: ICalObject) -> ExpandedSeries {
    var all = ExpandedSeries(unread: object.unread)
    var zones = ZoneBook(object.zones, years: object.years(with: range), files)
    for series in EventSeries.all(in: object.events) {
      var budget = WorkBudget(steps: min(WorkBudget.eventSteps, steps))
      let limit = min(WorkBudget.eventOccurrences, room)
      let before = budget.steps
      let found = SeriesExpansion.expand(series, in: range, &zones, limit: limit, &budget)
      steps -= before - budget.steps
      if !series.isSingle { room -= min(room, found.occurrences.count) }
      all.occurrences += found.occurrences
      all.unread += found.unread
    }
    files = zones.files
    return all
  }
}
