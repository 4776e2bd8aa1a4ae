internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts
internal import KeyplanSecrets

/// Steps that a person asked for, beside what the manifest says.
extension Run {
  func restore(
    _ step: Step, _ restoration: KeyRestoration, _ id: Identifier<Key>
  ) -> Result<[RecordChange], Refusal> {
    guard keys[id] == nil,
      let forgotten = start.forgotten.first(where: { $0.key == id && $0.serial == restoration.serial })
    else { return .failure(Refusal(result: .stale(.forgottenGone(step.address)))) }
    var record = forgotten.record
    record.revision = revision
    record.rejected = restoration.rejected ?? record.rejected
    return .success([.restore(id, forgotten: restoration.serial), put(record, id)])
  }

  /// Ends what is recorded of a target, or of one of its names. The place is not touched.
  /// - Parameter name: nil for all.
  func forget(_ step: Step, _ name: String? = nil, of id: Identifier<Target>) -> Result<[RecordChange], Refusal> {
    guard let record = targets[id] else { return .failure(gone(step)) }
    guard record.revision == step.ground.revision else {
      return .failure(Refusal(result: .stale(.changed(.record(step.address)))))
    }
    let names = name.map { [$0] } ?? Array(record.entries.keys)
    let left = record.forgetting(names, revision: revision)
    targets[id] = left
    return .success([.target(id, left)])
  }

  /// The new value and the target's record in one transaction: the place is not written, because the value is there.
  func accept(
    _ step: Step, _ acceptance: KeyAcceptance, _ id: Identifier<Key>, _ held: TargetAnswer?, _ now: Moment
  ) -> Result<[RecordChange], Refusal> {
    let value: SecretBox
    switch held {
    case .failed(let failure): return .failure(Refusal(result: .failed(failure)))
    case .marks(let marks):
      return keep(step, acceptance, marks[acceptance.name])
    case nil:
      return .failure(Refusal(result: .failed(.notReadable(acceptance.destination))))
    case .values(let values):
      guard case .text(let text) = values[acceptance.name],
        applier.observer.fingerprints.fingerprint(text, of: id) == step.ground.source
      else { return .failure(Refusal(result: .stale(.changed(.record(acceptance.address))))) }
      value = text
    }
    guard let before = keys[id] else { return .failure(gone(step)) }
    let fingerprint = applier.store.fingerprint(value, of: id)
    if let revocation = before.revocation(of: fingerprint) {
      return .failure(Refusal(result: .failed(.revokedValue(revocation, of: .key(id)))))
    }
    let target = targets[acceptance.target]
    guard target?.entries[acceptance.name]?.key == id,
      let place = target?.accepting(acceptance, fingerprint, revision: revision, at: now)
    else { return .failure(Refusal(result: .stale(.notRecorded(acceptance.address)))) }
    let record = before.accepting(
      acceptance, fingerprint, number: commonNumber(of: id), revision: revision, at: now)
    keys[id] = record
    targets[acceptance.target] = place
    return .success([.key(id, record, value: value), .target(acceptance.target, place)])
  }

  /// Leaves somebody else's value at the target: the record alone changes.
  private func keep(
    _ step: Step, _ acceptance: KeyAcceptance, _ found: Mark??
  ) -> Result<[RecordChange], Refusal> {
    guard let mark = acceptance.mark, found == .some(mark) else {
      return .failure(Refusal(result: .stale(.changed(.record(acceptance.address)))))
    }
    guard let record = targets[acceptance.target]?.keeping(mark, under: acceptance.name, revision: revision) else {
      return .failure(Refusal(result: .stale(.notRecorded(acceptance.address))))
    }
    targets[acceptance.target] = record
    return .success([.target(acceptance.target, record)])
  }

  /// What the targets have now whose values are to be accepted.
  func values(toAccept steps: [StoreStep]) async -> [Address: TargetAnswer] {
    var held: [Address: TargetAnswer] = [:]
    for step in steps {
      guard case .key(_, .accept(let acceptance)) = step.effect,
        let target = applier.observer.targets[acceptance.destination.type]
      else { continue }
      held[acceptance.address] = await target.read([acceptance.name], at: acceptance.destination).withoutPlaceholders
    }
    return held
  }
}
