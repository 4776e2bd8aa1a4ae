internal import KeyplanApply
package import KeyplanCore
package import KeyplanSecrets

/// Fingerprints for a plan where no store is yet: under a random root that nobody keeps. What is recorded is then nothing.
package struct ThrowawayKeys: Fingerprinting {
  private let keys = Keyring().keys

  /// A fresh root; its fingerprints equal those of no other.
  package init() {}

  /// The fingerprint of a value in the domain of one key's record.
  package func fingerprint(_ value: SecretBox, of key: Identifier<Key>) -> Fingerprint {
    keys.fingerprint(value, in: keys.id(of: key))
  }

  /// The fingerprint of a token in the domain of one account's record.
  package func fingerprint(_ token: SecretBox, of account: Identifier<Account>) -> Fingerprint {
    keys.fingerprint(token, in: keys.id(of: account))
  }
}
