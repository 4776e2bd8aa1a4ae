internal import KeyplanModel

/// Declared × recorded × found at the service: the third truth table.
struct AccountStage: PlanningStage {
  let context: PlanningContext
  var decisions = Decisions()
  /// The accounts for which this plan imports a token.
  private(set) var adopting: Set<Identifier<Account>> = []
  /// The accounts whose tokens this plan refreshes.
  private(set) var refreshing: Set<Identifier<Account>> = []

  init(_ context: PlanningContext) {
    self.context = context
    plan()
  }

  private mutating func plan() {
    for (id, account) in manifest.accounts.inOrder where !unsupported.contains(.calendar(id)) {
      let planned = PlannedAccount(id, account, in: recorded)
      if !account.signIn.hasTokens {
        planWithPassword(planned)
      } else if account.signIn.needsPerson {
        planWithPerson(planned)
      } else {
        planAlone(planned)
      }
    }
    planSigningOut()
  }

  private mutating func planWithPassword(_ planned: PlannedAccount) {
    switch observed.accounts[planned.id] {
    case .answered(let calendars): choose(planned, calendars)
    case .heldBack, .planOnly: addSelectionUnlessMade(planned)
    case .refused, .personNeeded, .scopeMissing:
      report(.passwordRefused(planned.account.facts.service), planned)
    case .notAllowed, .unreachable, .noSecret, .expired, .otherAccount, nil: reportTrouble(planned)
    }
  }

  /// A service account, or a client that acts for itself: it needs no person to get a token.
  private mutating func planAlone(_ planned: PlannedAccount) {
    reportRefusal(planned)
    guard let signIn = planned.record?.signIn, !signIn.isRefreshable else { return addRefresh(planned, .first) }
    reportEnd(planned)
    if planned.need(observed.accounts[planned.id], at: now) != nil { return }
    switch observed.accounts[planned.id] {
    case .answered(let calendars): choose(planned, calendars)
    case .expired: addRefresh(planned, .expired)
    case .refused: addRefresh(planned, .refused)
    case .heldBack, .planOnly:
      if signIn.isLive(at: now) { addSelectionUnlessMade(planned) } else { addRefresh(planned, .expired) }
    case .personNeeded, .scopeMissing:
      report(.accessRefused(planned.account.facts.service), planned)
    case .notAllowed, .unreachable, .noSecret, .otherAccount: reportTrouble(planned)
    case nil: if signIn.ended != nil { addRefresh(planned, .refused) }
    }
  }

  private mutating func planWithPerson(_ planned: PlannedAccount) {
    let finding = observed.accounts[planned.id]
    if let need = planned.need(finding, at: now) { return planNeed(planned, need) }
    reportRefusal(planned)
    reportEnd(planned)
    switch finding {
    case .answered(let calendars): choose(planned, calendars)
    case .expired: addRefresh(planned, .expired)
    case .refused: addRefresh(planned, .refused)
    case .heldBack, .planOnly:
      if planned.record?.signIn?.isLive(at: now) == true {
        addSelectionUnlessMade(planned)
      } else {
        addRefresh(planned, .expired)
      }
    case .notAllowed, .unreachable, .noSecret: reportTrouble(planned)
    case .personNeeded, .scopeMissing, .otherAccount, nil: break
    }
  }

  /// A refresh token from a source replaces a sign-in. Each token is imported once: a service that rotates tokens treats a
  /// second use as theft.
  private mutating func planNeed(_ planned: PlannedAccount, _ need: AccountNeed) {
    let migration = context.takeovers[planned.id]
    if let reference = migration?.original ?? planned.account.token, !planned.isSignedIn {
      switch observed.tokens[planned.id] {
      case .value(let token, _, _), .given(let token, _):
        if token != planned.record?.signIn?.adopted { return addAdoption(planned, reference, token) }
      case .notAllowed, .deferred, .contentChanged, .notAskedHere, .wanted: return addAdoption(planned, reference, nil)
      case .missing: reportMissing(planned, reference, migration)
      case .failed(_, let failure):
        report(
          .account(planned.id, .tokenFailed(reference, failure)), at: migration?.place ?? planned.account.place)
      case nil: break
      }
    }
    add(.person(.signIn(planned.id, need)), because: need.reason.cause, after: planned.surfaces)
  }

  private mutating func reportMissing(_ planned: PlannedAccount, _ reference: Reference, _ migration: Migration?) {
    if let migration {
      report(.account(planned.id, .nothingToAdopt(at: reference)), at: migration.place)
    } else if !reference.isLocal {
      report(.noToken(at: reference), planned)
    }
  }

  private mutating func addAdoption(_ planned: PlannedAccount, _ reference: Reference, _ token: Fingerprint?) {
    let surfaces = Set(planned.surfaces + manifest.surface(of: reference).map(Address.surface))
    add(
      .store(.adoptToken(planned.id, from: reference.description, planned.account.facts)),
      because: context.takeovers[planned.id] == nil ? .manifest : .migration, on: Precondition(source: token),
      after: surfaces.sorted())
    adopting.insert(planned.id)
    addRefresh(planned, .first, after: [planned.address])
  }

