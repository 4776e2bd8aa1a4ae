/// What making and ending keys at providers leaves in the records.
extension KeyRecord {
  /// The record once a key was made whose value is not used yet. The first one is current at once, because a record has a value: it is
  /// pending, too, and nothing uses it before it was checked.
  package static func minted(
    _ facts: KeyFacts, _ fingerprint: Fingerprint, over old: KeyRecord?, after forgotten: KeyRecord?, revision: Int64,
    at now: Moment
  ) -> KeyRecord {
    guard var record = old else {
      var record = storing(
        KeyWrite(minted: facts, isChecked: false), fingerprint, over: nil, after: forgotten, revision: revision, at: now
      )
      record.pending = record.version
      return record
    }
    record.pending = KeyVersion(
      number: record.nextNumber, fingerprint: fingerprint, storedAt: now, origin: facts.sources.first)
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

  /// Records that a key was revoked at its provider: its value is not used again.
  package mutating func end(_ issued: IssuedKey, at now: Moment) {
    guard let ended = ([version] + history).first(where: { $0.number == issued.version }),
      revocation(of: ended.fingerprint) == nil
    else { return }
    revoked.append(
      Revocation(
        fingerprint: ended.fingerprint, version: ended.number, at: now, reason: "replaced, and revoked at its provider")
    )
  }
}
