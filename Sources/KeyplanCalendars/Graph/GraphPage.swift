internal import KeyplanCore

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
  /// The address of whose calendar it is.
  let owner: String?

  private enum Key: CodingKey { case id, name, canEdit, isDefaultCalendar, owner }
  private enum OwnerKey: CodingKey { case address }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    let id = try fields.decode(String.self, forKey: .id)
    calendar = FoundCalendar(
      id: id, name: fields.text(.name) ?? id, isPrimary: fields.tolerant(.isDefaultCalendar, Bool.self) ?? false,
      isWritable: fields.tolerant(.canEdit, Bool.self) ?? false)
    owner = (try? fields.nestedContainer(keyedBy: OwnerKey.self, forKey: .owner))?.text(.address)
  }
}

/// What Graph says of who has signed in. Each of these names is that person's.
struct GraphPerson: Decodable, Sendable {
  let names: [String]

  private enum Key: String, CodingKey, CaseIterable { case mail, userPrincipalName, id, otherMails, proxyAddresses }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    let aliases = (fields.tolerant(.proxyAddresses, [String].self) ?? []).map { alias in
      // `smtp:` in whatever case; the main one in capitals.
      alias.lowercased().hasPrefix("smtp:") ? String(alias.dropFirst(5)) : alias
    }
    names =
      [.mail, .userPrincipalName, .id].compactMap { (key: Key) in fields.text(key) }
      + (fields.tolerant(.otherMails, [String].self) ?? []) + aliases
  }

  static let fields = Key.allCases.map(\.rawValue).joined(separator: ",")
}
