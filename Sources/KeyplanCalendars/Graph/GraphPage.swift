/// One page of a collection. It always has a list, be it empty; an answer without one is not Graph's.
struct GraphPage<Item: Decodable & Sendable>: Decodable {
  let items: [Item?]
  let nextLink: String?
  let deltaLink: String?

  private enum Key: String, CodingKey {
    case value
    case nextLink = "@odata.nextLink"
    case deltaLink = "@odata.deltaLink"
  }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    items = try fields.decode([Tolerant<Item>].self, forKey: .value).map(\.value)
    nextLink = fields.text(.nextLink)
    deltaLink = fields.text(.deltaLink)
  }
}

/// A calendar in Graph's words.
struct GraphCalendarItem: Decodable, Sendable {
  let calendar: FoundCalendar

  private enum Key: CodingKey { case id, name, canEdit, isDefaultCalendar }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    let id = try fields.decode(String.self, forKey: .id)
    calendar = FoundCalendar(
      id: id, name: fields.text(.name) ?? id, isPrimary: fields.tolerant(.isDefaultCalendar, Bool.self) ?? false,
      isWritable: fields.tolerant(.canEdit, Bool.self) ?? false)
  }
}
