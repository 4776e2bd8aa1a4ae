package import KeyplanModel

/// A finding about a calendar account. Reasons and hints are those of the service's module.
package enum AccountIssue: Hashable, Sendable {
  case unreachable(reason: String)
  /// The service rejects this client or account.
  case notAllowed(reason: String, hint: String?)
  /// The service refused the last refresh for a reason that a new sign-in does not fix.
  case refreshRefused(AccountRefusal, AccountFacts)
  /// A secret that the service wants could not be read.
  case noSecret(reason: String, isUnreachable: Bool)
  case passwordRefused(AccountFacts.Service)
  /// A sign-in without a person is not allowed to read calendars.
  case accessRefused(AccountFacts.Service)
  /// The sign-in ends by itself, or has ended.
  case signInEnds(AccountForecast, AccountFacts, isOver: Bool)
  /// The sign-in expires, or has expired, under the account's own policy.
  case policyEnds(on: Moment, isOver: Bool, SignInRenewal)
  /// Its tokens are known to a recipient who can no longer open the store.
  case exposed(ExposedValue)
  /// No calendar can be chosen, or the chosen one has another name than the wanted one.
  case calendar(CalendarPick, wanted: String?)
  /// There is no token to adopt.
  case nothingToAdopt(at: Reference)
  /// There is no token at its source.
  case noToken(at: Reference)
  /// The source of its token was unreachable or unusable.
  case tokenFailed(Reference, AccessFailure)
  /// It is signed out and still declared.
  case stillDeclared
  /// Its service was not queried, so that its state is unknown.
  case notChecked(Gap)

  /// The reason that a service was not queried.
  package enum Gap: Hashable, Sendable {
    /// The access token has expired.
    case expired
    /// The required permissions were not granted by an apply yet.
    case notAllowed
    /// The identity in use can only plan.
    case planOnly
    /// There is no sign-in yet.
    case neverSignedIn(SignInRenewal)
    /// The sign-in is for another account, client or address.
    case signedInOtherwise(SignInRenewal)
    /// No token was fetched yet.
    case noToken
  }

  var code: Diagnostic.Code {
    switch self {
    case .unreachable: .accountUnreachable
    case .notAllowed: .accountNotAllowed
    case .refreshRefused: .refreshRefused
    case .noSecret(_, let isUnreachable): isUnreachable ? .sourceUnreachable : .secretNotFound
    case .passwordRefused, .accessRefused: .accountRefused
    case .exposed: .valueExposed
    case .signInEnds(_, _, let isOver), .policyEnds(_, let isOver, _): isOver ? .signInExpired : .signInEndsSoon
    case .calendar(let pick, _): pick.code ?? .calendarUnclear
    case .nothingToAdopt, .noToken: .secretNotFound
    case .tokenFailed(_, let failure): failure.sourceCode
    case .stillDeclared: .stillDeclared
    case .notChecked: .accountNotAsked
    }
  }
}

/// The way to renew a sign-in.
package enum SignInRenewal: Hashable, Sendable {
  /// A person signs in.
  case person
  /// The credential works without a person: it is signed out, and the next apply signs it in.
  case apply

  package init(_ account: Account) { self = account.signIn.needsPerson ? .person : .apply }
}

extension CalendarPick {
  /// The code that a pick is reported with; nil if it is simply the chosen one.
  package var code: Diagnostic.Code? {
    switch self {
    case .chosen: nil
    case .renamed: .calendarRenamed
    case .gone, .unknown: .calendarMissing
    case .ambiguous, .open: .calendarUnclear
    }
  }
}
