package import KeyplanModel

/// A finding about the store as a whole: its recipients, and the number of deletions.
package enum StoreIssue: Hashable, Sendable {
  /// There would be no recipients.
  case noRecipients
  /// It could not be opened without a key management service.
  case onlyKeyServices
  /// The identity in use, here its public key, could no longer open it.
  case losesAccess(identity: String)
  /// A fresh root key needs values that only other recipients can open.
  case closedValues([ClosedValue])
  /// Some recipients are post-quantum, and these are not.
  case notPostQuantum([Identifier<Recipient>])
  /// These recipients could only plan, and are removed.
  case plannersLeave([Identifier<Recipient>])
  /// All recorded keys would be forgotten.
  case forgetsAll([Identifier<Key>])
  /// More of all recorded keys would be forgotten than the limit allows.
  case forgetsMany([Identifier<Key>], of: Int)
  /// More of all synced names would be withdrawn than the limit allows.
  case withdrawsMany([String], of: Int)
  /// All recorded calendar accounts would be signed out.
  case signsOutAll([Identifier<Account>])

  var code: Diagnostic.Code {
    switch self {
    case .noRecipients, .onlyKeyServices, .losesAccess: .recipientsRefused
    case .closedValues: .valueClosed
    case .notPostQuantum: .notPostQuantum
    case .plannersLeave: .plannerRemoved
    case .forgetsAll: .keyProtected
    case .forgetsMany, .withdrawsMany, .signsOutAll: .forgetLimit
    }
  }

  var address: Address? {
    switch self {
    case .noRecipients, .onlyKeyServices, .losesAccess, .closedValues, .notPostQuantum, .plannersLeave:
      .recipients
    case .forgetsAll, .forgetsMany, .withdrawsMany, .signsOutAll: nil
    }
  }

  var order: String {
    switch self {
    case .noRecipients, .onlyKeyServices, .losesAccess, .closedValues, .notPostQuantum, .plannersLeave: ""
    case .forgetsAll, .forgetsMany: "1"
    case .withdrawsMany: "2"
    case .signsOutAll: "3"
    }
  }
}

/// A finding about a migration.
package enum MigrationIssue: Hashable, Sendable {
  /// The original contains other sign-ins, too.
  case holdsOthers(Reference, Identifier<Account>)
  /// The original is still needed in its place.
  case stillNeeded(Reference, by: Address)
  /// The original differs from the adopted value; it stays.
  case otherValue(Reference, Migration.Successor)
  /// The original was unreachable or unusable, and stays.
  case notRemoved(Reference, AccessFailure)

  var code: Diagnostic.Code {
    switch self {
    case .holdsOthers, .stillNeeded: .removalRefused
    case .otherValue: .changedByOthers
    case .notRemoved(_, let failure): failure.sourceCode
    }
  }
}

/// A finding about a permission.
package enum AccessIssue: Hashable, Sendable {
  /// The permission would depend on the content of a file that cannot be determined.
  case contentUnknown(_ name: String, FileTerm.Reason)
}
