extension PlanBuilder {
  mutating func report(_ issue: AccountIssue, _ planning: PlannedAccount) {
    report(.account(planning.id, issue), at: planning.account.place)
  }

  /// What kept an account from being asked. It keeps what is recorded.
  mutating func reportTrouble(_ planning: PlannedAccount) {
    switch observed.accounts[planning.id] {
    case .unreachable(let reason): report(.unreachable(reason: reason), planning)
    case .notAllowed(let reason, let hint): report(.notAllowed(reason: reason, hint: hint), planning)
    case .noSecret(let reason, let isUnreachable):
      report(.noSecret(reason: reason, isUnreachable: isUnreachable), planning)
    case .answered, .otherAccount, .expired, .refused, .personNeeded, .scopeMissing, .heldBack, nil: break
    }
  }

  /// A sign-in that expires soon, or has expired, by the service's rules or under its own policy.
  mutating func reportEnd(_ planning: PlannedAccount) {
    if let forecast = planning.forecast(at: now) {
      report(.signInEnds(forecast, planning.account.facts, isOver: now >= forecast.end), planning)
    }
    let renewal = SignInRenewal(planning.account)
    switch planning.policyState(at: now) {
    case .soon(let end): report(.policyEnds(on: end, isOver: false, renewal), planning)
    case .over(let end): report(.policyEnds(on: end, isOver: true, renewal), planning)
    case .fresh, nil: break
    }
  }
}
