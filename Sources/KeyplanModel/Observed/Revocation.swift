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
  /// The key whose value was revoked, if this value is made of it. Never recorded: it follows from that key's record.
  package private(set) var part: Identifier<Key>?

  private enum CodingKeys: String, CodingKey { case fingerprint, version, at, reason }

  package init(fingerprint: Fingerprint, version: Int64, at: Moment, reason: String? = nil) {
    self.fingerprint = fingerprint
    self.version = version
    self.at = at
    self.reason = reason
  }

  /// The revocation of a value that is made of this one.
  func inherited(by version: KeyVersion, from key: Identifier<Key>) -> Revocation {
    var revocation = Revocation(fingerprint: version.fingerprint, version: version.number, at: at, reason: reason)
    revocation.part = part ?? key
    return revocation
  }

  /// The maximum length of a reason, in bytes.
  package static let reasonLimit = 200
}

extension KeyRecord {
  /// The revocation of a value, or of one that it is made of; nil if it can be used.
  package func revocation(of fingerprint: Fingerprint) -> Revocation? {
    if !revoked.isEmpty, let own = revoked.first(where: { $0.fingerprint == fingerprint }) { return own }
    return inherited?.revocations.first { $0.fingerprint == fingerprint }
  }

  /// The revoked values, with those that are made of a revoked one.
  package var allRevoked: [Revocation] { revoked + (inherited?.revocations ?? []) }

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
