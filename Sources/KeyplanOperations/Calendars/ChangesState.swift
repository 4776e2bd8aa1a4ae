internal import FoundationEssentials
internal import KeyplanCalendars
internal import KeyplanFiles
package import KeyplanModel
internal import KeyplanReporting

/// The sync position of a calendar. It is kept in the state directory, in one file per account and store.
package struct ChangesState: Codable, Equatable {
  private var formatVersion = 1
  /// The service's own id of the calendar.
  package let calendar: String
  /// ISO 8601: the range for which the token is valid.
  private let from: String
  private let to: String
  /// The service's sync token. It grants no access without the account's tokens.
  private let token: String

  private static let limit = 1 << 20

  package init(_ calendar: FoundCalendar, _ range: EventRange, _ token: SyncToken) {
    self.calendar = calendar.id
    (from, to) = (range.from.description, range.to.description)
    self.token = token.text
  }

  /// The sync token for the next request.
  package var syncToken: SyncToken { SyncToken(token) }

  package var range: EventRange? {
    guard let from = Moment(from), let to = Moment(to) else { return nil }
    return EventRange(from: from, to: to)
  }

  package static func path(of id: Identifier<Account>, _ store: StoreState, in world: World) -> String {
    "\(world.state)/changes-\(store.id)-\(id).json"
  }

  /// Nil if the file is missing or unreadable: the next request then asks for everything.
  package init?(reading path: String) {
    guard let bytes = try? SafeFile.read(path, limit: Self.limit),
      let read = try? JSONDecoder().decode(Self.self, from: Data(bytes)), read.formatVersion == 1, read.range != nil
    else { return nil }
    self = read
  }

  /// - Throws: `Failure`; the next call then returns these changes again.
  package func write(to path: String) throws {
    do {
      try StateFile.write(self, to: path)
    } catch let error as FileError {
      throw Failure(error, "Position not saved")
    }
  }
}
