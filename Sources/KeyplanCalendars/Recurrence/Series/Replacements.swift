import KeyplanModel

/// The occurrences of a series that are excluded or replaced.
struct Replacements {
  /// An event that replaces an occurrence, or all from it on.
  struct Entry {
    let event: ICalEvent
    /// The original start, as a moment and in the identifier.
    let original: Moment
    let text: String
  }

  /// Those that count: of several for one occurrence, the one with the highest sequence number.
  let all: [Entry]
  /// Those for all later occurrences, too, in order of time.
  let forFuture: [Entry]
  private let replaced: Set<Moment>
  private var excluded: Set<Moment> = []
  /// A date excludes or replaces the occurrences on that day (written by some programs for events with a time).
  private var days: Set<CivilDay> = []
  private let clock: EventClock

  init(_ series: EventSeries, _ zones: inout ZoneBook, _ budget: inout WorkBudget) throws(SeriesFault) {
    let times = series.replacements.compactMap(\.occurrence)
    guard let first = series.master?.start ?? times.first else {
      (all, forFuture, replaced, clock) = ([], [], [], .days)
      return
    }
    let clock = try zones.clock(of: first, &budget)
    self.clock = clock
    let exclusions = series.master?.recurrence.exclusions ?? []
    try budget.spend(exclusions.count + times.count)
    for time in exclusions {
      if time.isDate, clock != .days { days.insert(time.written.day) }
      excluded.insert(try clock.moment(of: time, &zones, &budget))
    }
    var entries: [Moment: Entry] = [:]
    for event in series.replacements {
      guard let time = event.occurrence else { continue }
      let original = try clock.moment(of: time, &zones, &budget)
      if excluded.contains(original) { continue }
      if let other = entries[original], other.event.sequence >= event.sequence { continue }
      let text = time.isDate ? original.date : clock.text(of: original)
      entries[original] = Entry(event: event, original: original, text: text)
      if time.isDate, clock != .days { days.insert(time.written.day) }
    }
    all = entries.values.sorted { $0.original < $1.original }
    forFuture = all.filter(\.event.isForFuture)
    replaced = Set(entries.keys)
  }

  /// Excludes an occurrence that a rule selects.
  mutating func exclude(_ moment: Moment) { excluded.insert(moment) }

  /// Whether an occurrence of the series itself is not shown.
  func hides(_ moment: Moment) -> Bool {
    excluded.contains(moment) || replaced.contains(moment)
      || !days.isEmpty && days.contains(clock.local(at: moment).day)
  }

  /// The last event before a moment that replaces all later occurrences.
  func future(at moment: Moment) -> Entry? { forFuture.last { $0.original < moment } }
}
