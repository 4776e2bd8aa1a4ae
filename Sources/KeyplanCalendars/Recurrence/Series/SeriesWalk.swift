import KeyplanModel

/// Goes through the rules and dates of a series.
struct SeriesWalk {
  /// The event that places occurrences: the series itself, or a replacement of all its later occurrences.
  private struct Placement {
    let event: ICalEvent
    let clock: EventClock
    let length: EventLength
    /// The distance of its start from the original one, in seconds on their clocks.
    let shift: Int
  }

  private let master: ICalEvent
  private let range: EventPeriod
  private let limit: Int
  private let own: Placement
  private let later: [Moment: Placement]
  private var replacements: Replacements
  private let lower, upper: LocalTime
  private var seen: Set<Moment> = []
  private var found: [(start: Moment, occurrence: Occurrence)] = []

  init(
    _ master: ICalEvent, _ replacements: Replacements, _ range: EventPeriod, limit: Int, _ zones: inout ZoneBook,
    _ budget: inout WorkBudget
  ) throws(SeriesFault) {
    (self.master, self.replacements, self.range, self.limit) = (master, replacements, range, limit)
    let clock = try zones.clock(of: master.start, &budget)
    let length = try zones.length(from: master.start, to: master.end, &budget)
    own = Placement(event: master, clock: clock, length: length, shift: 0)
    var (reach, shift) = (length.longest, 0)
    var later: [Moment: Placement] = [:]
    for entry in replacements.forFuture {
      let event = entry.event
      let placement = Placement(
        event: event, clock: try zones.clock(of: event.start, &budget),
        length: try zones.length(from: event.start, to: event.end, &budget),
        shift: event.start.written.seconds - clock.local(at: entry.original).seconds)
      later[entry.original] = placement
      reach = max(reach, placement.length.longest)
      shift = max(shift, abs(placement.shift))
    }
    self.later = later
    // Two days for offsets and changes of the clocks.
    lower = clock.local(at: range.start) + -(reach + shift + 2 * 86_400)
    upper = clock.local(at: range.end) + (shift + 2 * 86_400)
  }

  /// The occurrences in order, at most one more than the limit.
  var occurrences: [Occurrence] { found.sorted { $0.start < $1.start }.prefix(limit + 1).map(\.occurrence) }

  mutating func run(_ zones: inout ZoneBook, _ budget: inout WorkBudget) throws(SeriesFault) {
    let recurrence = master.recurrence
    for rule in recurrence.exclusionRules {
      var times = sequence(of: rule, includesStart: false)
      while let moment = try next(&times, rule, &budget) { replacements.exclude(moment) }
    }
    try budget.spend(recurrence.additions.count)
    if recurrence.rules.isEmpty { add(own.clock.moment(of: master.start.written)) }
    for addition in recurrence.additions {
      let start = try own.clock.moment(of: addition.start, &zones, &budget)
      let length: EventLength? =
        if let end = addition.end { try zones.length(from: addition.start, to: end, &budget) } else { nil }
      add(start, length)
    }
    for rule in recurrence.rules {
      let before = found.count
      var times = sequence(of: rule, includesStart: true)
      // The times of a rule are in order: those after the limit are not among the first.
      while found.count - before <= limit, let moment = try next(&times, rule, &budget) { add(moment) }
    }
  }

  private func sequence(of rule: RecurrenceRule, includesStart: Bool) -> RuleSequence {
    let until: LocalTime? =
      switch (rule.until, own.clock) {
      case (nil, _): nil
      // Without hours, the date counts.
      case (let time?, .days): LocalTime(time.written.day)
      // An hour may occur twice; `next` looks at the moment itself.
      case (.utc(let clock)?, .zone(let zone, _)):
        zone.local(at: Moment(seconds: Int64(LocalTime(clock).seconds))) + 86_400
      case (let time?, _): time.lastWritten
      }
    return RuleSequence(
      rule, from: master.start.written, notBefore: lower, upTo: min(upper, until ?? upper),
      includesStart: includesStart)
  }

  private func next(
    _ times: inout RuleSequence, _ rule: RecurrenceRule, _ budget: inout WorkBudget
  ) throws(SeriesFault) -> Moment? {
    guard let moment = try times.next(&budget).map(own.clock.moment(of:)) else { return nil }
    if case .utc(let clock)? = rule.until, case .zone = own.clock,
      moment.seconds > Int64(LocalTime(clock).seconds)
    {
      return nil
    }
    return moment
  }

  /// - Parameter length: that of a period, which has its own.
  private mutating func add(_ original: Moment, _ length: EventLength? = nil) {
    guard !replacements.hides(original), seen.insert(original).inserted else { return }
    let placement = replacements.future(at: original).flatMap { later[$0.original] } ?? own
    var start = original
    if placement.event != master {
      start = placement.clock.moment(of: own.clock.local(at: original) + placement.shift)
    }
    let period = (length ?? placement.length).period(from: start, on: placement.clock)
    guard period.overlaps(range), placement.event.status != .cancelled else { return }
    let occurrence = Occurrence(
      event: placement.event, original: own.clock.text(of: original), span: placement.clock.span(period))
    found.append((start, occurrence))
  }
}
