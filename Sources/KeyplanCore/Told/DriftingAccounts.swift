extension Finding {
  /// What became of accounts behind keyplan's back. One that was never signed in, or is declared otherwise by now, is a pending
  /// change of the manifest.
  static func accounts(
    _ manifest: Manifest, _ recorded: Recorded, _ observed: Observation, _ plan: Plan, at now: Moment
  ) -> [Finding] {
    let held = Set(manifest.unsupported.map(\.address))
    return manifest.accounts.flatMap { id, account -> [Finding] in
      let planned = PlannedAccount(id, account, in: recorded)
      guard let record = planned.record, !held.contains(planned.address) else { return [] }
      let finding = observed.accounts[id]
      var findings = [Self.signIn(planned, finding, at: now), Self.lost(planned, at: now)].compactMap(\.self)
      if findings.isEmpty, let end = Self.end(planned, at: now) { findings.append(end) }
      if case .answered(let calendars) = finding, let calendar = record.calendar {
        findings += Self.calendar(planned, calendar, planned.pick(among: calendars))
      }
      return findings
    }
  }

  /// An account whose tokens are over is no finding: only an apply may get the next ones. That it was not asked is said.
  static func notAsked(_ manifest: Manifest, _ observed: Observation) -> [Diagnostic] {
    manifest.accounts.inOrder.compactMap { id, account in
      guard observed.accounts[id] == .expired else { return nil }
      return Diagnostic(
        .accountNotAsked, "\"\(id)\" has no access token that is still good, so that nobody knows how the account is.",
        hint: "keyplan calendar refresh \(id), before drift", at: account.place, of: .calendar(id))
    }
  }

  /// A refresh that began tells more of itself than the step that it belonged to.
  static func isRefreshing(_ address: Address, _ recorded: Recorded) -> Bool {
    guard case .calendar(let id) = address else { return false }
    return recorded.accounts[id]?.signIn?.refreshBegan != nil
  }

  private static func signIn(_ planned: PlannedAccount, _ finding: AccountFinding?, at now: Moment) -> Finding? {
    guard planned.account.signIn.hasTokens else {
      guard finding == .refused || finding == .personNeeded || finding == .scopeMissing else { return nil }
      let words = "\(planned.service) does not accept the user name and password any more"
      return Finding(.passwordRefused, at: planned.address, level: .broken, since: nil, detail: words)
    }
    guard planned.account.signIn.needsPerson, let reason = planned.need(finding, at: now) else {
      guard finding == .refused else { return nil }
      let words = "\(planned.service) does not accept the access token, whose time is not over"
      return Finding(.tokenRefused, at: planned.address, level: .pending, since: nil, detail: words)
    }
    let signIn = planned.record?.signIn
    switch reason {
    case .never, .changed: return nil
    case .tooOld:
      guard case .over(let end) = planned.policyState(at: now) else { return nil }
      let words = "the sign-in is past its end under its policy"
      return Finding(.signInTooOld, at: planned.address, level: .pending, since: end, detail: words)
    case .scopesMissing:
      return Finding(
        .scopesReduced, at: planned.address, level: .broken, since: nil, detail: AccountWords.missing(signIn))
    case .ended, .sessionEnded, .personNeeded, .consentNeeded, .rotationLost, .testingEnded, .notRefreshable:
      return Finding(
        reason == .testingEnded ? .testingEnded : .signInEnded, at: planned.address, level: .broken,
        since: signIn?.ended?.at,
        detail: AccountWords.ended(reason, planned.account.facts, signIn))
    }
  }

  /// A refresh may be under way in another process, for as long as that may wait for the store.
  private static func lost(_ planned: PlannedAccount, at now: Moment) -> Finding? {
    guard let signIn = planned.record?.signIn, let began = signIn.refreshBegan, signIn.ended == nil,
      now - began > Interval(seconds: 900)
    else { return nil }
    let words = "a refresh began \(began.dateAndMinute), and what it brought was lost"
    return Finding(.rotationLost, at: planned.address, level: .pending, since: began, detail: words)
  }

  private static func end(_ planned: PlannedAccount, at now: Moment) -> Finding? {
    if let forecast = planned.forecast(at: now) {
      let words = "the sign-in " + forecast.words(planned.account.facts, at: now)
      let kind: Kind = forecast.cause == .unused ? .signInUnused : .signInEndsSoon
      return Finding(kind, at: planned.address, level: .soon, since: nil, detail: words)
    }
    switch planned.policyState(at: now) {
    case .soon(let end):
      let words = "the sign-in reaches its end under its policy on \(end.date)"
      return Finding(.signInEndsSoon, at: planned.address, level: .soon, since: nil, detail: words)
    case .over(let end):
      let words = "the sign-in is past its end under its policy"
      return Finding(.signInTooOld, at: planned.address, level: .pending, since: end, detail: words)
    case .fresh, nil: return nil
    }
  }

  /// A calendar that the manifest means only since a moment ago is a pending change, and no drift.
  private static func calendar(
    _ planned: PlannedAccount, _ before: AccountCalendar, _ pick: CalendarPick
  ) -> [Finding] {
    func found(_ kind: Kind, _ level: Level, _ words: String) -> [Finding] {
      [Finding(kind, at: planned.address, level: level, since: nil, detail: words)]
    }
    switch pick {
    case .renamed(let calendar):
      return found(.calendarMisnamed, .pending, "the calendar \"\(before.name)\" is called \"\(calendar.name)\" now")
    case .gone: return found(.calendarGone, .broken, "the calendar \"\(before.name)\" is gone")
    case .chosen(let calendar) where planned.hasItsCalendar && calendar.id != before.id:
      return found(.calendarChanged, .pending, "the account's own calendar is \"\(calendar.name)\" now")
    case .chosen(let calendar) where planned.hasItsCalendar && calendar.name != before.name:
      return found(.calendarRenamed, .pending, "the calendar \"\(before.name)\" is called \"\(calendar.name)\" now")
    case .ambiguous(let ids) where planned.hasItsCalendar:
      return found(.calendarUnclear, .broken, "\(ids.count) calendars are called \"\(before.name)\" now")
    case .open where planned.hasItsCalendar: return found(.calendarGone, .broken, "the account's own calendar is gone")
    case .chosen, .ambiguous, .open, .unknown: return []
    }
  }
}
