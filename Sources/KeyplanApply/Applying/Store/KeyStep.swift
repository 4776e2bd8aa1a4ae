internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts
internal import KeyplanSecrets

/// A step on a key's record, with what was read for it.
struct KeyStep: Sendable {
  let context: RunContext
  let inputs: StoreInputs
  let typed: StoreStep
  let id: Identifier<Key>
  /// The new values of earlier steps of the same transaction, of which values are made.
  var fresh: [Identifier<Key>: SecretBox] = [:]

  private var step: Step { typed.step }

  func record(_ effect: KeyEffect, _ ledger: isolated Ledger) throws(Refusal) -> [RecordChange] {
    let (now, revision) = (context.now, ledger.revision)
    if let write = effect.write { try checkVersions(write.facts, ledger) }
    switch effect {
    case .move(let old):
      guard ledger.records.keys[old] != nil, ledger.records.keys[id] == nil else { throw .gone(step) }
      // One by hand is not remembered: the same may be wanted again.
      let isDeclared = context.manifest.migrations.contains { $0.origin == .key(old) && $0.key == id }
      let mark = Migration.mark(moving: old, to: id)
      return [.move(old, to: id)] + ledger.records.moveMint(of: old, to: id) + (isDeclared ? [.migrated(mark)] : [])
    case .store(let write), .replace(let write):
      let (value, origin) = try value(of: write, ledger)
      let check = try check(value, write, ledger)
      return [try take(value, write, now, from: origin, check, ledger)]
    case .adopt(let write, let origin):
      guard let migration = context.adoptions[id], migration.original?.description == origin else {
        throw .stale(.migrationUndeclared(step.address))
      }
      let value = try value(of: write, ledger).value
      let taken = try take(value, write, now, from: origin, nil, ledger)
      // An adoption with a removal ends only when that is done.
      return migration.removesOriginal ? [taken] : [taken, .migrated(migration.mark)]
    case .update(let write):
      let record = try recorded(ledger)
      if step.ground.source != nil { _ = try value(of: write, ledger) }
      if record.isComposed { try checkReaders(write.facts, record.version.parts.map(\.key), ledger) }
      let updated = noting(write, record.updating(write, revision: revision), over: record, now, ledger)
      return [ledger.records.put(withContent(updated), id)]
    case .retire: return [ledger.records.put(try recorded(ledger).retiring(revision: revision, at: now), id)]
    case .revoke(let revocation):
      let record = try recorded(ledger)
      guard record.version.number == revocation.version else { throw .gone(step) }
      return [ledger.records.put(record.revoking(reason: revocation.reason, revision: revision, at: now), id)]
    case .purge(let purge):
      let kept = context.start.forgotten.filter { $0.key == id }.map(\.serial)
      guard kept == purge.forgotten else { throw .stale(.forgottenGone(step.address)) }
      return [ledger.records.purge(id, isAll: purge.isAll, revision: revision)]
    case .forget: return [ledger.records.forget(id)]
    case .rollback(let rollback):
      guard let record = ledger.records.keys[id]?.rolledBack(rollback, revision: revision) else {
        throw .stale(.versionGone(rollback.to, of: step.address))
      }
      return [ledger.records.put(record, id)]
    case .restore(let restoration): return try restore(restoration, ledger)
    case .accept(let acceptance): return try accept(acceptance, now, ledger)
    }
  }

  private func recorded(_ ledger: isolated Ledger) throws(Refusal) -> KeyRecord {
    guard let record = ledger.records.keys[id] else { throw .gone(step) }
    return record
  }

