internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts
internal import KeyplanSecrets

extension Run {
  /// Makes a key at its provider. What an interrupted request may have left behind is revoked first.
  func mint(_ step: Step, _ id: Identifier<Key>, _ mint: KeyMint) async {
    if let moved = mint.parts.first(where: { start.keys[$0.key]?.revision != $0.revision }) {
      return close(step, .stale(.changed(.record(.key(moved.key)))))
    }
    guard let issuer = applier.issuers[mint.place.type], let store = start.store?.id else {
      return close(step, .failed(.unsupported(.issuers)))
    }
    let before = mints[id]
    // A connection of the same name that leads elsewhere would find nothing there.
    if let before, applier.issuers[before.place.type]?.connection.leads(to: before.place) != true {
      return close(step, .failed(.noConnection(before.place)))
    }
    do throws(KeyIssuerFailure) {
      let left = if let before { try await clean(up: before) } else { Leftovers() }
      var known: [String]?
      // Without those that are unexplained: if this run ends before it names them, the next one does.
      if !issuer.hasLabels {
        known = Set(try await issuer.list(at: mint.place).map(\.id)).subtracting(left.unexplained).sorted()
      }
      let attempt = MintAttempt(
        place: mint.place, label: "keyplan/\(store)/\(id)/\(revision)", known: known, began: applier.clock(),
        late: left.late)
      // Durable before the request, so that the key is found if its value is lost.
      if let error = begin(attempt, id) { return close(step, .failed(error)) }
      let settled = before?.settled(
        naming: left.unexplained, late: left.late, known: known.map { $0 + left.unexplained })
      await make(step, id, mint, attempt, by: issuer, settled)
    } catch {
      close(step, .failed(error, at: mint.place))
    }
  }

  private func begin(_ attempt: MintAttempt, _ id: Identifier<Key>) -> StoreError? {
    recordEnded()
    mints[id] = attempt
    return commit([.mint(id, attempt)])
  }

  /// - Parameter settled: what is recorded of an earlier request once this one has created a key.
  private func make(
    _ step: Step, _ id: Identifier<Key>, _ mint: KeyMint, _ attempt: MintAttempt, by issuer: any KeyIssuing,
    _ settled: MintAttempt?
  ) async {
    let note = note(on: settled)
    do throws(KeyIssuerFailure) {
      let minted = try await issuer.mint(attempt.label, at: mint.place)
      guard let changes = changes(recording: minted, mint, attempt) else {
        return leave(step, id, attempt.losing(minted.id), .failed(.incompleteKey(mint.place)), note)
      }
      // If the run ends before it prints the note, the next plan reports the keys again.
      mints[id] = settled
      close(step, .done, changes + [.mint(id, settled)], note: note)
    } catch {
      // Until a key is created, the next run reports these keys again.
      let open = error.kind == .unknown ? attempt.losing(error.id) : note == nil ? settled : attempt
      leave(step, id, open, .failed(error, at: mint.place), note)
    }
  }

  /// Ends a step that has not made a usable key.
  /// - Parameter open: what the next apply has to clean up.
  private func leave(
    _ step: Step, _ id: Identifier<Key>, _ open: MintAttempt?, _ result: StepResult, _ note: StepNote?
  ) {
    mints[id] = open
    close(step, result, [.mint(id, open)], note: note)
  }

  /// The id and the values of a new key; nil if a value is missing.
  private func changes(recording minted: MintedKey, _ mint: KeyMint, _ attempt: MintAttempt) -> [RecordChange]? {
    let now = applier.clock()
    var changes: [RecordChange] = []
    let number = PartRecords(mint.parts.map(\.key), in: keys).nextNumber
    for part in mint.parts {
      guard let value = minted.parts[part.name], let facts = applier.manifest.keys[part.key]?.facts else { return nil }
      let before = keys[part.key] ?? forgotten.last { $0.key == part.key }?.record
      var record = KeyRecord.minted(
        facts, applier.store.fingerprint(value, of: part.key), number: number, over: keys[part.key], after: before,
        revision: revision, at: now)
      if part == mint.parts.first, let pending = record.pending {
        record.issued.append(
          IssuedKey(
            id: minted.id, label: attempt.label, place: mint.place, version: pending.number, mintedAt: now,
            expires: minted.expires))
      }
      keys[part.key] = record
      changes.append(.key(part.key, record, value: value))
    }
    return changes
  }

  /// Looks once more for keys that requests without an answer have made since.
  func settle(_ step: Step, _ id: Identifier<Key>, _ late: LateKeys) async {
    guard let attempt = mints[id], !attempt.isOpen, attempt.late == late.labels, attempt.place == late.place else {
      return close(step, .stale(.changed(.record(step.address))))
    }
    guard applier.issuers[late.place.type]?.connection.leads(to: late.place) == true else {
      return close(step, .failed(.noConnection(late.place)))
    }
    do throws(KeyIssuerFailure) {
      let settled = attempt.settled(naming: try await clean(up: attempt).unexplained)
      mints[id] = settled
      close(step, .done, [.mint(id, settled)], note: note(on: settled))
    } catch {
      close(step, .failed(error, at: late.place))
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
  private func clean(up attempt: MintAttempt) async throws(KeyIssuerFailure) -> Leftovers {
    guard let issuer = applier.issuers[attempt.place.type] else { return Leftovers(late: attempt.labels) }
    var found = try await appeared(since: attempt, at: issuer)
    // A new key may not be listed yet: read the list again until the key appears or the delay has passed.
    let mayBeMissing = attempt.lost.isEmpty && attempt.isOpen
    var rest = mayBeMissing ? attempt.remaining(of: issuer.listDelay, at: applier.clock()).seconds : 0
    var pause: Int64 = 2
    while found[attempt.label] == nil, rest > 0 {
      await applier.pause(.seconds(min(pause, rest)))
      (rest, pause) = (rest - pause, pause * 2)
      found = try await appeared(since: attempt, at: issuer)
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
    since attempt: MintAttempt, at issuer: any KeyIssuing
  ) async throws(KeyIssuerFailure) -> [String: [String]] {
    var found: [String: [String]] = [:]
    if issuer.hasLabels {
      found = try await issuer.orphans(of: attempt.labels, at: attempt.place)
    } else {
      let issued = Set(keys.values.flatMap { $0.issued.map(\.id) })
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
