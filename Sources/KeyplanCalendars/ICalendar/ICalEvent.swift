/// The relevant properties of a `VEVENT` (RFC 5545, section 3.6.1).
struct ICalEvent: Hashable, Sendable {
  /// The end of the event.
  enum End: Hashable, Sendable {
    case at(ICalTime)
    case after(ICalDuration)
    /// No end: a whole day, or an event without duration.
    case none
  }

  enum Status: String, Sendable {
    case tentative = "TENTATIVE"
    case confirmed = "CONFIRMED"
    case cancelled = "CANCELLED"
  }

  /// An `RDATE`; as a period, with an end of its own.
  struct Addition: Hashable, Sendable {
    let start: ICalTime
    var end: End?
  }

  /// The recurrence of an event.
  struct Recurrence: Hashable, Sendable {
    var rules: [RecurrenceRule] = []
    var additions: [Addition] = []
    /// `EXRULE`, which RFC 5545 no longer has.
    var exclusionRules: [RecurrenceRule] = []
    var exclusions: [ICalTime] = []

    var isSeries: Bool { !rules.isEmpty || !additions.isEmpty }
  }

  /// The same for all occurrences of a series.
  let uid: String
  /// The original start of the occurrence that this event replaces.
  var occurrence: ICalTime?
  /// Whether it replaces all later ones, too (`RANGE=THISANDFUTURE`).
  var isForFuture = false
  /// Of two events for one occurrence, the one with the higher number counts.
  var sequence = 0
  let start: ICalTime
  var end = End.none
  var recurrence = Recurrence()
  var summary: String?
  var location: String?
  var status: Status?

  /// The name for people.
  var name: String { summary.flatMap { $0.isEmpty ? nil : $0 } ?? uid }
}
