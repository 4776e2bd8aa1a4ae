import KeyplanCore

/// Which of an account's calendars is meant.
public enum CalendarChoice: Hashable, Sendable {
  /// This one.
  case chosen(FoundCalendar)
  /// None was named, and the account has none that it prefers.
  case open(among: [FoundCalendar])
  /// None has this id or name; perhaps the other one is meant.
  case unknown(String, nearest: String?)
  /// Several have this name, and these ids.
  case ambiguous(String, ids: [String])

  /// By id first, which no two share, then by name; the primary one where nothing is wanted.
  public init(_ wanted: String?, among calendars: [FoundCalendar]) {
    guard let wanted else {
      self = calendars.first(where: \.isPrimary).map { .chosen($0) } ?? .open(among: calendars)
      return
    }
    if let calendar = calendars.first(where: { $0.id == wanted }) {
      self = .chosen(calendar)
      return
    }
    let named = calendars.filter { $0.name == wanted }
    switch named.count {
    case 0: self = .unknown(wanted, nearest: Self.nearest(to: wanted, among: calendars))
    case 1: self = .chosen(named[0])
    default: self = .ambiguous(wanted, ids: named.map(\.id))
    }
  }

  private static func nearest(to wanted: String, among calendars: [FoundCalendar]) -> String? {
    let lowered = wanted.lowercased()
    return calendars.first { $0.name.lowercased() == lowered }?.name
      ?? Suggestion.nearest(to: wanted, among: calendars.flatMap { [$0.name, $0.id] })
  }
}