  /// The value that a step stores, if its source still has what it was planned with.
  private func value(
    of write: KeyWrite, _ ledger: isolated Ledger
  ) throws(Refusal) -> (value: SecretBox, origin: String?) {
    let value: SecretBox
    var origin: String?
    switch write.value {
    case .generated(let generated):
      var random = SystemRandomNumberGenerator()
      value = generated.makeSecret(from: &random)
    case .composed(let composition):
      value = try composed(composition, write.facts, ledger)
      origin = composition.description
    case .minted:
      guard let pending = ledger.records.keys[id]?.pending else { throw .gone(step) }
      value = try ledger.read { store throws(StoreError) in try store.value(of: id, version: pending.number) }
    case .firstSource:
      guard let found = try inputs.firstValue(of: id, for: step) else {
        throw .failed(.noValue(at: context.manifest.keys[id]?.sources ?? []))
      }
      (value, origin) = (found.value, found.origin.description)
    case .source, .given:
      if let reference = context.reference(of: typed) {
        value = try inputs.value(at: reference, for: step)
      } else {
        guard let given = context.applier.given[id] else { throw .stale(.notGiven(step.address)) }
        value = given
      }
    }
    if let planned = step.ground.source, context.observer.fingerprints.fingerprint(value, of: id) != planned {
      throw .stale(.changed(.value(step.address)))
    }
    return (value, origin)
  }

  /// The value of a step that is stored only if its provider accepts it; nil where there is nothing to ask.
  func uncheckedValue(_ ledger: isolated Ledger) -> UncheckedValue? {
    guard case .key(_, let effect) = typed.effect, let write = effect.write,
      let value = try? value(of: write, ledger).value, !isRecorded(value, ledger)
    else { return nil }
    let facts = write.facts
    // Most keys have no date, and need no fingerprint for it.
    let declared = facts.issued.flatMap { _ in
      KeyRecord.issuedAt(of: ledger.store.fingerprint(value, of: id), facts, over: ledger.records.keys[id])
    }
    let issuedAt = write.issuedAt ?? declared
    return UncheckedValue(id, facts, issuedAt: issuedAt, value)
  }

  /// Whether a value is current already, and not only made.
  private func isRecorded(_ value: SecretBox, _ ledger: isolated Ledger) -> Bool {
    guard let record = ledger.records.keys[id], record.pending?.number != record.version.number else { return false }
    return record.version.fingerprint == ledger.store.fingerprint(value, of: id)
  }

  /// Refuses a value that is to be checked, unless its provider accepts it. What is refused for good is remembered, so that no
  /// later apply stores it unchecked.
  private func check(_ value: SecretBox, _ write: KeyWrite, _ ledger: isolated Ledger) throws(Refusal) -> KeyCheck? {
    guard write.isChecked, !isRecorded(value, ledger) else { return nil }
    switch inputs.verdicts[id] {
    case .accepted(let check): return check
    case .refused(let check, let reason):
      let fingerprint = ledger.store.fingerprint(value, of: id)
      let refused = ledger.records.keys[id]?.refusing(fingerprint, check, revision: ledger.revision)
      throw Refusal(
        .failed(.reported(reason: reason, isUnreachable: false)),
        recording: refused.map { [ledger.records.put($0, id)] } ?? [])
    case .undecided(let reason, let isUnreachable):
      throw .failed(.reported(reason: reason, isUnreachable: isUnreachable))
    case nil: throw .failed(.unsupported(.checks))
    }
  }

