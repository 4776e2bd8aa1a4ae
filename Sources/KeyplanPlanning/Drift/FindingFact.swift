package import KeyplanModel

/// A finding of drift, with all data that its text needs.
package enum FindingFact: Hashable, Sendable {
  /// A name at the place has another value than the recorded one.
  /// - isForgotten: here and below whether the record of its key was forgotten, and the next apply stores the key again.
  case valueChanged(Destination, isForgotten: Bool = false)
  /// A name is missing at the place.
  case valueMissing(Destination, isForgotten: Bool = false)
  /// The place shows that a value was changed, and not which one it is.
  case valueRewritten(Destination, isForgotten: Bool = false)
  /// A name at the place has an earlier value of keyplan's, and another one is wanted.
  /// - isSeen: whether that was seen there, or only follows from the records.
  case valueBehind(Destination, StepError?, isSeen: Bool)
  /// A name at the place has no value of keyplan's yet, because the last write failed.
  case valueUnwritten(Destination, StepError)
  /// A name at the place has a value of keyplan's that no longer belongs there.
  /// - isSeen: whether it was seen there, or only follows from the records.
  /// - isReplaced: whether the next apply writes another value there, instead of removing this one.
  case valueLeft(Destination, LeftReason, isSeen: Bool, isReplaced: Bool = false)
  /// The place's file is open to other users, and nothing declares that.
  case exposed(Destination)
  /// The source, as recorded, has a new value.
  case sourceChanged(String?)
  /// The keys that the value is made of have other values now.
  case partsChanged([Identifier<Key>])
  /// None of the sources has the value any more.
  case sourceMissing([Reference])
  /// The source has a value that an accept or a rollback rejected.
  case rejectedValue(Reference?)
  case refusedValue(Reference?, KeyCheck)
  /// The source has an earlier value, which was revoked.
  case revokedValue(Reference?, Revocation)
  /// An apply was interrupted.
  case interrupted
  /// The last step at the provider or the service failed.
  case stepFailed(StepError)
  /// The command after writes to the target has not succeeded since one.
  case commandDue(TargetHook)
  case expired(on: Moment)
  /// An apply retired it, and a target that names it has no other.
  case retired(since: Moment)
  /// It has expired, and the next apply retires it.
  case retiredNext
  /// It has expired, and the next apply replaces it.
  case rotationDue
  case expiresSoon(Expiry.Limit, on: Moment)
  /// The date of issue in the manifest belongs to another value.
  case issuedOutdated(Moment)
  /// The recorded value does not look like a key of this provider.
  case unexpectedFormat(provider: String)
  /// It expires soon at its provider, and the next apply renews it.
  case renewalDue(end: Moment)
  /// It was replaced, and is due to be revoked at its provider.
  case replacedKeyValid(IssuedKeys)
  /// The response to a request for a key was lost.
  case mintLost(MintAttempt)
  /// It has expired and is kept, because a slot or a target has no other.
  case lastKeyKept(expiredOn: Moment)
  /// The slot's only key is retired, or its value revoked.
  case slotWithoutKey(Identifier<Key>, isRevoked: Bool)
  /// The value is revoked and has no replacement yet.
  case revoked(Revocation)
  /// The provider does not accept the value, and it has no replacement yet.
  case refusedByProvider(KeyCheck)
  /// The provider knows the value, and its account has no credit.
  case noCredit(KeyCheck)
  /// The provider no longer has the key, although it has not expired.
  case leaseEnded(at: String)
  /// The values of the parts are not of one key at the provider. The name is that of the key in the manifest.
  case partsDiffer(Identifier<Key>, [PartVersion])
  /// The value is known to a recipient who can no longer open the store.
  case valueExposed(ExposedValue)
  /// An adopted value is still at its original place.
  case originalLeft(String)

  case passwordRefused(AccountFacts.Service)
  case accessRefused(AccountFacts.Service)
  /// The service rejects an access token that has not expired.
  case tokenRefused(AccountFacts.Service)
  /// A person must sign in; with the probable cause of the end of the previous sign-in.
  case signInNeeded(AccountNeed, AccountEndCause?)
  /// The service refused the last refresh for a reason that a new sign-in does not fix. `until`: the end of a valid access token.
  case refreshRefused(AccountRefusal, AccountFacts.Service, until: Moment?)
  /// A refresh was sent, and no answer was stored.
  case answerLost(sentAt: Moment)
  /// The sign-in ends by itself, or has ended.
  case signInEnds(AccountForecast, AccountFacts, isOver: Bool)
  /// The sign-in expires, or has expired, under the account's own policy.
  case policyEnds(on: Moment, isOver: Bool)

  /// The chosen calendar has another name now.
  /// - isNamed: whether the manifest names it as it was.
  case calendarRenamed(from: String, to: String, isNamed: Bool)
  /// The chosen calendar is gone; nil for the account's own.
  case calendarGone(String?)
  /// Another calendar is the account's own now.
  case ownCalendarChanged(to: String)
  /// The name is another calendar's now, while the chosen one has another name.
  case calendarNameMoved(String)
  /// The chosen calendar is gone, and another has its name.
  case calendarReplaced(String)
  /// Several calendars have the chosen one's name.
  case calendarUnclear(String, count: Int)

  /// The date of the expiry, the end or the deadline; nil for findings without one.
  var date: Moment? {
    switch self {
    case .expired(let date), .expiresSoon(_, let date), .renewalDue(let date), .lastKeyKept(let date),
      .policyEnds(let date, _):
      date
    case .valueExposed(let value): value.end
    case .signInEnds(let forecast, _, _): forecast.end
    case .refreshRefused(_, _, let end): end
    default: nil
    }
  }

  var kind: Finding.Kind {
    switch self {
    case .valueChanged: .targetChanged
    case .valueMissing: .targetMissing
    case .valueRewritten: .targetRewritten
    case .valueBehind: .targetBehind
    case .valueUnwritten: .targetUnwritten
    case .valueLeft: .targetLeft
    case .exposed: .targetExposed
    case .sourceChanged, .partsChanged: .sourceChanged
    case .sourceMissing: .sourceMissing
    case .rejectedValue, .refusedValue: .valueRejected
    case .revokedValue: .revoked
    case .interrupted: .interrupted
    case .stepFailed: .stepFailed
    case .commandDue: .commandDue
    case .expired, .retired, .retiredNext, .rotationDue: .expired
    case .expiresSoon, .renewalDue: .expiresSoon
    case .issuedOutdated: .issuedOutdated
    case .unexpectedFormat: .unexpectedFormat
    case .replacedKeyValid: .replacedKeyValid
    case .mintLost: .mintLost
    case .lastKeyKept: .lastKeyKept
    case .slotWithoutKey: .slotWithoutKey
    case .revoked: .revoked
    case .refusedByProvider, .leaseEnded: .keyInvalid
    case .noCredit: .noCredit
    case .partsDiffer: .partsDiffer
    case .valueExposed: .valueExposed
    case .originalLeft: .originalLeft
    case .passwordRefused: .passwordRefused
    case .accessRefused: .accessRefused
    case .tokenRefused: .tokenRefused
    case .signInNeeded(let need, _): need.reason.kind
    case .refreshRefused: .refreshRefused
    case .answerLost: .rotationLost
    case .signInEnds(let forecast, _, let isOver):
      isOver ? .signInTooOld : forecast.cause == .unused ? .signInUnused : .signInEndsSoon
    case .policyEnds(_, let isOver): isOver ? .signInTooOld : .signInEndsSoon
    case .calendarRenamed(_, _, let isNamed): isNamed ? .calendarMisnamed : .calendarRenamed
    case .calendarGone: .calendarGone
    case .ownCalendarChanged, .calendarNameMoved, .calendarReplaced: .calendarChanged
    case .calendarUnclear: .calendarUnclear
    }
  }
}

/// The reason that a value of keyplan's no longer belongs under a name at a target.
package enum LeftReason: Hashable, Sendable {
  /// Nothing declares it there.
  case undeclared
  /// Its key was retired.
  case retired(since: Moment)
  case revoked(Revocation)
}

extension AccountNeed.Reason {
  fileprivate var kind: Finding.Kind {
    switch self {
    case .tooOld: .signInTooOld
    case .scopesMissing: .scopesReduced
    case .otherAccount: .otherAccount
    case .testingEnded: .testingEnded
    case .never, .changed, .ended, .sessionEnded, .personNeeded, .consentNeeded, .rotationLost, .notRefreshable:
      .signInEnded
    }
  }
}
