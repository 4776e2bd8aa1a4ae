extension PlanBuilder {
  /// Declared × recorded × found at the service: the third truth table.
  mutating func planAccounts() {
    for (id, account) in manifest.accounts.inOrder where !unsupported.contains(.calendar(id)) {
      let planning = PlannedAccount(id, account, in: recorded)
      if !account.signIn.hasTokens {
        planWithPassword(planning)
      } else if account.signIn.needsPerson {
        planWithPerson(planning)
      } else {
        planAlone(planning)
      }
    }
    planSigningOut()
  }

  private mutating func planWithPassword(_ planning: PlannedAccount) {
    switch observed.accounts[planning.id] {
    case .answered(let calendars): choose(planning, calendars)
    case .heldBack: addSelectionUnlessMade(planning)
    case .refused, .personNeeded, .scopeMissing:
      report(.passwordRefused(planning.account.facts.service), planning)
    case .notAllowed, .unreachable, .noSecret, .expired, .otherAccount, nil: reportTrouble(planning)
    }
  }

  /// A service account, or a client in its own name: it gets what it needs by itself.
  private mutating func planAlone(_ planning: PlannedAccount) {
    guard let signIn = planning.record?.signIn, !signIn.isRefreshable else { return addRefresh(planning, .first) }
    reportEnd(planning)
    if planning.need(observed.accounts[planning.id], at: now) != nil { return }
    switch observed.accounts[planning.id] {
    case .answered(let calendars): choose(planning, calendars)
    case .expired: addRefresh(planning, .expired)
    case .refused: addRefresh(planning, .refused)
    case .heldBack:
      if signIn.isLive(at: now) { addSelectionUnlessMade(planning) } else { addRefresh(planning, .expired) }
    case .personNeeded, .scopeMissing:
      report(.accessRefused(planning.account.facts.service), planning)
    case .notAllowed, .unreachable, .noSecret, .otherAccount: reportTrouble(planning)
    case nil: if signIn.ended != nil { addRefresh(planning, .refused) }
    }
  }

  private mutating func planWithPerson(_ planning: PlannedAccount) {
    let finding = observed.accounts[planning.id]
    if let need = planning.need(finding, at: now) { return planNeed(planning, need) }
    reportEnd(planning)
    switch finding {
    case .answered(let calendars): choose(planning, calendars)
    case .expired: addRefresh(planning, .expired)
    case .refused: addRefresh(planning, .refused)
    case .heldBack:
      if planning.record?.signIn?.isLive(at: now) == true {
        addSelectionUnlessMade(planning)
      } else {
        addRefresh(planning, .expired)
      }
    case .notAllowed, .unreachable, .noSecret: reportTrouble(planning)
    case .personNeeded, .scopeMissing, .otherAccount, nil: break
    }
  }

  /// A refresh token out of a source stands in for a person, once: the same one never twice, because a service that rotates
  /// tokens takes a second use for a theft.
  private mutating func planNeed(_ planning: PlannedAccount, _ need: AccountNeed) {
    let migration = takeovers[planning.id]
    if let reference = migration?.original ?? planning.account.token, !planning.isSignedIn {
      switch observed.tokens[planning.id] {
      case .value(let token, _, _), .given(let token, _):
        if token != planning.record?.signIn?.adopted { return addAdoption(planning, reference, token) }
      case .notAllowed, .deferred, .contentChanged, .notAskedHere: return addAdoption(planning, reference, nil)
      case .missing: reportMissing(planning, reference, migration)
      case .failed(_, let failure):
        report(
          .account(planning.id, .tokenFailed(reference, failure)), at: migration?.place ?? planning.account.place)
      case nil: break
      }
    }
    add(.authorize(need), at: planning.address, because: need.reason.cause, after: planning.surfaces)
  }

  private mutating func reportMissing(_ planning: PlannedAccount, _ reference: Reference, _ migration: Migration?) {
    if let migration {
      report(.account(planning.id, .nothingToAdopt(at: reference)), at: migration.place)
    } else if !reference.isLocal {
      report(.noToken(at: reference), planning)
    }
  }

  private mutating func addAdoption(_ planning: PlannedAccount, _ reference: Reference, _ token: Fingerprint?) {
    let surfaces = Set(planning.surfaces + manifest.surface(of: reference).map(Address.surface))
    add(
      .adoptToken(from: reference.description, planning.account.facts), at: planning.address,
      because: takeovers[planning.id] == nil ? .manifest : .migration, on: Precondition(source: token),
      after: surfaces.sorted())
    adopting.insert(planning.id)
    addRefresh(planning, .first, after: [planning.address])
  }

  private mutating func addRefresh(
    _ planning: PlannedAccount, _ reason: AccountRefresh.Reason, after: [Address] = []
  ) {
    let refresh = AccountRefresh(
      facts: planning.account.facts, reason: reason, epoch: planning.record?.signIn?.epoch ?? 0)
    let isInterrupted =
      recorded.interrupted[planning.address] != nil || planning.record?.signIn?.refreshBegan != nil
    add(
      .refresh(refresh), at: planning.address,
      because: isInterrupted ? .interrupted : reason.cause,
      after: planning.surfaces + after)
    refreshing.insert(planning.id)
    addSelectionUnlessMade(planning, after: [planning.address])
  }

  /// Which calendar it is turns out when the service can be asked.
  private mutating func addSelectionUnlessMade(_ planning: PlannedAccount, after: [Address] = []) {
    guard !planning.hasItsCalendar else { return }
    add(
      planning.selection(nil), at: planning.address, because: .manifest, after: planning.surfaces + after)
  }

  private mutating func choose(_ planning: PlannedAccount, _ calendars: [AccountCalendar]) {
    let before = planning.record?.calendar
    switch planning.pick(among: calendars) {
    case .chosen(let calendar):
      guard calendar != before else { return }
      add(
        planning.selection(calendar), at: planning.address, because: planning.hasItsCalendar ? .drift : .manifest,
        after: planning.surfaces)
    case let pick: report(.calendar(pick, wanted: planning.account.calendar), planning)
    }
  }

  /// The tokens of an account that is no longer declared are revoked and forgotten.
  private mutating func planSigningOut() {
    let leaving = recorded.accounts.inOrder.filter {
      manifest.accounts[$0.key] == nil && !unsupported.contains(.calendar($0.key))
    }
    for (id, record) in leaving {
      add(.signOut(manifest.signOut(record, of: id, at: now)), at: .calendar(id), because: .manifest)
    }
    guard !allowances.forget, leaving.count > 1, leaving.count == recorded.accounts.count else { return }
    report(.store(.signsOutAll(leaving.map(\.key))))
  }
}

extension Manifest {
  /// How an account leaves. Its tokens are revoked unless they are dead already, or another account here would be signed out with
  /// it: at Google that ends whatever the same person granted to the same project.
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
  /// Why the step is planned.
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
  /// Why the step is planned.
  fileprivate var cause: Cause {
    switch self {
    case .first: .manifest
    case .expired: .expiry
    case .refused: .drift
    }
  }
}
