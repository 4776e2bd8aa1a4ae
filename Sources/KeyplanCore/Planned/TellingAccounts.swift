extension PlanBuilder {
  /// What kept an account from being asked. It keeps what is recorded.
  mutating func tellTrouble(_ planning: PlannedAccount) {
    func say(_ code: Diagnostic.Code, _ words: String, hint: String? = nil) {
      tell(code, "\"\(planning.id)\": \(words)", hint: hint, at: planning.account.place, of: planning.address)
    }
    switch observed.accounts[planning.id] {
    case .unreachable(let reason): say(.accountUnreachable, reason)
    case .notAllowed(let reason, let hint): say(.accountNotAllowed, reason, hint: hint)
    case .noSecret(let reason, let isUnreachable): say(isUnreachable ? .sourceUnreachable : .secretNotFound, reason)
    case .answered, .otherAccount, .expired, .refused, .personNeeded, .scopeMissing, .heldBack, nil: break
    }
  }

  /// That a sign-in nears its end, under the service's rules or under its own policy.
  mutating func tellEnd(_ planning: PlannedAccount) {
    if let forecast = planning.forecast(at: now) {
      tell(
        now >= forecast.end ? .signInExpired : .signInEndsSoon,
        "The sign-in of \"\(planning.id)\" \(forecast.words(planning.account.facts, at: now)).",
        hint: forecast.cause.hint(planning.id), at: planning.account.place, of: planning.address)
    }
    switch planning.policyState(at: now) {
    case .soon(let end):
      tell(
        .signInEndsSoon, "The sign-in of \"\(planning.id)\" expires under its policy on \(end.date).",
        hint: planning.renewal, at: planning.account.place, of: planning.address)
    case .over(let end):
      tell(
        .signInExpired, "The sign-in of \"\(planning.id)\" expired under its policy on \(end.date).",
        hint: planning.renewal, at: planning.account.place, of: planning.address)
    case .fresh, nil: break
    }
  }

  /// Why no calendar is chosen, or that one is called otherwise.
  mutating func tell(_ pick: CalendarPick, _ planning: PlannedAccount) {
    guard let words = AccountMessages.pick(pick, wanted: planning.account.calendar, of: planning.id) else { return }
    tell(words.code, words.detail, hint: words.hint, at: planning.account.place, of: planning.address)
  }
}

extension PlannedAccount {
  /// How the sign-in begins anew.
  fileprivate var renewal: String { AccountMessages.renewal(id, account) }
}

extension AccountForecast {
  /// What happens when, as the end of a sentence.
  func words(_ facts: AccountFacts, at now: Moment) -> String {
    let verb = now >= end ? "was to end" : "ends"
    switch cause {
    case .testing: return "\(verb) on \(end.date), 7 days after consent: the app is in testing at Google"
    case .unused:
      let life = facts.unusedLife?.spoken ?? "long"
      return "\(verb) on \(end.date), if nothing uses it: \(facts.service.spoken) ends what is unused for \(life)"
    case .granted: return "\(verb) on \(end.date): it was granted until then"
    }
  }
}

extension AccountForecast.Cause {
  /// What helps against it.
  func hint(_ id: Identifier<Account>) -> String {
    switch self {
    case .testing: "Publish the app in Google's console, then: keyplan calendar sign-in \(id)"
    case .unused: "keyplan calendar refresh \(id)"
    case .granted: "keyplan calendar sign-in \(id)"
    }
  }
}
