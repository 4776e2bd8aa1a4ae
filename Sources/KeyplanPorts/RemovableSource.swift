package import KeyplanModel
package import KeyplanSecrets

/// A source from which a secret can be removed, once it is stored elsewhere.
package protocol RemovableSource: SecretSource {
  /// Removes the value at a reference, and nothing else, if it still has this value. A missing value is not an error.
  /// - Throws: `AccessFailure`; the place is then unchanged.
  func remove(_ reference: Reference, holding value: SecretBox) async throws(AccessFailure)

  /// Removes files that an interrupted removal by this program left next to the place. By default there are none.
  func removeLeftovers(at reference: Reference) async
}

extension RemovableSource {
  /// Does nothing.
  package func removeLeftovers(at reference: Reference) async {}
}
