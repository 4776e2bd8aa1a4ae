package import KeyplanModel

/// The result of choosing one of an account's calendars.
package enum CalendarPick: Hashable, Sendable {
  /// This one.
  case chosen(AccountCalendar)
  /// This one, which was chosen under the wanted name and has another name now.
  case renamed(AccountCalendar)
  /// None is named, and the account prefers none.
  case open(among: [AccountCalendar])
  /// The one that was chosen is gone.
  case gone(AccountCalendar)
  /// None has this id or name; perhaps the other one is meant.
  case unknown(nearest: String?)
  /// Several have this name, and these ids.
  case ambiguous(ids: [String])

  /// Looks for the id first, which is unique, then for the name; the primary calendar if nothing is wanted.
  /// - Parameter before: the calendar that was used until now.
  package init(_ wanted: String?, among calendars: [AccountCalendar], before: AccountCalendar?) {
    guard let wanted else {
      let kept = before.flatMap { before in calendars.first { $0.id == before.id } }
      self = (calendars.first(where: \.isPrimary) ?? kept).map { .chosen($0) } ?? .open(among: calendars)
      return
    }
    if let calendar = calendars.first(where: { $0.id == wanted }) {
      self = .chosen(calendar)
      return
    }
    let named = calendars.filter { $0.name == wanted }
    switch named.count {
    case 1: self = .chosen(named[0])
    case 0: self = Self.missing(wanted, calendars, before)
    default: self = .ambiguous(ids: named.map(\.id).sorted())
    }
  }

  private static func missing(
    _ wanted: String, _ calendars: [AccountCalendar], _ before: AccountCalendar?
  ) -> CalendarPick {
    if let before, before.name == wanted || before.id == wanted {
      return calendars.first { $0.id == before.id }.map { .renamed($0) } ?? .gone(before)
    }
    let lowered = wanted.lowercased()
    let near =
      calendars.first { $0.name.lowercased() == lowered }?.name
      ?? Suggestion.nearest(to: wanted, among: calendars.flatMap { [$0.name, $0.id] })
    return .unknown(nearest: near)
  }
}
