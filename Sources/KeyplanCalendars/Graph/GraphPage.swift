internal import KeyplanModel

/// One page of a collection. It always has a list, possibly empty; a response without one is not Graph's.
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

/// A calendar in Graph's format.
struct GraphCalendarItem: Decodable, Sendable {
  let calendar: FoundCalendar
  /// The address of its owner.
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

/// The names of the signed-in user.
struct GraphPerson: Decodable, Sendable {
  let names: [String]

  private enum Key: String, CodingKey, CaseIterable { case mail, userPrincipalName, id, otherMails, proxyAddresses }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    let aliases = (fields.tolerant(.proxyAddresses, [String].self) ?? []).map { alias in
      // The prefix is `smtp:`, upper-case for the main address.
      alias.lowercased().hasPrefix("smtp:") ? String(alias.dropFirst(5)) : alias
    }
    names =
      [.mail, .userPrincipalName, .id].compactMap { (key: Key) in fields.text(key) }
      + (fields.tolerant(.otherMails, [String].self) ?? []) + aliases
  }

  static let fields = Key.allCases.map(\.rawValue).joined(separator: ",")
}
