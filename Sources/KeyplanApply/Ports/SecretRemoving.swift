public import KeyplanCore
public import KeyplanSecrets

/// A source from which a secret can be taken away, once it is kept elsewhere.
public protocol SecretRemoving: SecretSource {
  /// Takes out what stands at a reference, with nothing else, if it is still this value. Nothing there is no error.
  /// - Throws: `RemovalFailure`; the place is then as it was.
  func remove(_ reference: Reference, holding value: SharedSecret) async throws(RemovalFailure)
}

/// Why a secret could not be taken away.
public struct RemovalFailure: Error, Hashable, Sendable {
  /// Whether its place could not be reached, as opposed to being refused.
  public let isUnreachable: Bool
  /// A sentence without a value.
  public let reason: String

  /// Nothing is checked.
  public init(isUnreachable: Bool = false, reason: String) {
    self.isUnreachable = isUnreachable
    self.reason = reason
  }
}
