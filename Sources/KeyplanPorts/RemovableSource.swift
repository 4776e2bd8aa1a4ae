package import KeyplanModel
package import KeyplanSecrets

/// A source from which a secret can be taken away, once it is kept elsewhere.
package protocol RemovableSource: SecretSource {
  /// Removes the value at a reference, and nothing else, if it is still this value. A missing value is not an error.
  /// - Throws: `AccessFailure`; the place is then as it was.
  func remove(_ reference: Reference, holding value: SecretBox) async throws(AccessFailure)

  /// Removes what an interrupted removal by this program left beside the place. By default there is nothing.
  func removeLeftovers(at reference: Reference) async
}

extension RemovableSource {
  /// Does nothing.
  package func removeLeftovers(at reference: Reference) async {}
}
