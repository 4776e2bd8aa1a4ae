package import KeyplanModel
package import KeyplanPlanning
package import KeyplanPorts

/// The reason that a step that was tried is not done. Reasons and hints are sentences of the edge that met them, without a value.
package enum StepFailure: Error, Hashable, Sendable {
  /// A place outside did not take it, or could not be asked.
  case outside(AccessFailure)
  /// A place did not take one name, and as many more; some of all names may be done.
  case nameRefused(String, AccessFailure, more: Int, NamesDone)
  /// A place did not say whether one name, and as many more, were written.
  case unconfirmed(String, at: Destination, more: Int, NamesDone, reason: String?)
  /// The program that follows a change at a target did not succeed. What was written there stays.
  case hook(AccessFailure)
  /// A place does not show a name that it was written under.
  case notShown(String, at: Destination)
  /// A place shows nothing of what is to be accepted.
  case notReadable(Destination)
  /// A place takes smaller values only; some of all names may be done.
  case tooLarge(String, at: Destination, limit: Int, NamesDone?)
  /// A place has other values under these names.
  case taken([String], at: Destination, of: Identifier<Target>)
  /// Names that are withdrawn have values there that this program did not write. These stay there and in the record; the rest is done.
  case leftInPlace([String], at: Destination, of: Identifier<Target>)
  /// None of these sources has a value.
  case noValue(at: [Reference])
  /// The value was revoked.
  case revokedValue(Revocation, of: Address)
  /// It cannot be made of the values of other keys.
  case uncomposed(CompositionFault)
  /// It needs values that only other recipients can open; some of all names may be done.
  case closed([ClosedValue], NamesDone?)
  /// The original has sign-ins of others, too.
  case holdsOthers(Reference)
  /// The store did not take it.
  case store(StoreError)
  /// It was done, and the store did not record it.
  case notRecorded(StoreError)
  /// The store returns another value than the one it was given.
  case otherValueKept(Identifier<Key>)
  /// The store returns another token than the one it was given, or none.
  case otherTokenKept(Identifier<Account>, isMissing: Bool)
  /// A service or a secret's source says no.
  case reported(reason: String, hint: String? = nil, isUnreachable: Bool)
  /// A provider made a key without all of its values.
  case incompleteKey(Destination)
  /// A key may have been made there, and no declared connection leads there any more.
  case noConnection(Destination)
  /// A service returned no token; with its own code, which may be empty.
  case noToken(AccountFacts.Service, code: String)
  /// A service refused a refresh for a reason that a new sign-in does not fix.
  case refreshRefused(AccountRefusal, AccountFacts.Service)
  /// A service rejects the account's credentials.
  case credentialsRejected(AccountFacts.Service)
  /// No calendar can be chosen.
  case calendar(CalendarPick, wanted: String?, of: Identifier<Account>)
  /// A service could not be asked to revoke tokens.
  case revocationUnavailable(reason: String, of: Identifier<Account>)
  /// This version cannot do it.
  case unsupported(Feature)

  /// Features that this version may lack.
  package enum Feature: Hashable, Sendable {
    /// Asking calendar services.
    case calendarServices
    /// Targets of this type.
    case targets(type: String)
    /// Removing values from sources of this scheme.
    case removal(scheme: String)
    /// Running programs after changes at targets.
    case hooks
    /// Asking providers about new values.
    case checks
    /// Making and revoking keys at providers.
    case issuers
  }

  /// The number of names of a step that are done.
  package struct NamesDone: Hashable, Sendable {
    package let done: Int
    /// Of how many.
    package let all: Int

    package init(done: Int, all: Int) {
      self.done = done
      self.all = all
    }
  }

  /// Whether something was unreachable, so that waiting can help.
  package var isUnreachable: Bool {
    switch self {
    case .outside(let failure), .nameRefused(_, let failure, _, _): failure.kind.isOutage
    case .unconfirmed, .notShown, .revocationUnavailable: true
    case .store(let error): error.code == .unreachable
    case .reported(_, _, let isUnreachable): isUnreachable
    case .hook, .notReadable, .tooLarge, .taken, .leftInPlace, .noValue, .revokedValue, .uncomposed, .closed,
      .holdsOthers,
      .notRecorded,
      .otherValueKept,
      .otherTokenKept,
      .noToken, .refreshRefused, .credentialsRejected, .calendar, .unsupported, .incompleteKey, .noConnection:
      false
    }
  }

  /// Whether the identity in use cannot do it, and that of another recipient can.
  package var needsOtherRecipient: Bool {
    switch self {
    case .closed: true
    case .store(let error): error.code == .otherRecipients
    default: false
    }
  }

  /// The kind of a failure outside; nil where it is none.
  package var kind: AccessFailure.Kind? {
    switch self {
    case .outside(let failure), .nameRefused(_, let failure, _, _): failure.kind
    case .unconfirmed, .notShown: .unreachable
    default: nil
    }
  }
}

/// The change since a step was planned.
package enum StaleReason: Hashable, Sendable {
  /// This is another than it was.
  case changed(Subject)
  /// One name at a place is another than it was; some of all names may be done.
  case entryChanged(String, at: Destination, StepFailure.NamesDone)
  /// Another place has the name of the one that was written to.
  case replaced(Destination)
  /// It is declared differently.
  case redeclared(Address)
  /// It is no longer declared.
  case undeclared(Address)
  /// It is no longer recorded.
  case notRecorded(Address)
  /// The values of these keys were revoked.
  case keysRevoked([Identifier<Key>])
  /// These keys are no longer recorded.
  case keysNotRecorded([Identifier<Key>])
  /// Somebody signed in.
  case signedIn(Identifier<Account>)
  /// Somebody signed in for another account, or it is no longer recorded.
  case signedInOtherwise(Address)
  /// The access token has expired.
  case tokenExpired(Address)
  /// The service was not asked.
  case notAsked
  /// It is no longer allowed.
  case notAllowed
  /// The migration for this was carried out.
  case migrated(Address)
  /// The migration for this is no longer declared.
  case migrationUndeclared(Address)
  /// The version is no longer kept.
  case versionGone(Int64, of: Address)
  /// The retention of a forgotten record has ended.
  case forgottenGone(Address)
  /// A source has no value any more.
  case noValue(Reference)
  /// A source has no token any more.
  case noToken(Reference)
  /// The value that was given by hand is no longer available.
  case notGiven(Address)
  /// The original has a value that the store does not have.
  case otherValue(Reference)
  /// The original has a token that the account was not signed in with.
  case otherToken(Reference, Identifier<Account>)
  /// The service has not accepted the account's token yet.
  case tokenUnused(AccountFacts.Service, Identifier<Account>)

  /// The subject of the change.
  package enum Subject: Hashable, Sendable {
    /// The record or declaration at an address.
    case record(Address)
    /// The content of a target's place.
    case place(Destination)
    /// The value of a source.
    case source(Reference)
    /// The file of a source in a checkout.
    case file(Reference)
    /// The files that a surface item names.
    case files(ExternalAccess)
    /// The terms under which an access must be allowed.
    case terms(ExternalAccess)
    /// The value for a key.
    case value(Address)
    /// The token for an account.
    case token(Identifier<Account>)
    /// The calendars of an account.
    case calendars(Address)
  }
}

/// The reason that a step was not tried.
package enum StepObstacle: Hashable, Sendable {
  /// Errors hold the whole plan back.
  case heldBack
  /// It waits for something that is not done.
  case dependency(Address)
  case interrupted
  /// The run ended before it.
  case runEnded
  /// The store would not go on.
  case store(StoreError)
  /// Only the sign-in of the plan was wanted.
  case signInFirst
}