  /// Stores a value as a new version. If it equals the recorded value, only the facts are updated.
  private func take(
    _ value: SecretBox, _ write: KeyWrite, _ now: Moment, from origin: String?, _ check: KeyCheck?,
    _ ledger: isolated Ledger
  ) throws(Refusal) -> RecordChange {
    let (recorded, revision) = (ledger.records.keys[id], ledger.revision)
    if write.isMinted {
      guard let recorded, let record = recorded.usingPending(write, check, revision: revision) else {
        throw .stale(.notRecorded(.key(id)))
      }
      return ledger.records.put(noting(write, record, over: recorded, now, ledger), id)
    }
    // A plan that saw the value has reported its format.
    let missed = step.ground.source == nil && !write.isGenerated ? missedFormat(value) : nil
    let fingerprint = ledger.store.fingerprint(value, of: id)
    if let recorded, recorded.version.fingerprint == fingerprint {
      let updated = recorded.updating(write, from: origin, revision: revision)
      var record = noting(write, updated, over: recorded, now, ledger)
      if let parts = parts(of: write, ledger) { record.version.parts = parts }
      if let missed { record.version.missedFormat = missed }
      return ledger.records.put(withContent(record), id)
    }
    let before = recorded ?? ledger.records.forgotten.last { $0.key == id }?.record
    // One that is read at apply only; any other was seen when it was planned.
    if let revocation = before?.revocation(of: fingerprint) { throw .failed(.revokedValue(revocation, of: .key(id))) }
    let stored = KeyRecord.storing(
      write, fingerprint, from: origin, number: ledger.partNumber(of: id), over: recorded, after: before,
      revision: revision, at: now)
    var record = withContent(noting(write, stored, over: before, now, ledger))
    (record.version.check, record.version.missedFormat) = (check, missed)
    if let parts = parts(of: write, ledger) { record.version.parts = parts }
    return ledger.records.put(record, id, value: value)
  }

  /// The format of the key's provider, if the value does not have it.
  private func missedFormat(_ value: SecretBox) -> String? {
    guard let key = context.manifest.keys[id], let format = context.limits.formatAtApply(key, in: context.manifest),
      !context.observer.looksRight(value, format)
    else { return nil }
    return format.text
  }

  /// The record with the key at the provider that a write names, and with its exposure to recipients who can no longer open it.
  private func noting(
    _ write: KeyWrite, _ record: KeyRecord, over before: KeyRecord?, _ now: Moment, _ ledger: isolated Ledger
  ) -> KeyRecord {
    let named = write.issued.map { record.issued(as: $0) } ?? record
    return named.narrowed(from: before, among: context.start.recipients, and: ledger.records.recipients, at: now)
  }

  /// The record with the digest of the file that its value came from, if git tracks that file.
  private func withContent(_ record: KeyRecord) -> KeyRecord {
    let source = context.manifest.keys[id]?.sources.first { $0.description == record.version.origin }
    var record = record
    record.trackedContent = source.flatMap { inputs.contents[$0] }
    return record
  }
}

/// Values that are made of those of other keys.
extension KeyStep {
  /// The value, made of those that are recorded now, or with this transaction.
  private func composed(
    _ composition: Composition, _ facts: KeyFacts, _ ledger: isolated Ledger
  ) throws(Refusal) -> SecretBox {
    try checkReaders(facts, composition.parts, ledger)
    let known = PartsOfValues(ledger.records.keys, ledger.records.forgotten)
    var values: [Identifier<Key>: SecretBox] = [:]
    for part in composition.parts {
      guard let record = ledger.records.keys[part]?.inheriting(from: known) else {
        throw .stale(.notRecorded(.key(part)))
      }
      // A saved plan may be older than a revocation.
      guard record.revocation == nil else { throw .stale(.keysRevoked([part])) }
      guard record.serving(at: context.now).isServed, !ledger.isMixed(part) else {
        throw .stale(.changed(.record(.key(part))))
      }
      if let value = fresh[part] {
        values[part] = value
      } else {
        let number = record.version.number
        values[part] = try ledger.read { store throws(StoreError) in try store.value(of: part, version: number) }
      }
    }
    do throws(CompositionFault) {
      return try composition.makeSecret(of: values)
    } catch {
      throw .failed(.uncomposed(error))
    }
  }

  /// Refuses recipients who could not open all parts by the records: a selection of steps may leave out the change of a part.
  private func checkReaders(
    _ facts: KeyFacts, _ parts: [Identifier<Key>], _ ledger: isolated Ledger
  ) throws(Refusal) {
    for part in parts {
      if ledger.records.keys[part]?.facts.isNarrower(than: facts.recipients) == true {
        throw .failed(.uncomposed(.widerThan(part)))
      }
    }
  }