  private mutating func addRefresh(
    _ planned: PlannedAccount, _ reason: AccountRefresh.Reason, after: [Address] = []
  ) {
    let refresh = AccountRefresh(
      facts: planned.account.facts, reason: reason, epoch: planned.record?.signIn?.epoch ?? 0)
    let isInterrupted =
      recorded.interrupted[planned.address] != nil || planned.record?.signIn?.refreshBegan != nil
    add(
      .outside(.refresh(planned.id, refresh)),
      because: isInterrupted ? .interrupted : reason.cause,
      after: planned.surfaces + after)
    refreshing.insert(planned.id)
    addSelectionUnlessMade(planned, after: [planned.address])
  }

  /// The calendar is found when the service can be queried.
  private mutating func addSelectionUnlessMade(_ planned: PlannedAccount, after: [Address] = []) {
    guard !planned.hasItsCalendar else { return }
    add(
      planned.selection(nil), because: .manifest, after: planned.surfaces + after)
  }

  private mutating func choose(_ planned: PlannedAccount, _ calendars: [AccountCalendar]) {
    let before = planned.record?.calendar
    switch planned.pick(among: calendars) {
    case .chosen(let calendar):
      guard calendar != before else { return }
      add(
        planned.selection(calendar), because: planned.hasItsCalendar ? .drift : .manifest,
        after: planned.surfaces)
    case let pick: report(.calendar(pick, wanted: planned.account.calendar), planned)
    }
  }

  /// Signs out accounts that are no longer declared: their tokens are revoked and deleted.
  private mutating func planSigningOut() {
    let leaving = recorded.accounts.inOrder.filter {
      manifest.accounts[$0.key] == nil && !unsupported.contains(.calendar($0.key))
    }
    for (id, record) in leaving {
      add(.outside(.signOut(id, manifest.signOut(record, of: id, at: now))), because: .manifest)
    }
    guard !allowances.forget, leaving.count > 1, leaving.count == recorded.accounts.count else { return }
    report(.store(.signsOutAll(leaving.map(\.key))))
  }

  private mutating func report(_ issue: AccountIssue, _ planned: PlannedAccount) {
    report(.account(planned.id, issue), at: planned.account.place)
  }

  /// Reports the reason that an account was not checked. Its record is kept.
  private mutating func reportTrouble(_ planned: PlannedAccount) {
    switch observed.accounts[planned.id] {
    case .unreachable(let reason): report(.unreachable(reason: reason), planned)
    case .notAllowed(let reason, let hint): report(.notAllowed(reason: reason, hint: hint), planned)
    case .noSecret(let reason, let isUnreachable):
      report(.noSecret(reason: reason, isUnreachable: isUnreachable), planned)
    case .answered, .otherAccount, .expired, .refused, .personNeeded, .scopeMissing, .heldBack, .planOnly, nil: break
    }
  }

  /// Reports that the service refused the last refresh: it may refuse the next one as well.
  private mutating func reportRefusal(_ planned: PlannedAccount) {
    guard let refusal = planned.refusal(observed.accounts[planned.id], at: now) else { return }
    report(.refreshRefused(refusal, planned.account.facts), planned)
  }

  /// A sign-in that expires soon, or has expired, by the service's rules or under its own policy.
  private mutating func reportEnd(_ planned: PlannedAccount) {
    if let forecast = planned.forecast(at: now) {
      report(.signInEnds(forecast, planned.account.facts, isOver: now >= forecast.end), planned)
    }
    let renewal = SignInRenewal(planned.account)
    switch planned.policyState(at: now) {
    case .soon(let end): report(.policyEnds(on: end, isOver: false, renewal), planned)
    case .over(let end): report(.policyEnds(on: end, isOver: true, renewal), planned)
    case .fresh, nil: break
    }
  }
}

extension Manifest {
  /// The sign-out of an account. Its tokens are revoked unless they have expired already, or another account here would be signed out as
  /// well: Google revokes everything that the same person granted to the same project.
  func signOut(_ record: AccountRecord, of id: Identifier<Account>, at now: Moment) -> AccountSignOut {
    guard let signIn = record.signIn, signIn.ended == nil, signIn.isRefreshable || signIn.isLive(at: now),
      record.facts.address(of: .revoke) != nil
    else { return AccountSignOut(facts: record.facts, revokes: false) }
    let sparing = accounts.filter { $0.key != id && $0.value.facts.isSamePerson(as: record.facts) }.keys.sorted()
    return AccountSignOut(
      facts: record.facts, revokes: sparing.isEmpty, sparing: sparing.isEmpty ? nil : sparing)
  }
}

extension AccountFacts {
  fileprivate func isSamePerson(as other: AccountFacts) -> Bool {
    service == other.service && isNamed(other.account)
  }
}

extension AccountNeed.Reason {
  /// The reason for the step.
  fileprivate var cause: Cause {
    switch self {
    case .never, .changed: .manifest
    case .tooOld: .expiry
    case .ended, .sessionEnded, .personNeeded, .consentNeeded, .rotationLost, .testingEnded, .notRefreshable,
      .scopesMissing, .otherAccount:
      .drift
    }
  }
}

extension AccountRefresh.Reason {
  /// The reason for the step.
  fileprivate var cause: Cause {
    switch self {
    case .first: .manifest
    case .expired: .expiry
    case .refused: .drift
    }
  }
}
