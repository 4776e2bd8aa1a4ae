internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts

/// A step on keys at their provider: making, ending or renewing them.
struct ProviderKeyStep: Sendable {
  let context: RunContext
  let step: Step
  let id: Identifier<Key>

  func issuer(at place: Destination) throws(Refusal) -> any KeyIssuing {
    guard let issuer = context.applier.issuers[place.type] else { throw .failed(.unsupported(.issuers)) }
    return issuer
  }

  /// Ends replaced keys at their provider. Only recorded ones are touched, and none that is in use.
  func end(_ end: IssuedKeys, disabling: Bool, _ ledger: isolated Ledger) async throws(Refusal) {
    guard let issued = ledger.records.keys[id]?.issued else { throw .gone(step) }
    let inUse = ledger.versionsInUse(of: id)
    let ending = end.keys.compactMap { key in
      issued.first { $0.reference == key && !inUse.contains($0.version) }
    }
    guard ending.count == end.keys.count else { throw .stale(.changed(.record(step.address))) }
    var missing: [String] = []
    for (index, key) in ending.enumerated() {
      let result: StepResult
      var kept = ending[index...]
      do throws(KeyIssuerFailure) {
        if let issuer = context.applier.issuers[key.place.type] {
          if disabling {
            _ = try await issuer.disable(key.id, label: key.label, at: key.place)
          } else if try await issuer.revoke(key.id, at: key.place) == .alreadyGone, key.label.isEmpty {
            // The given id may be wrong, and the intended key still valid.
            missing.append(key.id)
          }
          continue
        }
        result = .failed(.unsupported(.issuers))
      } catch {
        // Without an answer the key may be revoked.
        if error.kind == .unknown { kept = kept.dropFirst() }
        result = .failed(error, at: key.place)
      }
      return ledger.close(step, result, record(ending[..<index], disabling, kept, ledger))
    }
    let note = missing.isEmpty ? nil : StepNote.keysNotFound(missing, at: end.keys[0].place)
    ledger.close(step, .done, record(ending[...], disabling, [], ledger), note: note)
  }

  /// Records which keys were ended, and which are as they were.
  private func record(
    _ ended: ArraySlice<IssuedKey>, _ disabling: Bool, _ kept: ArraySlice<IssuedKey>, _ ledger: isolated Ledger
  ) -> [RecordChange] {
    let now = context.now
    return ledger.changeParts(of: id) { record in
      for key in ended {
        record.end(key, disabling ? .disabled : .revoked, at: now)
        guard let index = record.issued.firstIndex(where: { $0.reference == key.reference }) else { continue }
        if disabling { record.issued[index].disabledAt = now } else { record.issued.remove(at: index) }
      }
      for key in kept { record.keep(key) }
    }
  }

  /// Puts off the end of keys that are in use.
  func renew(_ keys: IssuedKeys, _ ledger: isolated Ledger) async throws(Refusal) {
    guard var record = ledger.records.keys[id] else { throw .gone(step) }
    for key in keys.keys {
      guard let index = record.issued.firstIndex(where: { $0.reference == key }) else {
        throw .stale(.changed(.record(step.address)))
      }
      let issuer = try issuer(at: key.place)
      do throws(KeyIssuerFailure) {
        guard let end = try await issuer.renew(key.id, at: key.place) else { continue }
        record.issued[index] = record.issued[index].renewed(until: end, at: context.now)
      } catch {
        throw Refusal(.failed(error, at: key.place))
      }
    }
    record.revision = ledger.revision
    ledger.close(step, .done, [ledger.records.put(record, id)])
  }
}
