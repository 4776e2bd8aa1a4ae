package import KeyplanModel
package import KeyplanSecrets

/// Checks new values with the providers of their keys before they are stored.
package protocol ValueChecking: Sendable {
  /// Checks each value once. Values without a verdict were not checked.
  func check(_ values: [UncheckedValue]) async -> [Identifier<Key>: CheckVerdict]
}

/// A value that is to be stored if its provider accepts it.
package struct UncheckedValue: Sendable {
  /// The key that it is for.
  package let key: Identifier<Key>
  /// The declared facts of the key.
  package let facts: KeyFacts
  /// The date of issue that the manifest declares for this value.
  package let issuedAt: Moment?
  /// The value.
  package let value: SecretBox

  package init(_ key: Identifier<Key>, _ facts: KeyFacts, issuedAt: Moment?, _ value: SecretBox) {
    (self.key, self.facts, self.issuedAt, self.value) = (key, facts, issuedAt, value)
  }
}

/// Whether a new value may be used. Reasons are sentences without a value.
package enum CheckVerdict: Sendable {
  /// The provider accepts it.
  case accepted(KeyCheck)
  /// The provider does not accept it, and will not.
  case refused(KeyCheck, reason: String)
  /// The provider does not accept it yet, or its answer is unclear.
  case undecided(reason: String, isUnreachable: Bool)

  package var isAccepted: Bool { if case .accepted = self { true } else { false } }
}
