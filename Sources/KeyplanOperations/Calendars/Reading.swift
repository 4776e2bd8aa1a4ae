package import KeyplanCalendars
package import KeyplanModel
package import KeyplanPlanning
package import KeyplanPorts
package import KeyplanReporting

extension Accounts {
  /// The id of the account's calendar; nil if ambiguous or missing.
  package func chosen(_ id: Identifier<Account>, among calendars: [FoundCalendar]) -> String? {
    let account = workspace.manifest.accounts[id]
    switch pick(id, account?.calendar, among: calendars) {
    case .chosen(let calendar), .renamed(let calendar): return calendar.id
    case .open, .gone, .unknown, .ambiguous: return nil
    }
  }

  /// The events in a range of the account's calendar, or of another of its calendars.
  package func events(
    of id: Identifier<Account>, in range: EventRange, calendar wanted: String?
  ) async throws(Failure) -> (FoundEvents, FoundCalendar) {
    try await asking(id, calendar: wanted) { service, calendar throws(CalendarError) in
      (try await service.events(of: calendar, in: range), calendar)
    }
  }

  /// The changes since `earlier`. All events, if `earlier` is for another calendar or range, or if its sync token has expired.
  package func changes(
    of id: Identifier<Account>, in range: EventRange, calendar wanted: String?, since earlier: ChangesState?
  ) async throws(Failure) -> (CalendarChanges, FoundCalendar) {
    try await asking(id, calendar: wanted) { service, calendar throws(CalendarError) in
      let goesOn = earlier?.calendar == calendar.id && earlier?.range == range
      let token = goesOn ? earlier?.syncToken : nil
      if case .changed(let changes) = try await service.changes(of: calendar, in: range, since: token) {
        return (changes, calendar)
      }
      guard case .changed(let all) = try await service.changes(of: calendar, in: range, since: nil) else { return nil }
      return (all, calendar)
    }
  }

  /// Queries the account's calendar, or another of its calendars.
  private func asking<Found: Sendable>(
    _ id: Identifier<Account>, calendar wanted: String?,
    _ ask: (any CalendarService, FoundCalendar) async throws(CalendarError) -> Found?
  ) async throws(Failure) -> Found {
    let declared = wanted ?? workspace.manifest.accounts[id]?.calendar
    var words: (code: Diagnostic.Code, detail: String, hint: String?)?
    let found = try await asking(id) { service throws(CalendarError) -> Found? in
      let calendars = try await service.calendars()
      switch pick(id, declared, among: calendars) {
      case .chosen(let chosen), .renamed(let chosen):
        guard let calendar = calendars.first(where: { $0.id == chosen.id }) else { return nil }
        return try await ask(service, calendar)
      case let pick:
        words = AccountMessages.pick(pick, wanted: declared, of: id)
        return nil
      }
    }
    guard let found else {
      let summary = (words?.code ?? .calendarMissing).summary
      throw Failure(.failed, summary, words?.detail ?? "", hint: words?.hint)
    }
    return found
  }

  private func pick(_ id: Identifier<Account>, _ wanted: String?, among calendars: [FoundCalendar]) -> CalendarPick {
    let found = calendars.map { AccountCalendar(id: $0.id, name: $0.name, isPrimary: $0.isPrimary) }
    return CalendarPick(wanted, among: found, before: workspace.recorded.accounts[id]?.calendar)
  }

  /// Records the tokens that a service granted, and selects the calendar.
  package func record(
    _ grant: AccountGrant, of id: Identifier<Account>, timeout: Duration?,
    notifying listener: (Plan) -> ApplyRun.Listener = { _ in ApplyRun.Listener() }
  ) async throws -> ApplyResult {
    // A sign-in cannot be repeated without the user, so wait for a slow apply.
    let patience = timeout ?? .seconds(600)
    let lock = try await lock(id, patience)
    defer { withExtendedLifetime(lock) {} }
    let amending = try await RecordEdit(workspace, .signIn(id), grants: [id: grant])
    let (_, identities) = try amending.planning.needStore()
    return try await ApplyRun(
      amending.planning, identities, timeout: patience, as: "keyplan calendar sign-in",
      notifying: listener(amending.planning.plan)
    ).run()
  }
}

extension Failure {
  /// The reason that a request to a service failed.
  package init(_ error: CalendarError, _ id: Identifier<Account>, _ account: Account?) {
    let words = "calendar.\(id): \(error)."
    switch error.code {
    case .unreachable, .busy, .notAnAnswer, .endless, .elsewhere:
      self.init(.unreachable, "Service unreachable", words, hint: error.hint)
    case .otherAccount:
      let need = account.map { AccountNeed(facts: $0.facts, reason: .otherAccount, found: error.detail) }
      self.init(
        .personNeeded, "Sign-in required", need.map { "calendar.\(id): \(AccountMessages.need($0))." } ?? words,
        hint: "keyplan calendar sign-in \(id)")
    case .tokenRefused, .personNeeded, .scopeMissing:
      let hint =
        account?.signIn.needsPerson == true
        ? "keyplan calendar sign-in \(id)" : "Check the account's permissions in the service's console."
      self.init(
        .personNeeded, account?.signIn.needsPerson == true ? "Sign-in required" : "Access denied", words, hint: hint)
    case .passwordRefused: self.init(.failed, "Password rejected", words, hint: error.hint)
    case .interfaceOff, .forbidden: self.init(.failed, "Access denied", words, hint: error.hint)
    case .notFound: self.init(.failed, "Calendar not found", words, hint: error.hint)
    case .resyncNeeded, .refused: self.init(.failed, "Request rejected", words, hint: error.hint)
    }
  }
}
