internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts

/// Ending keys at their providers, and putting off their end.
extension Run {
  /// The intent to end keys, durable before the request: whatever becomes of it, their values are not used again, whichever part they
  /// are of.
  func beginEnd(_ step: OutsideStep) -> [RecordChange] {
    let (id, end): (Identifier<Key>, IssuedKeys)
    switch step.effect {
    case .disable(let key, let keys), .end(let key, let keys): (id, end) = (key, keys)
    default: return []
    }
    guard let record = keys[id] else { return [] }
    let inUse = versionsInUse(of: id)
    let ending = record.issued.filter { end.keys.contains($0.reference) && !inUse.contains($0.version) }
    return changes(of: id) { record in for key in ending { record.end(key, .begun, at: applier.clock()) } }
  }

  /// Takes that back where no request was made.
  func withdrawEnd(_ step: Step) -> [RecordChange] {
    switch step.effect {
    case .outside(.disable(let id, let end)), .outside(.end(let id, let end)):
      let kept = keys[id]?.issued.filter { end.keys.contains($0.reference) } ?? []
      return changes(of: id) { record in for key in kept { record.keep(key) } }
    default: return []
    }
  }

  /// Ends replaced keys at their provider. Only recorded ones are touched, and none that is in use.
  func end(_ step: Step, _ id: Identifier<Key>, _ end: IssuedKeys, disabling: Bool) async {
    guard let issued = keys[id]?.issued else { return close(step, gone(step).result) }
    let inUse = versionsInUse(of: id)
    let ending = end.keys.compactMap { key in
      issued.first { $0.reference == key && !inUse.contains($0.version) }
    }
    guard ending.count == end.keys.count else { return close(step, .stale(.changed(.record(step.address)))) }
    var missing: [String] = []
    for (index, key) in ending.enumerated() {
      do throws(KeyIssuerFailure) {
        guard let issuer = applier.issuers[key.place.type] else {
          return close(
            step, .failed(.unsupported(.issuers)), recording(ending[..<index], of: id, disabling, ending[index...]))
        }
        if disabling {
          _ = try await issuer.disable(key.id, label: key.label, at: key.place)
        } else if try await issuer.revoke(key.id, at: key.place) == .alreadyGone, key.label.isEmpty {
          // The given id may be wrong, and the intended key still valid.
          missing.append(key.id)
        }
      } catch {
        // Without an answer the key may be revoked.
        let kept = error.kind == .unknown ? ending[(index + 1)...] : ending[index...]
        return close(step, .failed(error, at: key.place), recording(ending[..<index], of: id, disabling, kept))
      }
    }
    let note = missing.isEmpty ? nil : StepNote.keysNotFound(missing, at: end.keys[0].place)
    close(step, .done, recording(ending[...], of: id, disabling, []), note: note)
  }

  /// Records which keys were ended, and which are as they were.
  private func recording(
    _ ended: ArraySlice<IssuedKey>, of id: Identifier<Key>, _ disabling: Bool, _ kept: ArraySlice<IssuedKey>
  ) -> [RecordChange] {
    let now = applier.clock()
    return changes(of: id) { record in
      for key in ended {
        record.end(key, disabling ? .disabled : .revoked, at: now)
        guard let index = record.issued.firstIndex(where: { $0.reference == key.reference }) else { continue }
        if disabling { record.issued[index].disabledAt = now } else { record.issued.remove(at: index) }
      }
      for key in kept { record.keep(key) }
    }
  }

  /// Changes the records of all parts of a key.
  private func changes(of id: Identifier<Key>, _ change: (inout KeyRecord) -> Void) -> [RecordChange] {
    wholes.parts(of: id).compactMap { part in
      guard var record = keys[part] else { return nil }
      let before = record
      change(&record)
      guard record != before else { return nil }
      record.revision = revision
      return put(record, part)
    }
  }

  /// The numbers of the versions whose values are used, of any part, or will be.
  private func versionsInUse(of id: Identifier<Key>) -> Set<Int64> {
    var numbers: Set<Int64> = []
    for part in wholes.parts(of: id) where applier.manifest.keys[part] != nil {
      guard let record = keys[part] else { continue }
      numbers.formUnion(record.versions(with: record.version.fingerprint))
      if let pending = record.pending { numbers.insert(pending.number) }
    }
    return numbers
  }

  /// Puts off the end of keys that are in use.
  func renew(_ step: Step, _ id: Identifier<Key>, _ keys: IssuedKeys) async {
    guard var record = self.keys[id] else { return close(step, gone(step).result) }
    for key in keys.keys {
      guard let index = record.issued.firstIndex(where: { $0.reference == key }) else {
        return close(step, .stale(.changed(.record(step.address))))
      }
      guard let issuer = applier.issuers[key.place.type] else { return close(step, .failed(.unsupported(.issuers))) }
      do throws(KeyIssuerFailure) {
        guard let end = try await issuer.renew(key.id, at: key.place) else { continue }
        record.issued[index] = record.issued[index].renewed(until: end, at: applier.clock())
      } catch {
        return close(step, .failed(error, at: key.place))
      }
    }
    record.revision = revision
    close(step, .done, [put(record, id)])
  }
}
