internal import KeyplanModel

/// An entry in the list of calendars.
struct GoogleCalendarItem: GoogleItem {
  static var kind: String { "calendar#calendarList" }
  /// `nil` if it was removed from the list.
  let calendar: FoundCalendar?

  private enum Key: CodingKey { case id, summary, summaryOverride, primary, accessRole, deleted }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    let id = try fields.decode(String.self, forKey: .id)
    guard !id.isEmpty, fields.tolerant(.deleted, Bool.self) != true else {
      calendar = nil
      return
    }
    // The override is the account's own name for another account's calendar.
    let name = fields.text(.summaryOverride) ?? fields.text(.summary) ?? id
    let role = fields.text(.accessRole) ?? ""
    calendar = FoundCalendar(
      id: id, name: name, isPrimary: fields.tolerant(.primary, Bool.self) ?? false,
      isWritable: role == "owner" || role == "writer" || role == "writerWithoutPrivateAccess")
  }
}
