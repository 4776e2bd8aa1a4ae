internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts
internal import KeyplanSecrets

extension ProviderKeyStep {
  /// Makes a key at its provider. What an interrupted request may have left behind is revoked first.
  func mint(_ mint: KeyMint, _ ledger: isolated Ledger) async throws(Refusal) {
    let start = context.start
    if let moved = mint.parts.first(where: { start.keys[$0.key]?.revision != $0.revision }) {
      throw .stale(.changed(.record(.key(moved.key))))
    }
    let issuer = try issuer(at: mint.place)
    guard let store = start.store?.id else { throw .failed(.unsupported(.issuers)) }
    let before = ledger.records.mints[id]
    // A connection of the same name that leads elsewhere would find nothing there.
    if let before { try checkConnection(to: before.place) }
    do throws(KeyIssuerFailure) {
      let left = if let before { try await clean(up: before, ledger) } else { Leftovers() }
      var known: [String]?
      // Without those that are unexplained: if this run ends before it names them, the next one does.
      if !issuer.hasLabels {
        known = Set(try await issuer.list(at: mint.place).map(\.id)).subtracting(left.unexplained).sorted()
      }
      let attempt = MintAttempt(
        place: mint.place, label: "keyplan/\(store)/\(id)/\(ledger.revision)", known: known, began: context.now,
        late: left.late)
      // Durable before the request, so that the key is found if its value is lost.
      ledger.recordEnded()
      if let error = ledger.commit([ledger.records.put(attempt, id)]) { return ledger.close(step, .failed(error)) }
      let settled = before?.settled(
        naming: left.unexplained, late: left.late, known: known.map { $0 + left.unexplained })
      await make(mint, attempt, by: issuer, settled, ledger)
    } catch {
      throw Refusal(.failed(error, at: mint.place))
    }
  }

  /// - Parameter settled: what is recorded of an earlier request once this one has created a key.
  private func make(
    _ mint: KeyMint, _ attempt: MintAttempt, by issuer: any KeyIssuing, _ settled: MintAttempt?,
    _ ledger: isolated Ledger
  ) async {
    let note = note(on: settled)
    do throws(KeyIssuerFailure) {
      let minted = try await issuer.mint(attempt.label, at: mint.place)
      guard let changes = changes(recording: minted, mint, attempt, ledger) else {
        let open = ledger.records.put(attempt.losing(minted.id), id)
        return ledger.close(step, .failed(.incompleteKey(mint.place)), [open], note: note)
      }
      // If the run ends before it prints the note, the next plan reports the keys again.
      ledger.close(step, .done, changes + [ledger.records.put(settled, id)], note: note)
    } catch {
      // Until a key is created, the next run reports these keys again.
      let open = error.kind == .unknown ? attempt.losing(error.id) : note == nil ? settled : attempt
      ledger.close(step, .failed(error, at: mint.place), [ledger.records.put(open, id)], note: note)
    }
  }

  /// The id and the values of a new key; nil if a value is missing.
  private func changes(
    recording minted: MintedKey, _ mint: KeyMint, _ attempt: MintAttempt, _ ledger: isolated Ledger
  ) -> [RecordChange]? {
    let (now, revision) = (context.now, ledger.revision)
    var changes: [RecordChange] = []
    let number = PartRecords(mint.parts.map(\.key), in: ledger.records.keys).nextNumber
    for part in mint.parts {
      guard let value = minted.parts[part.name], let facts = context.manifest.keys[part.key]?.facts else { return nil }
      let old = ledger.records.keys[part.key]
      let before = old ?? ledger.records.forgotten.last { $0.key == part.key }?.record
      var record = KeyRecord.minted(
        facts, ledger.store.fingerprint(value, of: part.key), number: number, over: old, after: before,
        revision: revision, at: now)
      if part == mint.parts.first, let pending = record.pending {
        record.issued.append(
          IssuedKey(
            id: minted.id, label: attempt.label, place: mint.place, version: pending.number, mintedAt: now,
            expires: minted.expires))
      }
      changes.append(ledger.records.put(record, part.key, value: value))
    }
    return changes
  }

