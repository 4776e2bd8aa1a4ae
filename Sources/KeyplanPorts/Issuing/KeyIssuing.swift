package import KeyplanModel

/// Makes, lists, disables and revokes the keys of a provider, through one connection.
package protocol KeyIssuing: Sendable {
  /// The connection that it uses. A place's `type` is the connection's name.
  var connection: Connection { get }

  /// Whether keys have a label, by which they are found again. Otherwise only a comparison with the ids that were listed before shows which
  /// key is new.
  var hasLabels: Bool { get }

  /// The time for which a new key may be missing from the list. None by default.
  var listDelay: Interval { get }

  /// All keys of a place. A provider without a list has none to show.
  /// - Throws: `KeyIssuerFailure` unless the list is complete; of kind *unsupported* if there is none.
  func list(at place: Destination) async throws(KeyIssuerFailure) -> [ListedKey]

  /// Makes a key. The request is sent once, whatever its answer is.
  /// - Throws: `KeyIssuerFailure`; of kind *unknown* if a key may have been made.
  func mint(_ label: String, at place: Destination) async throws(KeyIssuerFailure) -> MintedKey

  /// The ids of all keys with exactly one of these labels, by label: the keys of requests whose answers were lost. The keys are listed once.
  /// - Throws: `KeyIssuerFailure`; of kind *unsupported* if keys have no labels.
  func orphans(of labels: [String], at place: Destination) async throws(KeyIssuerFailure) -> [String: [String]]

  /// Makes a key unusable, in such a way that a person can undo it.
  /// - Parameter label: the label that it was made with, which some providers need again.
  func disable(_ id: String, label: String, at place: Destination) async throws(KeyIssuerFailure) -> IssuedKeyEnd

  /// Revokes a key permanently.
  func revoke(_ id: String, at place: Destination) async throws(KeyIssuerFailure) -> IssuedKeyEnd

  /// Extends the lifetime of a key. Its values stay.
  /// - Returns: the new expiry date, if the provider gives one.
  /// - Throws: `KeyIssuerFailure`; of kind *unsupported*, as it does by default, if the provider's keys cannot be renewed.
  func renew(_ id: String, at place: Destination) async throws(KeyIssuerFailure) -> Moment?

  /// Whether a key that can be renewed still exists. Nothing is made or changed.
  /// - Returns: nil, as it does by default, if the provider gives no information about that.
  func exists(_ id: String, at place: Destination) async throws(KeyIssuerFailure) -> Bool?
}

extension KeyIssuing {
  /// None: most providers list a key as soon as it is made.
  package var listDelay: Interval { Interval(seconds: 0) }

  /// Throws: most providers' keys cannot be renewed.
  package func renew(_ id: String, at place: Destination) async throws(KeyIssuerFailure) -> Moment? {
    throw KeyIssuerFailure(.unsupported, "The provider's keys cannot be renewed.")
  }

  /// Nil.
  package func exists(_ id: String, at place: Destination) async throws(KeyIssuerFailure) -> Bool? { nil }
}

/// The result of disabling or revoking a key.
package enum IssuedKeyEnd: Hashable, Sendable {
  /// It is disabled or revoked now.
  case done
  /// It was not there any more.
  case alreadyGone
}
