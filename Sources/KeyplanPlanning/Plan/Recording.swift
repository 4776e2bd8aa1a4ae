package import KeyplanModel

/// The records after a step. Pure, so that the interpreter only has to carry values from place to place.
/// `revision` is the serial of the commit that writes the record, so that no revision is used twice.
extension KeyRecord {
  /// The record with a new version of the value; the previous version becomes history. A new value ends a retirement, and the rejection of
  /// another value. Facts about values are kept: revocations, and who knows them.
  /// - Parameters:
  ///   - number: the number of the version; nil for the next one of this key alone.
  ///   - forgotten: the record that the key had before it was forgotten, if it has none now.
  package static func storing(
    _ write: KeyWrite, _ fingerprint: Fingerprint, from origin: String? = nil, number: Int64? = nil,
    over old: KeyRecord?, after forgotten: KeyRecord? = nil, revision: Int64, at now: Moment
  ) -> KeyRecord {
    storing(
      fingerprint, from: origin ?? write.origin, number, write.facts, over: old, after: forgotten, revision: revision,
      issuedAt: write.issuedAt, at: now)
  }

  private static func storing(
    _ fingerprint: Fingerprint, from origin: String?, _ number: Int64?, _ facts: KeyFacts, over old: KeyRecord?,
    after forgotten: KeyRecord? = nil, revision: Int64, issuedAt date: Moment? = nil, at now: Moment
  ) -> KeyRecord {
    let known = old ?? forgotten
    let version = KeyVersion(
      number: number ?? old?.nextNumber ?? 1, fingerprint: fingerprint, storedAt: now,
      issuedAt: date ?? issuedAt(of: fingerprint, facts, over: known), origin: origin,
      exposures: known?.exposures(of: fingerprint) ?? [])
    let history = old.map { [$0.version] + $0.history } ?? []
    var record = KeyRecord(
      revision: revision, facts: facts, version: version, history: Array(history.prefix(historyLimit)),
      revoked: known?.revoked ?? [])
    // A key that was made at the provider still exists, whatever the value is now.
    if let old {
      record.pending = old.pending
      // A value that an earlier version had is of that version's key, which is in use again.
      let again = Set(([old.version] + old.history).filter { $0.fingerprint == fingerprint }.map(\.number))
      record.issued = again.isEmpty ? old.issued : old.issued.map { again.contains($0.version) ? $0.of(version) : $0 }
    }
    return record
  }

  /// The number of the next version. Not only above the current one: after a rollback the history may have higher numbers, a key
  /// may be made and not yet used, and both values and keys at the provider are kept by number.
  var nextNumber: Int64 {
    1 + ([version, pending].compactMap { $0?.number } + history.map(\.number) + issued.map(\.version)).reduce(0, max)
  }

  /// The record with a value accepted from a target. The value of an earlier version makes that version current again.
  /// - Parameter number: the number of a new version; nil for the next one of this key alone.
  package func accepting(
    _ acceptance: KeyAcceptance, _ fingerprint: Fingerprint, number: Int64? = nil, revision: Int64, at now: Moment
  ) -> KeyRecord {
    if let earlier = history.first(where: { $0.fingerprint == fingerprint }),
      let record = rolledBack(
        KeyRollback(to: earlier.number, was: version.number, rejected: acceptance.rejected), revision: revision)
    {
      return record
    }
    var record = Self.storing(
      fingerprint, from: acceptance.address.description, number, facts, over: self, revision: revision, at: now)
    record.rejected = acceptance.rejected
    return record
  }

  /// The record with an earlier version as the current one, in use again; nil if that version is not kept, or revoked. The version keeps its
  /// number and its time: the value does not become younger.
  package func rolledBack(_ rollback: KeyRollback, revision: Int64) -> KeyRecord? {
    guard let earlier = history.first(where: { $0.number == rollback.to }), revocation(of: earlier.fingerprint) == nil
    else { return nil }
    var record = KeyRecord(
      revision: revision, facts: facts, version: earlier,
      history: [version] + history.filter { $0.number != earlier.number }, rejected: rollback.rejected,
      revoked: revoked)
    (record.issued, record.pending) = (issued, pending)
    return record
  }

