package import KeyplanCore
package import KeyplanHTTP
package import KeyplanSecrets
import Synchronization

/// The calendars of one account at a CalDAV server, asked with its user name and password.
package final class CalDAVCalendars: CalendarService {
  private let client: CalDAVClient
  /// Where the calendars are, by their ids: a path alone does not say at which of a service's hosts.
  private let places = Mutex<[String: DAVCalendar]>([:])

  /// - Parameter server: a host alone, or the address of the person there.
  package init(
    at server: HTTPAddress, user: String, password: SecretBox, _ settings: HTTPSettings = HTTPSettings()
  ) {
    client = CalDAVClient(DAVAccount(server: server, user: user, password: password), settings)
  }

  /// All calendars that hold events. Where there is only one, it is the one that the account prefers; CalDAV tells no more.
  package func calendars() async throws(CalendarError) -> [FoundCalendar] {
    let found = try await found()
    return found.map { calendar in
      FoundCalendar(
        id: calendar.id, name: calendar.name, isPrimary: found.count == 1, isWritable: calendar.isWritable)
    }
  }

  /// What lies in a range, in order of time.
  package func events(of calendar: FoundCalendar, in range: EventRange) async throws(CalendarError) -> FoundEvents {
    let place = try await place(of: calendar)
    let found = try await Self.asking { () throws(DAVError) in
      try await client.events(of: place, in: DAVRange(range))
    }
    return FoundEvents(found)
  }

  /// What has changed: all of the range, as soon as anything in the calendar has. Occurrences are written out for a range,
  /// and a change tells of a whole series.
  package func changes(
    of calendar: FoundCalendar, in range: EventRange, since token: SyncToken?
  ) async throws(CalendarError) -> ChangeOutcome {
    let place = try await place(of: calendar)
    let refresh = try await Self.asking { () throws(DAVError) in
      try await client.events(of: place, in: DAVRange(range), since: token.flatMap(DAVMark.init))
    }
    switch refresh {
    case .unchanged(let mark):
      return .changed(CalendarChanges(events: [], removed: [], isWhole: false, next: SyncToken(mark)))
    case .read(let found, let mark, _):
      let told = FoundEvents(found)
      return .changed(
        CalendarChanges(
          events: told.events, removed: [], isWhole: true, next: mark.map(SyncToken.init), unreadable: told.unreadable))
    }
  }

  private func place(of calendar: FoundCalendar) async throws(CalendarError) -> DAVCalendar {
    if let place = places.withLock({ $0[calendar.id] }) { return place }
    guard let place = try await found().first(where: { $0.id == calendar.id }) else {
      throw CalendarError(.notFound)
    }
    return place
  }

  private func found() async throws(CalendarError) -> [DAVCalendar] {
    let found = try await Self.asking { () throws(DAVError) in try await client.calendars() }
    if found.calendars.isEmpty, let host = found.elsewhere.sorted().first {
      throw CalendarError(DAVError(.elsewhere(host: host), at: client.exchange.account.server))
    }
    places.withLock { places in
      for calendar in found.calendars { places[calendar.id] = calendar }
    }
    return found.calendars
  }

  private static func asking<Value>(
    _ work: () async throws(DAVError) -> Value
  ) async throws(CalendarError) -> Value {
    do throws(DAVError) { return try await work() } catch { throw CalendarError(error) }
  }
}

extension DAVCalendar {
  /// Its path, which stays when it is renamed, and when a service moves it to another of its hosts.
  fileprivate var id: String { address.path }
}

extension DAVRange {
  fileprivate init(_ range: EventRange) { self.init(start: range.from, end: range.to) }
}

extension DAVMark {
  fileprivate init?(_ token: SyncToken) {
    let parts = token.text.split(separator: " ", maxSplits: 1)
    switch (parts.first, parts.dropFirst().first) {
    case ("token", let text?): self = .token(String(text))
    case ("tag", let text?): self = .tag(String(text))
    default: return nil
    }
  }
}

extension SyncToken {
  fileprivate init(_ mark: DAVMark) {
    switch mark {
    case .token(let text): self.init("token \(text)")
    case .tag(let text): self.init("tag \(text)")
    }
  }
}
