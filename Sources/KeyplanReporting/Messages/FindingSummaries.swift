internal import KeyplanModel
package import KeyplanPlanning

extension Finding.Kind {
  /// The constant words for findings of one cause.
  package var summary: String {
    switch self {
    case .targetChanged: "Target has another value"
    case .targetMissing: "Value missing at its target"
    case .targetRewritten: "Target was changed outside"
    case .targetBehind: "Target has a previous value"
    case .targetUnwritten: "Value was not written"
    case .targetLeft: "Value left at a target"
    case .targetExposed: "Target is open to others"
    case .sourceChanged: "Source has a new value"
    case .sourceMissing: "Value missing at its source"
    case .interrupted: "Apply was interrupted"
    case .stepFailed: "Step of an apply failed"
    case .commandDue: "Command after writing failed"
    case .expired: "Key has expired"
    case .expiresSoon: "Key expires soon"
    case .issuedOutdated: "Date of another value"
    case .unexpectedFormat: "Unexpected key format"
    case .lastKeyKept: "Expired key still in use"
    case .replacedKeyValid: "Replaced key is still valid"
    case .mintLost: "Key request got no response"
    case .slotWithoutKey: "Slot has no usable key"
    case .revoked: "Key is revoked"
    case .keyInvalid: "Provider rejects the key"
    case .noCredit: "Account has no credit"
    case .partsDiffer: "Parts of different keys"
    case .valueExposed: "Value is exposed"
    case .valueRejected: "Source has the rejected value"
    case .originalLeft: "Original was not removed"
    case .signInEnded: "Sign-in has ended"
    case .testingEnded: "Sign-in of a test app ended"
    case .otherAccount: "Signed in to another account"
    case .scopesReduced: "Sign-in lacks permissions"
    case .tokenRefused: "Access token rejected"
    case .refreshRefused: "Service refused a refresh"
    case .passwordRefused: "Password rejected"
    case .accessRefused: "Access to calendars refused"
    case .rotationLost: "Response to a refresh lost"
    case .signInEndsSoon: "Sign-in expires soon"
    case .signInUnused: "Unused sign-in expires soon"
    case .signInTooOld: "Sign-in has expired"
    case .calendarGone: "Calendar not found"
    case .calendarRenamed: "Calendar renamed"
    case .calendarMisnamed: "Calendar renamed since declared"
    case .calendarChanged: "Another calendar in use"
    case .calendarUnclear: "Ambiguous calendar"
    }
  }
}
