import KeyplanModel

/// Computes the occurrences of a series in a range (RFC 5545, section 3.8.5). Cancelled ones are left out.
struct SeriesExpansion {
  private let series: EventSeries
  private let range: EventPeriod
  private let limit: Int
  private var zones: ZoneBook
  private var budget: WorkBudget
  private var found = ExpandedSeries()

  /// - Parameters:
  ///   - limit: the maximum number of occurrences, which does not apply to single events.
  ///   - budget: the steps that are left for it; in the end, less those that it took.
  static func expand(
    _ series: EventSeries, in range: EventPeriod, _ zones: inout ZoneBook, limit: Int, _ budget: inout WorkBudget
  ) -> ExpandedSeries {
    var expansion = SeriesExpansion(series: series, range: range, limit: limit, zones: zones, budget: budget)
    expansion.run()
    (zones, budget) = (expansion.zones, expansion.budget)
    return expansion.found
  }

  private init(series: EventSeries, range: EventPeriod, limit: Int, zones: ZoneBook, budget: WorkBudget) {
    (self.series, self.range, self.limit, self.zones, self.budget) = (series, range, limit, zones, budget)
  }

  private mutating func run() {
    do throws(SeriesFault) {
      let replacements = try Replacements(series, &zones, &budget)
      for entry in replacements.all {
        do throws(SeriesFault) { try add(entry) } catch { report(error, entry.event.name) }
      }
      guard let master = series.master else { return }
      if master.recurrence.isSeries {
        try addOccurrences(of: master, replacements)
      } else {
        try addSingle(master, replacements)
      }
    } catch {
      report(error, series.name)
    }
  }

  private mutating func report(_ fault: SeriesFault, _ name: String) {
    let fault: ICalFault =
      switch fault {
      case .event(let fault): fault
      case .exhausted: ICalFault(reason: .tooMuchWork, line: nil)
      }
    found.unread.append(ICalObject.Unread(name: name, fault: fault))
  }

  private mutating func add(_ entry: Replacements.Entry) throws(SeriesFault) {
    let event = entry.event
    let clock = try zones.clock(of: event.start, &budget)
    let length = try zones.length(from: event.start, to: event.end, &budget)
    add(event, original: entry.text, length.period(from: clock.moment(of: event.start.written), on: clock), clock)
  }

  private mutating func addSingle(_ event: ICalEvent, _ replacements: Replacements) throws(SeriesFault) {
    let clock = try zones.clock(of: event.start, &budget)
    let start = clock.moment(of: event.start.written)
    guard !replacements.hides(start) else { return }
    let length = try zones.length(from: event.start, to: event.end, &budget)
    add(event, original: nil, length.period(from: start, on: clock), clock)
  }

  private mutating func add(_ event: ICalEvent, original: String?, _ period: EventPeriod, _ clock: EventClock) {
    guard period.overlaps(range), event.status != .cancelled else { return }
    found.occurrences.append(Occurrence(event: event, original: original, span: clock.span(period)))
  }

  private mutating func addOccurrences(of master: ICalEvent, _ replacements: Replacements) throws(SeriesFault) {
    var walk = try SeriesWalk(master, replacements, range, limit: limit, &zones, &budget)
    do throws(SeriesFault) {
      try walk.run(&zones, &budget)
    } catch {
      // The occurrences found so far are shown.
      report(error, master.name)
    }
    let all = walk.occurrences
    found.occurrences += all.prefix(limit)
    if all.count > limit {
      found.unread.append(
        ICalObject.Unread(name: master.name, fault: ICalFault(reason: .tooMany(limit), line: nil)))
    }
  }
}
