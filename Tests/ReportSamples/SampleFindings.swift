package import KeyplanModel
package import KeyplanPlanning

extension Sample {
  /// A fact of each kind, about the place where it has one.
  package static func fact(_ kind: Finding.Kind, at place: String = "app.env") -> FindingFact {
    let destination = Destination(type: "dotenv", location: place)
    func needed(_ reason: AccountNeed.Reason, _ cause: AccountEndCause? = nil) -> FindingFact {
      .signInNeeded(AccountNeed(facts: google, reason: reason, found: nil), cause)
    }
    return switch kind {
    case .targetChanged: .valueChanged(destination)
    case .targetMissing: .valueMissing(destination)
    case .targetRewritten: .valueRewritten(destination)
    case .targetBehind:
      .valueBehind(
        destination, StepError(since: moment("2026-11-20"), reason: "No space left on device."), isSeen: true)
    case .targetUnwritten: .valueUnwritten(destination, StepError(since: moment("2026-11-20")))
    case .targetLeft: .valueLeft(destination, .undeclared, isSeen: true)
    case .targetExposed: .exposed(destination)
    case .sourceChanged: .sourceChanged("dotenv://\(place)#A")
    case .sourceMissing:
      .sourceMissing([Reference(scheme: "dotenv", location: place, selector: "A", isFile: true, isLocal: true)])
    case .interrupted: .interrupted
    case .stepFailed: .stepFailed(StepError(since: moment("2026-11-20"), reason: "The key may not create keys (403)."))
    case .commandDue:
      .commandDue(TargetHook(Reference(scheme: "command", arguments: ["systemctl", "reload", place], isLocal: true)))
    case .expired: .expired(on: moment("2026-11-01"))
    case .expiresSoon: .expiresSoon(.after(.days(90)), on: moment("2026-12-01"))
    case .issuedOutdated: .issuedOutdated(moment("2026-09-02"))
    case .unexpectedFormat: .unexpectedFormat(provider: "openai")
    case .lastKeyKept: .lastKeyKept(expiredOn: moment("2026-11-01"))
    case .replacedKeyValid:
      .replacedKeyValid(IssuedKeys(keys: [IssuedKeys.Key(place: Destination(type: place, location: ""), id: "id-1")]))
    case .mintLost:
      .mintLost(
        MintAttempt(place: Destination(type: place, location: ""), label: "keyplan/x/a/7", began: moment("2026-11-20")))
    case .slotWithoutKey: .slotWithoutKey(key("a"), isRevoked: false)
    case .revoked: .revoked(revocation)
    case .keyInvalid: .refusedByProvider(check)
    case .noCredit: .noCredit(KeyCheck(.noCredit, at: now - .days(2)))
    case .partsDiffer:
      .partsDiffer(key("a"), [PartVersion(key("a.id"), made: 2), PartVersion(key("a.secret"), made: nil)])
    case .valueExposed: .valueExposed(exposed(on: "2026-12-01"))
    case .valueRejected: .rejectedValue(nil)
    case .originalLeft: .originalLeft(place)
    case .signInEnded: needed(.ended)
    case .testingEnded: needed(.testingEnded, .testing(days: 7))
    case .otherAccount: needed(.otherAccount)
    case .scopesReduced: needed(.scopesMissing)
    case .tokenRefused: .tokenRefused(.google)
    case .passwordRefused: .passwordRefused(.caldav)
    case .accessRefused: .accessRefused(.google)
    case .rotationLost: .answerLost(sentAt: moment("2026-11-20"))
    case .signInEndsSoon: .policyEnds(on: moment("2026-12-01"), isOver: false)
    case .signInUnused: unused
    case .refreshRefused:
      .refreshRefused(
        AccountRefusal(.secretExpired, code: "invalid_client, AADSTS7000222", since: moment("2026-11-20")), .google,
        until: nil)
    case .signInTooOld: .policyEnds(on: moment("2026-11-01"), isOver: true)
    case .calendarGone: .calendarGone("Team")
    case .calendarRenamed: .calendarRenamed(from: "Team", to: place, isNamed: false)
    case .calendarMisnamed: .calendarRenamed(from: "Team", to: place, isNamed: true)
    case .calendarChanged: .calendarReplaced("Team")
    case .calendarUnclear: .calendarUnclear("Team", count: 2)
    }
  }

  package static var check: KeyCheck { KeyCheck(.invalid, at: now - .days(2)) }

  package static var revocation: Revocation {
    Revocation(fingerprint: fingerprint(7), version: 2, at: moment("2026-11-20"), reason: "leaked in a log")
  }

  /// A value that a removed recipient knows.
  package static func exposed(on end: String, at now: String = "2026-11-21") -> ExposedValue {
    ExposedValue(
      [Exposure(recipient: recipient("anna"), since: moment("2026-11-01"))], end: moment(end), at: moment(now))
  }

  /// A sign-in that ends on 2026-12-01, because nothing uses it.
  private static var unused: FindingFact {
    let signIn = SignInRecord(
      signedInAt: moment("2026-06-04"), access: .absent, isRefreshable: true, isTesting: false, epoch: 1)
    guard let forecast = AccountForecast(google, signIn) else { return .interrupted }
    return .signInEnds(forecast, google, isOver: false)
  }
}