  /// The number of the version before the current one that is not revoked; nil if none is kept.
  package var previous: Int64? {
    history.lazy.filter { $0.number < version.number && revocation(of: $0.fingerprint) == nil }.map(\.number).max()
  }

  /// The record with other facts and the same value.
  /// - Parameter origin: the source in which a deferred write found the value; nil for the one that the write names.
  package func updating(_ write: KeyWrite, from origin: String? = nil, revision: Int64) -> KeyRecord {
    var record = self
    record.revision = revision
    record.version.issuedAt = write.issuedAt ?? issuedAt(under: write.facts)
    record.facts = write.facts
    if let origin = origin ?? write.origin {
      record.version = KeyVersion(
        number: version.number, fingerprint: version.fingerprint, storedAt: version.storedAt,
        issuedAt: record.version.issuedAt, origin: origin, exposures: version.exposures, check: version.check,
        missedFormat: version.missedFormat, parts: version.parts)
    }
    return record
  }

  /// The record after the provider has checked the current value.
  package func checked(_ check: KeyCheck, revision: Int64) -> KeyRecord {
    var record = self
    record.revision = revision
    record.version.check = check
    return record
  }

  /// The record once the provider refused a new value, which is not stored.
  package func refusing(_ fingerprint: Fingerprint, _ check: KeyCheck, revision: Int64) -> KeyRecord {
    var record = self
    record.revision = revision
    (record.rejected, record.refusal) = (fingerprint, check)
    return record
  }

  /// The record of a key whose current value is revoked.
  package func revoking(reason: String?, revision: Int64, at now: Moment) -> KeyRecord {
    var record = self
    record.revision = revision
    if revocation == nil {
      record.revoked.append(
        Revocation(fingerprint: version.fingerprint, version: version.number, at: now, reason: reason))
    }
    return record
  }

  /// The record of a key that is out of use.
  package func retiring(revision: Int64, at now: Moment) -> KeyRecord {
    var record = self
    record.revision = revision
    record.retiredAt = now
    return record
  }
}

extension TargetRecord {
  /// The record after values were written; `fingerprints` has one for each entry's key, in that key's domain.
  package static func syncing(
    _ write: TargetWrite, _ fingerprints: [Identifier<Key>: Fingerprint], _ marks: [String: Mark] = [:],
    placeId: String? = nil, over old: TargetRecord?, revision: Int64, at now: Moment
  ) -> TargetRecord {
    var entries = old.map { $0.destination == write.destination ? $0.entries : [:] } ?? [:]
    for entry in write.entries {
      guard let fingerprint = fingerprints[entry.key] else { continue }
      entries[entry.name] = Entry(key: entry.key, fingerprint: fingerprint, syncedAt: now, mark: marks[entry.name])
    }
    let known = old.flatMap { $0.destination == write.destination ? $0.placeId : nil }
    return TargetRecord(
      revision: revision, destination: write.destination, entries: entries, placeId: placeId ?? known)
  }

  /// The record after a value that keyplan did not write is left under a name.
  package func keeping(_ mark: Mark, under name: String, revision: Int64) -> TargetRecord? {
    guard let entry = entries[name] else { return nil }
    var record = self
    record.revision = revision
    record.entries[name] = Entry(
      key: entry.key, fingerprint: entry.fingerprint, syncedAt: entry.syncedAt, mark: entry.mark, kept: mark)
    return record
  }

  /// The record once the value under one name is that of its key.
  package func accepting(
    _ acceptance: KeyAcceptance, _ fingerprint: Fingerprint, revision: Int64, at now: Moment
  ) -> TargetRecord? {
    guard destination == acceptance.destination, let entry = entries[acceptance.name] else { return nil }
    var record = self
    record.revision = revision
    record.entries[acceptance.name] = Entry(key: entry.key, fingerprint: fingerprint, syncedAt: now)
    return record
  }

  /// The record after names were removed; nil if none is left.
  package func withdrawing(_ removal: TargetRemoval, revision: Int64) -> TargetRecord? {
    forgetting(removal.names + removal.released, revision: revision)
  }

  /// The record without these names; nil once none is left.
  package func forgetting(_ names: [String], revision: Int64) -> TargetRecord? {
    var record = self
    record.revision = revision
    for name in names { record.entries[name] = nil }
    return record.entries.isEmpty ? nil : record
  }
}
