package import KeyplanModel
package import KeyplanPorts
package import KeyplanSecrets

/// Fingerprints for a plan without a store, under a random root key that is never stored.
package struct ThrowawayKeys: Fingerprinting, FileDigesting {
  private let keys: EpochKeys

  /// Creates a new root key, whose fingerprints match no others.
  /// - Throws: `io` if the cryptographic library fails.
  package init() throws(StoreError) { keys = try Keyring().subkeys() }

  /// The fingerprint of a value in the domain of one key's record.
  package func fingerprint(_ value: SecretBox, of key: Identifier<Key>) -> Fingerprint {
    keys.fingerprint(value, in: keys.id(of: key))
  }

  /// The fingerprint of a token in the domain of one account's record.
  package func fingerprint(_ token: SecretBox, of account: Identifier<Account>) -> Fingerprint {
    keys.fingerprint(token, in: keys.id(of: account))
  }

  /// Equals that of no store.
  package func digest(ofFile bytes: [UInt8]) -> [UInt8]? { Array(keys.planCode(bytes).prefix(16)) }
}
