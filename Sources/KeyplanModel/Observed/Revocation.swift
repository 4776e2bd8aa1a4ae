/// A value of a key that is no longer used, wherever it still is.
package struct Revocation: Hashable, Sendable, Codable {
  /// The fingerprint of the value, in the domain of its key.
  package let fingerprint: Fingerprint
  /// The number of the version that was current.
  package let version: Int64
  /// The time of the revocation.
  package let at: Moment
  /// The reason, in the words of the person who revoked it.
  package let reason: String?

  package init(fingerprint: Fingerprint, version: Int64, at: Moment, reason: String? = nil) {
    self.fingerprint = fingerprint
    self.version = version
    self.at = at
    self.reason = reason
  }

  /// The maximum length of a reason, in bytes.
  package static let reasonLimit = 200
}

extension KeyRecord {
  /// The revocation of a value; nil if it can be used.
  package func revocation(of fingerprint: Fingerprint) -> Revocation? {
    revoked.isEmpty ? nil : revoked.first { $0.fingerprint == fingerprint }
  }

  /// The revocation of the current value.
  package var revocation: Revocation? { revocation(of: version.fingerprint) }
}

extension Recorded {
  /// The record that a key has, or had when it was last forgotten. Forgetting a key does not make a revoked value usable again.
  package func latestRecord(of id: Identifier<Key>) -> KeyRecord? {
    keys[id] ?? forgotten.last { $0.key == id }?.record
  }

  /// The revocation of a value of a key; nil if the value can be used.
  package func revocation(of fingerprint: Fingerprint, for id: Identifier<Key>) -> Revocation? {
    latestRecord(of: id)?.revocation(of: fingerprint)
  }
}
