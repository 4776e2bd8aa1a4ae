internal import KeyplanModel

extension Finding {
  /// Changes of accounts outside of keyplan. One that was never signed in, or is now declared differently, is a pending change of the
  /// manifest.
  static func accounts(
    _ manifest: Manifest, _ recorded: Recorded, _ observed: Observation, _ plan: Plan, at now: Moment
  ) -> [Finding] {
    let held = Set(manifest.unsupported.map(\.address))
    return manifest.accounts.flatMap { id, account -> [Finding] in
      let planned = PlannedAccount(id, account, in: recorded)
      guard let record = planned.record, !held.contains(planned.address) else { return [] }
      let finding = observed.accounts[id]
      var findings = [
        Self.signIn(planned, finding, at: now), Self.refused(planned, finding, at: now),
        Self.lost(planned, observed, at: now),
      ].compactMap(\.self)
      if findings.isEmpty, let end = Self.end(planned, at: now) { findings.append(end) }
      if case .answered(let calendars) = finding, let calendar = record.calendar {
        findings += Self.calendar(planned, calendar, calendars)
      }
      return findings
    }
  }

  /// An account that was not checked is neither a finding nor in order: it is reported as unknown.
  static func notAsked(_ manifest: Manifest, _ observed: Observation, at now: Moment) -> [Diagnostic] {
    let held = Set(manifest.unsupported.map(\.address))
    return manifest.accounts.inOrder.compactMap { id, account in
      guard !held.contains(.calendar(id)) else { return nil }
      let planned = PlannedAccount(id, account, in: observed.recorded)
      // A finding reports the cause.
      guard planned.refusal(observed.accounts[id], at: now) == nil else { return nil }
      let gap: AccountIssue.Gap
      switch (observed.accounts[id], planned.record?.signIn) {
      case (.expired, .some): gap = .expired
      case (.heldBack, _): gap = .notAllowed
      case (.planOnly, _): gap = .planOnly
      case (nil, nil) where account.signIn.needsPerson:
        let renewal = SignInRenewal(account)
        gap = planned.need(nil, at: now)?.reason == .changed ? .signedInOtherwise(renewal) : .neverSignedIn(renewal)
      case (nil, nil) where account.signIn.hasTokens: gap = .noToken
      default: return nil
      }
      return Diagnostic(.account(id, .notChecked(gap)), at: account.place)
    }
  }

  /// A refresh that began is reported as such, and not as an interrupted step.
  static func isRefreshing(_ address: Address, _ recorded: Recorded) -> Bool {
    guard case .calendar(let id) = address else { return false }
    return recorded.accounts[id]?.signIn?.refreshBegan != nil
  }

  private static func signIn(_ planned: PlannedAccount, _ finding: AccountFinding?, at now: Moment) -> Finding? {
    let service = planned.account.facts.service
    guard planned.account.signIn.hasTokens else {
      guard finding == .refused || finding == .personNeeded || finding == .scopeMissing else { return nil }
      return Finding(.passwordRefused(service), at: planned.address, level: .broken, since: nil)
    }
    guard let need = planned.need(finding, at: now) else {
      if finding == .scopeMissing || finding == .personNeeded {
        return Finding(.accessRefused(service), at: planned.address, level: .broken, since: nil)
      }
      guard finding == .refused else { return nil }
      return Finding(.tokenRefused(service), at: planned.address, level: .pending, since: nil)
    }
    let signIn = planned.record?.signIn
    let (level, since): (Level, Moment?)
    switch need.reason {
    case .never, .changed: return nil
    case .tooOld:
      guard case .over(let end) = planned.policyState(at: now) else { return nil }
      (level, since) = (.pending, end)
    case .scopesMissing: (level, since) = (.broken, nil)
    case .otherAccount, .testingEnded, .ended, .sessionEnded, .personNeeded, .consentNeeded, .rotationLost,
      .notRefreshable:
      (level, since) = (.broken, signIn?.ended?.at)
    }
    var cause: AccountEndCause?
    if need.reason == .ended || need.reason == .testingEnded, let signIn, let end = signIn.ended {
      cause = AccountEndCause(end, need.facts, signIn)
    }
    return Finding(.signInNeeded(need, cause), at: planned.address, level: level, since: since)
  }

  private static func refused(_ planned: PlannedAccount, _ finding: AccountFinding?, at now: Moment) -> Finding? {
    guard let refusal = planned.refusal(finding, at: now) else { return nil }
    let until: Moment? = if case .answered = finding { planned.record?.signIn?.accessEnd } else { nil }
    return Finding(
      .refreshRefused(refusal, planned.account.facts.service, until: until), at: planned.address, level: .broken,
      since: refusal.since)
  }

  /// A refresh whose answer was not stored. If the account's lock is locked, the refresh is in progress; if the lock's state is unknown, the
  /// refresh gets as much time as it may wait for the store.
  private static func lost(_ planned: PlannedAccount, _ observed: Observation, at now: Moment) -> Finding? {
    guard let signIn = planned.record?.signIn, signIn.ended == nil else { return nil }
    func found(_ began: Moment) -> Finding {
      Finding(.answerLost(sentAt: began), at: planned.address, level: .pending, since: began)
    }
    guard let began = signIn.refreshBegan else { return signIn.unanswered.map(found) }
    let isUnderWay = observed.refreshing?.contains(planned.id) ?? (now - began <= Interval(seconds: 900))
    return isUnderWay ? nil : found(began)
  }

  private static func end(_ planned: PlannedAccount, at now: Moment) -> Finding? {
    func found(_ fact: FindingFact, over end: Moment?) -> Finding {
      Finding(fact, at: planned.address, level: end == nil ? .soon : .pending, since: end)
    }
    if let forecast = planned.forecast(at: now) {
      let isOver = now >= forecast.end
      return found(
        .signInEnds(forecast, planned.account.facts, isOver: isOver), over: isOver ? forecast.end : nil)
    }
    switch planned.policyState(at: now) {
    case .soon(let end): return found(.policyEnds(on: end, isOver: false), over: nil)
    case .over(let end): return found(.policyEnds(on: end, isOver: true), over: end)
    case .fresh, nil: return nil
    }
  }

  /// A calendar that the manifest means only since a moment ago is a pending change, and no drift.
  private static func calendar(
    _ planned: PlannedAccount, _ before: AccountCalendar, _ calendars: [AccountCalendar]
  ) -> [Finding] {
    func found(_ fact: FindingFact, _ level: Level) -> [Finding] {
      [Finding(fact, at: planned.address, level: level, since: nil)]
    }
    switch planned.pick(among: calendars) {
    case .renamed(let calendar):
      return found(.calendarRenamed(from: before.name, to: calendar.name, isNamed: true), .pending)
    case .gone: return found(.calendarGone(before.name), .broken)
    case .chosen(let calendar) where planned.hasItsCalendar && calendar.id != before.id:
      guard planned.account.calendar != nil else { return found(.ownCalendarChanged(to: calendar.name), .pending) }
      let isThere = calendars.contains { $0.id == before.id }
      return found(isThere ? .calendarNameMoved(calendar.name) : .calendarReplaced(before.name), .pending)
    case .chosen(let calendar) where planned.hasItsCalendar && calendar.name != before.name:
      return found(.calendarRenamed(from: before.name, to: calendar.name, isNamed: false), .pending)
    case .ambiguous(let ids) where planned.hasItsCalendar:
      return found(.calendarUnclear(before.name, count: ids.count), .broken)
    case .open where planned.hasItsCalendar: return found(.calendarGone(nil), .broken)
    case .chosen, .ambiguous, .open, .unknown: return []
    }
  }
}
