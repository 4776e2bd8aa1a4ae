package import KeyplanHTTP
package import KeyplanModel
package import KeyplanSecrets
import Synchronization

/// The calendars of an account at a CalDAV server.
package final class CalDAVCalendars: CalendarService {
  private let client: CalDAVClient
  /// The calendars by id: an id is a path, which does not include the host.
  private let places = Mutex<[String: DAVCalendar]>([:])

  /// - Parameter server: a host, or the address of the user's principal.
  package init(
    at server: HTTPAddress, user: String, password: SecretBox, _ settings: HTTPSettings = HTTPSettings()
  ) {
    client = CalDAVClient(DAVAccount(server: server, user: user, password: password), settings)
  }

  /// All calendars for events. A single one counts as the account's primary calendar; CalDAV has no such property.
  package func calendars() async throws(CalendarError) -> [FoundCalendar] {
    let found = try await found()
    return found.map { calendar in
      FoundCalendar(
        id: calendar.id, name: calendar.name, isPrimary: found.count == 1, isWritable: calendar.isWritable)
    }
  }

  /// The events in a range, in chronological order.
  package func events(of calendar: FoundCalendar, in range: EventRange) async throws(CalendarError) -> FoundEvents {
    let place = try await place(of: calendar)
    let found = try await Self.converting { () throws(DAVError) in
      try await client.events(of: place, in: DAVRange(range))
    }
    return FoundEvents(found)
  }

  /// The changes: all events of the range, as soon as anything in the calendar has changed. A change only names the
  /// whole series, not the occurrences in the range.
  package func changes(
    of calendar: FoundCalendar, in range: EventRange, since token: SyncToken?
  ) async throws(CalendarError) -> ChangeOutcome {
    let place = try await place(of: calendar)
    let refresh = try await Self.converting { () throws(DAVError) in
      try await client.events(of: place, in: DAVRange(range), since: token.flatMap(DAVMark.init))
    }
    switch refresh {
    case .unchanged(let mark):
      return .changed(CalendarChanges(events: [], removed: [], isWhole: false, next: SyncToken(mark)))
    case .read(let found, let mark, _):
      let current = FoundEvents(found)
      return .changed(
        CalendarChanges(
          events: current.events, removed: [], isWhole: true, next: mark.map(SyncToken.init),
          unreadable: current.unreadable))
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
    let found = try await Self.converting { () throws(DAVError) in try await client.calendars() }
    if found.calendars.isEmpty, let host = found.elsewhere.sorted().first {
      throw CalendarError(DAVError(.elsewhere(host: host), at: client.exchange.account.server))
    }
    places.withLock { places in
      for calendar in found.calendars { places[calendar.id] = calendar }
    }
    return found.calendars
  }

  private static func converting<Value>(
    _ work: () async throws(DAVError) -> Value
  ) async throws(CalendarError) -> Value {
    do throws(DAVError) { return try await work() } catch { throw CalendarError(error) }
  }
}

extension DAVCalendar {
  /// Its path, which does not change when the calendar is renamed or moved to another host of the service.
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
