package import KeyplanModel
package import KeyplanPorts

/// A service, reached through one connection. One instance exists per connection and run, so that what it learns, such as a
/// sign-in, is shared by the source and the target.
package protocol RemoteBackend: Sendable {
  /// Nil if nothing is read from the service.
  var source: (any SecretSource)? { get }

  /// Nil if nothing is written to the service.
  var target: (any SecretTarget)? { get }

  /// Nil if the service makes no keys.
  var issuer: (any KeyIssuing)? { get }

  /// Signs in unless that has been done, and requests the name of the account.
  func signedInAs() async -> SignedInAs

  /// Ends the sign-ins of this run, as far as the service can.
  func signOut() async
}

extension RemoteBackend {
  package var issuer: (any KeyIssuing)? { nil }

  package func signOut() async {}
}

/// The identity that a connection is signed in as.
package enum SignedInAs: Hashable, Sendable {
  /// In the service's own words: `user ci-bot`.
  case known(String)
  /// With the machine's own credential, which was found in this step of the vendor's search.
  case found(owner: String?, step: String)
  /// The credential works; the service does not say whose it is.
  case unnamed
  /// The service cannot be asked without a place; nothing was sent.
  case notAsked
  case failed(AccessFailure)
}
