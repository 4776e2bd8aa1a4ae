public import KeyplanCore
public import KeyplanSecrets

/// A source from which a secret can be taken away, once it is kept elsewhere.
public protocol RemovableSource: SecretSource {
  /// Takes out what stands at a reference, with nothing else, if it is still this value. Nothing there is no error.
  /// - Throws: `AccessFailure`; the place is then as it was.
  func remove(_ reference: Reference, holding value: SecretBox) async throws(AccessFailure)
}