  /// Refuses recipients who could not open what earlier versions are made of: the versions are sealed for them, too.
  private func checkVersions(_ facts: KeyFacts, _ ledger: isolated Ledger) throws(Refusal) {
    guard let record = ledger.records.keys[id], record.hasParts, record.facts.isNarrower(than: facts.recipients) else {
      return
    }
    let known = PartsOfValues(ledger.records.keys, ledger.records.forgotten)
    if let part = known.narrower(than: facts.recipients, in: record) {
      throw .failed(.uncomposed(.versionsWiderThan(part, of: id)))
    }
  }

  /// The versions that a composed value is made of; nil for any other value.
  private func parts(of write: KeyWrite, _ ledger: isolated Ledger) -> [ComposedPart]? {
    write.composition?.parts.compactMap { part in
      ledger.records.keys[part].map { ComposedPart(part, $0.version) }
    }
  }
}

/// Changes that a person requested, in addition to those of the manifest.
extension KeyStep {
  private func restore(_ restoration: KeyRestoration, _ ledger: isolated Ledger) throws(Refusal) -> [RecordChange] {
    guard ledger.records.keys[id] == nil,
      let forgotten = context.start.forgotten.first(where: { $0.key == id && $0.serial == restoration.serial })
    else { throw .stale(.forgottenGone(step.address)) }
    var record = forgotten.record
    record.revision = ledger.revision
    record.rejected = restoration.rejected ?? record.rejected
    return [.restore(id, forgotten: restoration.serial), ledger.records.put(record, id)]
  }

  /// The new value and the target's record in one transaction: the place is not written, because the value is there.
  private func accept(
    _ acceptance: KeyAcceptance, _ now: Moment, _ ledger: isolated Ledger
  ) throws(Refusal) -> [RecordChange] {
    let value: SecretBox
    switch inputs.accepted[acceptance.address] {
    case .failed(let failure): throw .failed(failure)
    case .marks(let marks): return [try keep(acceptance, marks[acceptance.name], ledger)]
    case nil: throw .failed(.notReadable(acceptance.destination))
    case .values(let values):
      guard case .text(let text) = values[acceptance.name],
        context.observer.fingerprints.fingerprint(text, of: id) == step.ground.source
      else { throw .stale(.changed(.record(acceptance.address))) }
      value = text
    }
    let before = try recorded(ledger)
    let fingerprint = ledger.store.fingerprint(value, of: id)
    if let revocation = before.revocation(of: fingerprint) { throw .failed(.revokedValue(revocation, of: .key(id))) }
    let (target, revision) = (ledger.records.targets[acceptance.target], ledger.revision)
    guard target?.entries[acceptance.name]?.key == id,
      let place = target?.accepting(acceptance, fingerprint, revision: revision, at: now)
    else { throw .stale(.notRecorded(acceptance.address)) }
    // All parts get it at once.
    let number = id.whole.map { _ in PartRecords(context.wholes.parts(of: id), in: context.start.keys).nextNumber }
    let record = before.accepting(acceptance, fingerprint, number: number, revision: revision, at: now)
    return [ledger.records.put(record, id, value: value), ledger.records.put(place, acceptance.target)]
  }

  /// Leaves a value at the target that keyplan did not write: only the record changes.
  private func keep(
    _ acceptance: KeyAcceptance, _ found: Mark??, _ ledger: isolated Ledger
  ) throws(Refusal) -> RecordChange {
    guard let mark = acceptance.mark, found == .some(mark) else { throw .stale(.changed(.record(acceptance.address))) }
    let target = ledger.records.targets[acceptance.target]
    guard let record = target?.keeping(mark, under: acceptance.name, revision: ledger.revision) else {
      throw .stale(.notRecorded(acceptance.address))
    }
    return ledger.records.put(record, acceptance.target)
  }
}
