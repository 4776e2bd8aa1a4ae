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
      var findings = [Self.signIn(planned, finding, at: now), Self.lost(planned, observed, at: now)].compactMap(\.self)
      if findings.isEmpty, let end = Self.end(planned, at: now) { findings.append(end) }
      if case .answered(let calendars) = finding, let calendar = record.calendar {
        findings += Self.calendar(planned, calendar, calendars)
      }
      return findings
    }
  }

  /// An account that was not asked is not a finding, and not in order either: that nothing is known of it is said.
  static func notAsked(_ manifest: Manifest, _ observed: Observation, at now: Moment) -> [Diagnostic] {
    let held = Set(manifest.unsupported.map(\.address))
    return manifest.accounts.inOrder.compactMap { id, account in
      guard !held.contains(.calendar(id)) else { return nil }
      let planned = PlannedAccount(id, account, in: observed.recorded)
      let words: (detail: String, hint: String)
      switch (observed.accounts[id], planned.record?.signIn) {
      case (.expired, .some):
        words = ("\"\(id)\" has no valid access token.", "keyplan calendar refresh \(id), before drift")
      case (.heldBack, _):
        words = ("\"\(id)\" needs hosts, files or commands that nobody has allowed yet.", "keyplan apply")
      case (nil, nil) where account.signIn.needsPerson:
        let isOther = planned.need(nil, at: now)?.reason == .changed
        words = (
          isOther
            ? "\"\(id)\" was signed in for another account, client or address." : "\"\(id)\" was never signed in.",
          AccountMessages.renewal(id, account)
        )
      case (nil, nil) where account.signIn.hasTokens:
        words = ("\"\(id)\" has no access token yet.", "keyplan apply")
      default: return nil
      }
      return Diagnostic(
        .accountNotAsked, "\(words.detail) The state of the account is unknown.", hint: words.hint, at: account.place,
        of: .calendar(id))
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
    guard let need = planned.need(finding, at: now) else {
      guard finding == .refused else { return nil }
      let words = "\(planned.service) does not accept the access token, whose time is not over"
      return Finding(.tokenRefused, at: planned.address, level: .pending, since: nil, detail: words)
    }
    let signIn = planned.record?.signIn
    func found(_ kind: Kind, since: Moment?) -> Finding {
      Finding(
        kind, at: planned.address, level: .broken, since: since, detail: AccountMessages.ended(need, signIn))
    }
    switch need.reason {
    case .never, .changed: return nil
    case .tooOld:
      guard case .over(let end) = planned.policyState(at: now) else { return nil }
      return Finding(
        .signInTooOld, at: planned.address, level: .pending, since: end, detail: AccountMessages.need(need))
    case .scopesMissing: return found(.scopesReduced, since: nil)
    case .otherAccount: return found(.otherAccount, since: signIn?.ended?.at)
    case .testingEnded: return found(.testingEnded, since: signIn?.ended?.at)
    case .ended, .sessionEnded, .personNeeded, .consentNeeded, .rotationLost, .notRefreshable:
      return found(.signInEnded, since: signIn?.ended?.at)
    }
  }

  /// A refresh of which no answer was stored. One that holds its account's lock is under way; where nobody knows who does, it is
  /// given as long as it may wait for the store.
  private static func lost(_ planned: PlannedAccount, _ observed: Observation, at now: Moment) -> Finding? {
    guard let signIn = planned.record?.signIn, signIn.ended == nil else { return nil }
    func found(_ began: Moment) -> Finding {
      let words = "a refresh was sent at \(began.dateAndMinute)Z, and its answer was lost"
      return Finding(.rotationLost, at: planned.address, level: .pending, since: began, detail: words)
    }
    guard let began = signIn.refreshBegan else { return signIn.unanswered.map(found) }
    let isUnderWay = observed.refreshing?.contains(planned.id) ?? (now - began <= Interval(seconds: 900))
    return isUnderWay ? nil : found(began)
  }

  private static func end(_ planned: PlannedAccount, at now: Moment) -> Finding? {
    if let forecast = planned.forecast(at: now) {
      let words = "the sign-in " + forecast.words(planned.account.facts, at: now)
      if now >= forecast.end {
        return Finding(.signInTooOld, at: planned.address, level: .pending, since: forecast.end, detail: words)
      }
      let kind: Kind = forecast.cause == .unused ? .signInUnused : .signInEndsSoon
      return Finding(kind, at: planned.address, level: .soon, since: nil, detail: words)
    }
    switch planned.policyState(at: now) {
    case .soon(let end):
      let words = "the sign-in expires under its policy on \(end.date)"
      return Finding(.signInEndsSoon, at: planned.address, level: .soon, since: nil, detail: words)
    case .over(let end):
      let words = "the sign-in expired under its policy"
      return Finding(.signInTooOld, at: planned.address, level: .pending, since: end, detail: words)
    case .fresh, nil: return nil
    }
  }

  /// A calendar that the manifest means only since a moment ago is a pending change, and no drift.
  private static func calendar(
    _ planned: PlannedAccount, _ before: AccountCalendar, _ calendars: [AccountCalendar]
  ) -> [Finding] {
    func found(_ kind: Kind, _ level: Level, _ words: String) -> [Finding] {
      [Finding(kind, at: planned.address, level: level, since: nil, detail: words)]
    }
    switch planned.pick(among: calendars) {
    case .renamed(let calendar):
      return found(.calendarMisnamed, .pending, "the calendar \"\(before.name)\" is called \"\(calendar.name)\" now")
    case .gone: return found(.calendarGone, .broken, "the calendar \"\(before.name)\" is gone")
    case .chosen(let calendar) where planned.hasItsCalendar && calendar.id != before.id:
      guard planned.account.calendar != nil else {
        return found(.calendarChanged, .pending, "the account's own calendar is \"\(calendar.name)\" now")
      }
      let words =
        calendars.contains { $0.id == before.id }
        ? "the name \"\(calendar.name)\" belongs to another calendar now"
        : "the calendar \"\(before.name)\" is gone, and another one has its name"
      return found(.calendarChanged, .pending, words)
    case .chosen(let calendar) where planned.hasItsCalendar && calendar.name != before.name:
      return found(.calendarRenamed, .pending, "the calendar \"\(before.name)\" is called \"\(calendar.name)\" now")
    case .ambiguous(let ids) where planned.hasItsCalendar:
      return found(.calendarUnclear, .broken, "\(ids.count) calendars are called \"\(before.name)\" now")
    case .open where planned.hasItsCalendar: return found(.calendarGone, .broken, "the account's own calendar is gone")
    case .chosen, .ambiguous, .open, .unknown: return []
    }
  }
}