  /// Looks once more for keys that requests without an answer have made since.
  func settle(_ late: LateKeys, _ ledger: isolated Ledger) async throws(Refusal) {
    guard let attempt = ledger.records.mints[id], !attempt.isOpen, attempt.late == late.labels,
      attempt.place == late.place
    else { throw .stale(.changed(.record(step.address))) }
    try checkConnection(to: late.place)
    do throws(KeyIssuerFailure) {
      let settled = attempt.settled(naming: try await clean(up: attempt, ledger).unexplained)
      ledger.close(step, .done, [ledger.records.put(settled, id)], note: note(on: settled))
    } catch {
      throw Refusal(.failed(error, at: late.place))
    }
  }

  private func checkConnection(to place: Destination) throws(Refusal) {
    guard context.applier.issuers[place.type]?.connection.leads(to: place) == true else {
      throw .failed(.noConnection(place))
    }
  }

  private func note(on settled: MintAttempt?) -> StepNote? {
    settled.flatMap { $0.unexplained.isEmpty ? nil : .unexplainedKeys($0.unexplained, at: $0.place) }
  }

  /// The remains of earlier requests after their keys were revoked.
  private struct Leftovers {
    /// The ids of keys that appeared since. Without labels they may belong to someone else, so they are not revoked.
    var unexplained: [String] = []
    /// The labels of requests of which no key was found: it may still be made.
    var late: [String] = []
  }

  /// Revokes keys that earlier requests created and whose values were lost.
  private func clean(up attempt: MintAttempt, _ ledger: isolated Ledger) async throws(KeyIssuerFailure) -> Leftovers {
    guard let issuer = context.applier.issuers[attempt.place.type] else { return Leftovers(late: attempt.labels) }
    var found = try await appeared(since: attempt, at: issuer, ledger)
    // A new key may not be listed yet: read the list again until the key appears or the delay has passed.
    let mayBeMissing = attempt.lost.isEmpty && attempt.isOpen
    var rest = mayBeMissing ? attempt.remaining(of: issuer.listDelay, at: context.now).seconds : 0
    var pause: Int64 = 2
    while found[attempt.label] == nil, rest > 0 {
      await context.applier.pause(.seconds(min(pause, rest)))
      (rest, pause) = (rest - pause, pause * 2)
      found = try await appeared(since: attempt, at: issuer, ledger)
    }
    let ids = Set(found.values.joined())
    let orphans = Set(attempt.lost).union(issuer.hasLabels ? ids : [])
    for orphan in orphans.sorted() { _ = try await issuer.revoke(orphan, at: attempt.place) }
    // Each request makes one key.
    let late = attempt.labels.filter { found[$0] == nil && (attempt.lost.isEmpty || $0 != attempt.label) }
    return Leftovers(unexplained: issuer.hasLabels ? [] : ids.sorted(), late: late.suffix(MintAttempt.lateLimit))
  }

  /// The ids of keys that earlier requests may have made, besides those that are known to be lost, by their labels. Without labels any of
  /// the requests can have made them.
  private func appeared(
    since attempt: MintAttempt, at issuer: any KeyIssuing, _ ledger: isolated Ledger
  ) async throws(KeyIssuerFailure) -> [String: [String]] {
    var found: [String: [String]] = [:]
    if issuer.hasLabels {
      found = try await issuer.orphans(of: attempt.labels, at: attempt.place)
    } else {
      let issued = Set(ledger.records.keys.values.flatMap { $0.issued.map(\.id) })
      let listed = Set(try await issuer.list(at: attempt.place).map(\.id))
      let new = listed.subtracting(attempt.known ?? []).subtracting(issued).subtracting(attempt.lost).sorted()
      for label in attempt.labels { found[label] = new }
    }
    return found.filter { !$0.value.isEmpty }
  }
}

extension StepResult {
  /// A provider did not do what was asked of a key.
  static func failed(_ failure: KeyIssuerFailure, at place: Destination) -> StepResult {
    let kind: AccessFailure.Kind? =
      switch failure.kind {
      case .denied: .denied
      case .unauthenticated: .unauthenticated
      case .throttled: .throttled
      case .unreachable: .unreachable
      case .unreadable: .unreadable
      case .refused, .unknown, .unsupported: nil
      }
    guard let kind else {
      return .failed(.reported(reason: failure.reason, hint: failure.hint, isUnreachable: failure.kind == .unknown))
    }
    return .failed(
      AccessFailure(kind, "\(place.brief): \(failure.reason)", hint: failure.hint, retryAfter: failure.retryAfter))
  }
}
