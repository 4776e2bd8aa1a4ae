package import KeyplanModel

/// The records after keys were made or revoked at providers.
extension KeyRecord {
  /// The record after a key was made whose value is not used yet. The first one becomes current immediately, because a record has a value:
  /// it is pending as well, and is not used before it was checked.
  /// - Parameter number: the number of the version, the same for all parts of a key; nil for the next one of this record.
  package static func minted(
    _ facts: KeyFacts, _ fingerprint: Fingerprint, number: Int64? = nil, over old: KeyRecord?,
    after forgotten: KeyRecord?,
    revision: Int64, at now: Moment
  ) -> KeyRecord {
    guard var record = old else {
      var record = storing(
        KeyWrite(facts, .minted(isChecked: false)), fingerprint, number: number, over: nil, after: forgotten,
        revision: revision, at: now)
      record.pending = record.version
      return record
    }
    record.pending = KeyVersion(
      number: number ?? record.nextNumber, fingerprint: fingerprint, storedAt: now,
      issuedAt: issuedAt(of: fingerprint, facts, over: record), origin: facts.sources.first)
    record.revision = revision
    return record
  }

  /// The record with the pending value as the current one; nil if there is none.
  package func usingPending(_ write: KeyWrite, _ check: KeyCheck?, revision: Int64) -> KeyRecord? {
    guard var next = pending else { return nil }
    next.check = check
    let earlier = next.number == version.number ? [] : [version]
    var record = KeyRecord(
      revision: revision, facts: write.facts, version: next,
      history: Array((earlier + history).prefix(Self.historyLimit)),
      revoked: revoked)
    record.issued = issued
    return record
  }

  /// Whether recording this key for the current value changes the record. A key that keyplan created is not replaced.
  func gains(_ key: IssuedKeys.Key) -> Bool {
    guard let known = issuedKey else { return true }
    return known.label.isEmpty && known.reference != key
  }

  /// The record with this key for the current value. An earlier entry for the same key is removed: the provider replaced its value in
  /// place, and revoking it would revoke the current value.
  package func issued(as key: IssuedKeys.Key) -> KeyRecord {
    guard gains(key) else { return self }
    var record = self
    record.issued.removeAll { $0.version == version.number || $0.reference == key }
    record.issued.append(
      IssuedKey(id: key.id, label: "", place: key.place, version: version.number, mintedAt: version.storedAt))
    return record
  }

  /// Records the progress of revoking a version's key at its provider: its value is not used again.
  package mutating func end(_ issued: IssuedKey, _ stage: IssuedEnd, at now: Moment) {
    guard let ended = storedVersions.first(where: { $0.number == issued.version }) else { return }
    if let known = revocation(of: ended.fingerprint) {
      // One that is disabled stays so when the request to revoke it fails.
      guard let before = known.stage, stage != .begun || before == .begun else { return }
      revoked.removeAll { $0 == known }
    }
    revoked.append(
      Revocation(fingerprint: ended.fingerprint, version: ended.number, at: now, reason: stage.rawValue))
  }

  /// Undoes `end(_:_:at:)` if nothing was done at the provider.
  package mutating func keep(_ issued: IssuedKey) {
    revoked.removeAll { $0.version == issued.version && $0.stage == .begun }
  }

  /// The numbers of the stored versions that have a value. A value set by hand can be that of an earlier version.
  package func versions(with fingerprint: Fingerprint) -> [Int64] {
    storedVersions.filter { $0.fingerprint == fingerprint }.map(\.number)
  }
}

/// The progress of revoking a replaced key at its provider, as the reason of its revocation.
package enum IssuedEnd: String {
  /// The request may have been sent.
  case begun = "replaced, and perhaps revoked at its provider"
  case disabled = "replaced, and disabled at its provider"
  case revoked = "replaced, and revoked at its provider"
}

extension Revocation {
  /// Nil for a value that a person revoked.
  fileprivate var stage: IssuedEnd? { reason.flatMap(IssuedEnd.init) }
}
