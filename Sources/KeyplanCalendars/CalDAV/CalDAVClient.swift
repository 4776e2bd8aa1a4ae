import KeyplanHTTP

/// Reads the calendars of one account at a CalDAV server. Never writes.
struct CalDAVClient: Sendable {
  let exchange: DAVExchange
  /// The zone data of this machine by name, for events that do not define their zones.
  let zoneFile: @Sendable (String) -> [UInt8]?

  init(
    _ account: DAVAccount, _ settings: HTTPSettings = HTTPSettings(),
    zoneFile: @escaping @Sendable (String) -> [UInt8]? = SystemZones.file
  ) {
    exchange = DAVExchange(account, settings)
    self.zoneFile = zoneFile
  }

  /// All calendars for events. This request also checks the password.
  func calendars() async throws(DAVError) -> DAVCalendars {
    var found = DAVCalendars()
    for home in try await homes() {
      let request = DAVRequest.properties(
        [
          .dav("resourcetype"), .dav("displayname"), .caldav("supported-calendar-component-set"),
          .dav("current-user-privilege-set"),
        ], depth: 1)
      let (answer, address) = try await exchange.perform(request, at: home)
      for response in try answer.found(at: address).responses where response.isCalendarOfEvents {
        do throws(DAVError) {
          let place = try exchange.reference(response.reference, at: address)
          let name = response.properties[.dav("displayname")]?.text ?? ""
          found.calendars.append(
            DAVCalendar(
              address: place, name: name.isEmpty ? place.lastName : name, isWritable: response.isWritable))
        } catch {
          guard case .elsewhere(let host) = error.code else { throw error }
          found.elsewhere.insert(host)
        }
      }
    }
    return found
  }

  /// The events in a period, if anything has changed.
  ///
  /// - Parameter mark: from the last response for the same calendar and period; without it, everything is read.
  func events(
    of calendar: DAVCalendar, in range: DAVRange, since mark: DAVMark? = nil
  ) async throws(DAVError) -> DAVRefresh {
    if case .token(let token) = mark {
      guard let changes = try await changes(in: calendar, since: token) else {
        return try await read(calendar, range, restarted: true)
      }
      let mark = DAVMark.token(changes.token)
      if changes.changed.isEmpty, changes.removed.isEmpty { return .unchanged(mark) }
      return .read(try await events(of: calendar, in: range), mark, restarted: false)
    }
    return try await read(calendar, range, unless: mark)
  }

  /// The mark is requested first, so that a change in between is read twice instead of missed.
  private func read(
    _ calendar: DAVCalendar, _ range: DAVRange, unless old: DAVMark? = nil, restarted: Bool = false
  ) async throws(DAVError) -> DAVRefresh {
    let mark = try await mark(of: calendar)
    if let mark, mark == old { return .unchanged(mark) }
    return .read(try await events(of: calendar, in: range), mark, restarted: restarted)
  }

  private func mark(of calendar: DAVCalendar) async throws(DAVError) -> DAVMark? {
    let request = DAVRequest.properties([.dav("sync-token"), .calendarServer("getctag")], depth: 0)
    let (answer, address) = try await exchange.perform(request, at: calendar.address)
    let properties = try answer.found(at: address).responses.first?.properties ?? [:]
    if let token = properties[.dav("sync-token")]?.text, !token.isEmpty { return .token(token) }
    if let tag = properties[.calendarServer("getctag")]?.text, !tag.isEmpty { return .tag(tag) }
    return nil
  }
}

extension Multistatus.Response {
  /// See RFC 3744, section 5.4.
  fileprivate var isWritable: Bool {
    guard let privileges = properties[.dav("current-user-privilege-set")] else { return true }
    return privileges.all(.dav("privilege")).flatMap(\.children).contains {
      [.dav("all"), .dav("write"), .dav("write-content"), .dav("bind")].contains($0.name)
    }
  }

  /// Without a list of components, the calendar may contain any.
  fileprivate var isCalendarOfEvents: Bool {
    guard properties[.dav("resourcetype")]?.child(.caldav("calendar")) != nil else { return false }
    guard let components = properties[.caldav("supported-calendar-component-set")] else { return true }
    return components.all(.caldav("comp")).contains { $0.attributes["name"]?.uppercased() == "VEVENT" }
  }
}
