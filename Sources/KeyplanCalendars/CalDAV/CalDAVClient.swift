import KeyplanHTTP

/// Reads the calendars of one account at a CalDAV server. It writes nothing there.
struct CalDAVClient: Sendable {
  let exchange: DAVExchange

  init(_ account: DAVAccount, _ settings: HTTPSettings = HTTPSettings()) {
    exchange = DAVExchange(account, settings)
  }

  /// All calendars that hold events. The first thing to ask: it also says whether the password is still good.
  func calendars() async throws(DAVError) -> DAVCalendars {
    var found = DAVCalendars()
    for home in try await homes() {
      let asked = DAVQuestion.properties(
        [
          .dav("resourcetype"), .dav("displayname"), .caldav("supported-calendar-component-set"),
          .dav("current-user-privilege-set"),
        ], depth: 1)
      let (answer, address) = try await exchange.ask(asked, at: home)
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

  /// The events in a stretch of time, if something changed.
  ///
  /// - Parameter mark: from the last answer about the same calendar and stretch of time; without, all is read.
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

  /// The mark is asked for first: what changes in between is then read twice, and never missed.
  private func read(
    _ calendar: DAVCalendar, _ range: DAVRange, unless old: DAVMark? = nil, restarted: Bool = false
  ) async throws(DAVError) -> DAVRefresh {
    let mark = try await mark(of: calendar)
    if let mark, mark == old { return .unchanged(mark) }
    return .read(try await events(of: calendar, in: range), mark, restarted: restarted)
  }

  private func mark(of calendar: DAVCalendar) async throws(DAVError) -> DAVMark? {
    let asked = DAVQuestion.properties([.dav("sync-token"), .calendarServer("getctag")], depth: 0)
    let (answer, address) = try await exchange.ask(asked, at: calendar.address)
    let properties = try answer.found(at: address).responses.first?.properties ?? [:]
    if let token = properties[.dav("sync-token")]?.text, !token.isEmpty { return .token(token) }
    if let tag = properties[.calendarServer("getctag")]?.text, !tag.isEmpty { return .tag(tag) }
    return nil
  }
}

extension Multistatus.Response {
  /// RFC 3744, section 5.4.
  fileprivate var isWritable: Bool {
    guard let privileges = properties[.dav("current-user-privilege-set")] else { return true }
    return privileges.all(.dav("privilege")).flatMap(\.children).contains {
      [.dav("all"), .dav("write"), .dav("write-content"), .dav("bind")].contains($0.name)
    }
  }

  /// Where nothing is said of its components it may hold any.
  fileprivate var isCalendarOfEvents: Bool {
    guard properties[.dav("resourcetype")]?.child(.caldav("calendar")) != nil else { return false }
    guard let components = properties[.caldav("supported-calendar-component-set")] else { return true }
    return components.all(.caldav("comp")).contains { $0.attributes["name"]?.uppercased() == "VEVENT" }
  }
}
