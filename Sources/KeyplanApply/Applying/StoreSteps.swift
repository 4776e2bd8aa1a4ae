internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts
internal import KeyplanSecrets

extension Run {
  /// Carries steps on the store alone out in one transaction: all of those whose ground still holds, or none.
  func carryOutInStore(_ steps: [StoreStep]) async {
    let references = steps.compactMap { reference(of: $0) }
    let answers = Dictionary(zip(references, await applier.observer.read(references))) { first, _ in first }
    let deferred = await resolve(steps)
    for case .settle(.target(let id)) in steps.map(\.effect) {
      if let earlier = start.attempts[id] { await removeLeftovers(of: earlier) }
    }
    let contents = applier.observer.checkout.inspector?.trackedContent(of: steps.flatMap(sources)) ?? [:]
    let left = await applier.observer.files(steps.compactMap { takeover(of: $0.effect)?.original })
    let held = await values(toAccept: steps)
    var taken = Taken(answers: answers, deferred: deferred, contents: contents)
    taken.verdicts = await verdicts(on: steps, taken)
    var changes: [RecordChange] = []
    var done: [Step] = []
    for steps in together(steps) {
      let before = partState(of: steps)
      var (made, ended): ([RecordChange], [Step]) = ([], [])
      var refused: Address?
      for typed in steps {
        let step = typed.step
        if let refused {
          end(step, .notTried(.dependency(refused)))
          continue
        }
        // Again, because a step of this very transaction may have failed that another one waits for.
        if let obstacle = obstacle(before: step) {
          refused = step.address
          end(step, obstacle)
          continue
        }
        if !typed.effect.isChecked { applier.begin(step) }
        switch record(typed, taken, left, held) {
        case .success(let changes):
          made += changes
          ended.append(step)
        case .failure(let refusal):
          refused = step.address
          changes += refusal.changes
          end(step, refusal.result)
        }
      }
      if let refused, let before {
        restore(before)
        for step in ended { end(step, .notTried(.dependency(refused))) }
      } else {
        changes += made
        done += ended
      }
    }
    record(done, changes)
  }

  /// Ends steps that are done once their changes are recorded.
  func record(_ done: [Step], _ changes: [RecordChange]) {
    guard !done.isEmpty || !changes.isEmpty else { return }
    let error = commit(changes, ending: done.count)
    if error == nil, done.contains(where: changesFingerprints) { renew() }
    for step in done {
      end(step, error.map(StepResult.failed) ?? .done, note: error == nil ? note(on: step) : nil)
    }
  }

  private nonisolated func changesFingerprints(_ step: Step) -> Bool {
    switch step.effect {
    case .store(.rewrap(let rewrap)): rewrap.replacesRootKey
    case .store(.key(_, .move)): true
    case .store, .outside, .person: false
    }
  }

  struct Refusal: Error {
    let result: StepResult
    /// What is recorded of it all the same.
    var changes: [RecordChange] = []
  }

  /// What was read outside for the steps of one transaction.
  private struct Taken {
    let answers: [Reference: SourceAnswer]
    /// For deferred writes, the first source that had something, with its answer.
    let deferred: [Identifier<Key>: (index: Int, answer: SourceAnswer)]
    /// The digests of files that git tracks.
    let contents: [Reference: String]
    /// What providers said about new values.
    var verdicts: [Identifier<Key>: CheckVerdict] = [:]
  }

  /// Asks providers about the values that are stored only if they are accepted.
  private func verdicts(on steps: [StoreStep], _ taken: Taken) async -> [Identifier<Key>: CheckVerdict] {
    var values: [UncheckedValue] = []
    for typed in steps where typed.effect.isChecked {
      applier.begin(typed.step)
      guard case .key(let id, let effect) = typed.effect, let write = effect.write,
        case .success(let found) = value(for: typed, write, id, taken), !isRecorded(found.value, id)
      else { continue }
      values.append(UncheckedValue(id, write.facts, issuedAt: issuedAt(of: found.value, id, write.facts), found.value))
    }
    guard !values.isEmpty, let checks = applier.checks else { return [:] }
    var verdicts = await checks.check(values)
    // A provider may need some seconds until it accepts a key that it has just made.
    for seconds in Self.patience {
      let early = values.filter { keys[$0.key]?.pending != nil && verdicts[$0.key]?.isAccepted == false }
      guard !early.isEmpty else { break }
      await applier.pause(.seconds(seconds))
      verdicts.merge(await checks.check(early)) { $1 }
    }
    return verdicts
  }

  /// The seconds before each further check of a key that was just made: 30 together, and AWS needs ten.
  private static let patience = [1, 2, 4, 8, 15]

  /// Asks the sources of deferred writes in order; only a definite *missing* moves on to the next.
  private func resolve(_ steps: [StoreStep]) async -> [Identifier<Key>: (index: Int, answer: SourceAnswer)] {
    var open: [(id: Identifier<Key>, sources: [Reference])] = steps.compactMap { step in
      guard case .key(let id, let effect) = step.effect, effect.write?.isDeferred == true else { return nil }
      return applier.manifest.keys[id].map { (id, $0.sources) }
    }
    var found: [Identifier<Key>: (index: Int, answer: SourceAnswer)] = [:]
    var index = 0
    while !open.isEmpty {
      open.removeAll { $0.sources.count <= index }
      let answers = await applier.observer.read(open.map { $0.sources[index] })
      var next: [(id: Identifier<Key>, sources: [Reference])] = []
      for (asked, answer) in zip(open, answers) {
        if case .missing = answer { next.append(asked) } else { found[asked.id] = (index, answer) }
      }
      (open, index) = (next, index + 1)
    }
    return found
  }

  /// The sources of the key that a step writes.
  private nonisolated func sources(of step: StoreStep) -> [Reference] {
    guard case .key(let id, let effect) = step.effect, effect.write != nil else { return [] }
    return applier.manifest.keys[id]?.sources ?? []
  }

  /// The migration that a step carries out for an account.
  private nonisolated func takeover(of effect: StoreEffect) -> Migration? {
    guard case .adoptToken(let id, let from, _) = effect, let migration = takeovers[id],
      migration.original?.description == from
    else { return nil }
    return migration
  }

  /// The source whose value a step stores.
  private nonisolated func reference(of typed: StoreStep) -> Reference? {
    switch typed.effect {
    case .adoptToken(let id, _, _): takeover(of: typed.effect) == nil ? applier.manifest.accounts[id]?.token : nil
    case .key(let id, .store(let write)), .key(let id, .replace(let write)): reference(of: write, id)
    case .key(let id, .update(let write)) where typed.step.ground.source != nil: reference(of: write, id)
    case .key(let id, .adopt): adoptions[id]?.original
    default: nil
    }
  }

  private nonisolated func reference(of write: KeyWrite, _ id: Identifier<Key>) -> Reference? {
    guard let index = write.source, let sources = applier.manifest.keys[id]?.sources, sources.indices.contains(index)
    else { return nil }
    return sources[index]
  }

  private func record(
    _ typed: StoreStep, _ taken: Taken, _ left: [Reference: SourceAnswer],
    _ held: [Address: TargetAnswer]
  ) -> Result<[RecordChange], Refusal> {
    let step = typed.step
    switch typed.effect {
    case .allow(let item, let grant):
      guard limits.terms(of: item).sorted() == grant.terms else {
        return .failure(Refusal(result: .stale(.changed(.files(item)))))
      }
      return .success([.allow(item, Set(grant.terms))])
    case .disallow(let item):
      guard start.surface.contains(item) else {
        return .failure(Refusal(result: .stale(.notAllowed)))
      }
      return .success([.disallow(item)])
    case .guards(let change):
      guard let guards = change.applied(to: start.guards) else {
        return .failure(Refusal(result: .stale(.changed(.record(step.address)))))
      }
      return .success([.guards(guards)])
    case .rewrap(let rewrap):
      let all = Dictionary(rewrap.recipients.map { ($0.name, $0.value) }) { _, last in last }
      // Who is recorded is this step's ground: another way there would let somebody back in, or out, unseen.
      let change =
        rewrap.freshRoot == true ? Rewrap(rekeying: start.recipients) : Rewrap(from: start.recipients, to: all)
      guard change == rewrap else {
        return .failure(Refusal(result: .stale(.changed(.record(step.address)))))
      }
      // A plugin that recorded recipients have was allowed, or is that of the person who created the store.
      let plugins = all.plugins.subtracting(start.recipients.plugins)
      guard plugins.allSatisfy({ limits.permits($0) || allowing.contains(.surface($0)) }) else {
        return .failure(Refusal(result: .stale(.notAllowed)))
      }
      let leaving = start.recipients.leaving(for: all)
      recipients = all
      return .success([.recipients(all, freshRoot: rewrap.replacesRootKey, leaving: leaving)])
    case .key(let id, let effect): return record(typed, effect, id, taken, held)
    case .activate(let id, let key, _):
      return .success([.slot(id, SlotRecord(revision: revision, key: key, since: applier.clock()))])
    case .deactivate(let id, _), .forgetSlot(let id): return .success([.slot(id, nil)])
    case .forgetTarget(let id): return forget(step, of: id)
    case .forgetEntry(let id, let name): return forget(step, name, of: id)
    case .adoptToken(let id, let from, let facts):
      if let migration = takeover(of: typed.effect), start.migrated.contains(migration.mark) {
        return .failure(Refusal(result: .stale(.migrated(step.address))))
      }
      return token(for: typed, id, taken.answers, left)
        .flatMap { adopt($0, from: from, facts, id, step, applier.clock()) }
    case .settle(.target(let id)):
      let dropped: [RecordChange] = applier.manifest.hooks[id] == nil ? [.hook(id, isDue: false)] : []
      return .success(dropped + [.attempt(id, nil), .finished(step.address)])
    case .settle(.key(let id)) where mints[id]?.isOpen == false:
      let left = mints[id]?.reported
      mints[id] = left
      return .success([.mint(id, left), .finished(step.address)])
    case .settle(let address): return .success([.finished(address)])
    }
  }

  private func record(
    _ typed: StoreStep, _ effect: KeyEffect, _ id: Identifier<Key>, _ taken: Taken,
    _ held: [Address: TargetAnswer]
  ) -> Result<[RecordChange], Refusal> {
    let now = applier.clock()
    let step = typed.step
    // A plan that saw the value has reported its format.
    let isUnseen = step.ground.source == nil
    switch effect {
    case .move(let old):
      guard keys[old] != nil, keys[id] == nil else { return .failure(gone(step)) }
      // One by hand is not remembered: the same may be wanted again.
      let isDeclared = applier.manifest.migrations.contains { $0.origin == .key(old) && $0.key == id }
      let mark = Migration.mark(moving: old, to: id)
      return .success([.move(old, to: id)] + moveMint(of: old, to: id) + (isDeclared ? [.migrated(mark)] : []))
    case .store(let write), .replace(let write):
      return value(for: typed, write, id, taken).flatMap { found in
        admit(found.value, write, id, taken).flatMap { check in
          take(found.value, write, id, now, from: found.origin, taken, check, isUnseen: isUnseen).map { [$0] }
        }
      }
    case .adopt(let write, let origin):
      guard let migration = adoptions[id], migration.original?.description == origin else {
        return .failure(Refusal(result: .stale(.migrationUndeclared(step.address))))
      }
      return value(for: typed, write, id, taken).flatMap { value in
        take(value.value, write, id, now, from: origin, taken, isUnseen: isUnseen).map { taken in
          // An adoption with a removal ends only when that is done.
          migration.removesOriginal ? [taken] : [taken, .migrated(migration.mark)]
        }
      }
    case .update(let write):
      guard let record = keys[id] else { return .failure(gone(step)) }
      if step.ground.source != nil, case .failure(let refusal) = value(for: typed, write, id, taken) {
        return .failure(refusal)
      }
      let updated = record.updating(write, revision: revision).issued(as: write).narrowed(
        from: record, among: start.recipients, and: recipients, at: now)
      return .success([put(withContent(updated, id, taken), id)])
    case .retire:
      guard let record = keys[id] else { return .failure(gone(step)) }
      return .success([put(record.retiring(revision: revision, at: now), id)])
    case .revoke(let revocation):
      guard let record = keys[id], record.version.number == revocation.version else { return .failure(gone(step)) }
      return .success([put(record.revoking(reason: revocation.reason, revision: revision, at: now), id)])
    case .purge(let purge):
      let kept = start.forgotten.filter { $0.key == id }.map(\.serial)
      guard kept == purge.forgotten else { return .failure(Refusal(result: .stale(.forgottenGone(step.address)))) }
      keys[id] = purge.isAll ? nil : keys[id]?.purged(revision: revision)
      return .success([.purge(id, isAll: purge.isAll)])
    case .forget:
      keys[id] = nil
      return .success([.forget(id)])
    case .rollback(let rollback):
      guard let record = keys[id]?.rolledBack(rollback, revision: revision) else {
        return .failure(Refusal(result: .stale(.versionGone(rollback.to, of: step.address))))
      }
      return .success([put(record, id)])
    case .restore(let restoration): return restore(step, restoration, id)
    case .accept(let acceptance): return accept(step, acceptance, id, held[acceptance.address], now)
    }
  }

  func gone(_ step: Step) -> Refusal { Refusal(result: .stale(.notRecorded(step.address))) }

  /// Whether a value is current already, and not only made.
  private func isRecorded(_ value: SecretBox, _ id: Identifier<Key>) -> Bool {
    guard let record = keys[id], record.pending?.number != record.version.number else { return false }
    return record.version.fingerprint == applier.store.fingerprint(value, of: id)
  }

  private func issuedAt(of value: SecretBox, _ id: Identifier<Key>, _ facts: KeyFacts) -> Moment? {
    // Most keys have no date, and need no fingerprint for it.
    guard facts.issued != nil else { return nil }
    return KeyRecord.issuedAt(of: applier.store.fingerprint(value, of: id), facts, over: keys[id])
  }

  /// Refuses a value that is to be checked, unless its provider accepts it. What is refused for good is remembered, so that no
  /// later apply stores it unchecked.
  private func admit(
    _ value: SecretBox, _ write: KeyWrite, _ id: Identifier<Key>, _ taken: Taken
  ) -> Result<KeyCheck?, Refusal> {
    guard write.isChecked, !isRecorded(value, id) else { return .success(nil) }
    switch taken.verdicts[id] {
    case .accepted(let check): return .success(check)
    case .refused(let check, let reason):
      let fingerprint = applier.store.fingerprint(value, of: id)
      let changes = keys[id].map { [put($0.refusing(fingerprint, check, revision: revision), id)] } ?? []
      return .failure(
        Refusal(result: .failed(.reported(reason: reason, isUnreachable: false)), changes: changes))
    case .undecided(let reason, let isUnreachable):
      return .failure(Refusal(result: .failed(.reported(reason: reason, isUnreachable: isUnreachable))))
    case nil: return .failure(Refusal(result: .failed(.unsupported(.checks))))
    }
  }

  /// Takes a value in: a new version, or the same one where what was known at apply only turns out to be what is recorded.
  private func take(
    _ value: SecretBox, _ write: KeyWrite, _ id: Identifier<Key>, _ now: Moment, from origin: String?,
    _ taken: Taken, _ check: KeyCheck? = nil, isUnseen: Bool
  ) -> Result<RecordChange, Refusal> {
    if write.isMinted {
      guard let before = keys[id], let record = before.usingPending(write, check, revision: revision) else {
        return .failure(Refusal(result: .stale(.notRecorded(.key(id)))))
      }
      return .success(put(record.narrowed(from: before, among: start.recipients, and: recipients, at: now), id))
    }
    let fingerprint = applier.store.fingerprint(value, of: id)
    if let record = keys[id], record.version.fingerprint == fingerprint {
      var updated = record.updating(write, from: origin, revision: revision).issued(as: write)
        .narrowed(from: record, among: start.recipients, and: recipients, at: now)
      if isUnseen, let missed = missedFormat(value, id) { updated.version.missedFormat = missed }
      return .success(put(withContent(updated, id, taken), id))
    }
    let before = keys[id] ?? forgotten.last { $0.key == id }?.record
    // One that is read at apply only; any other was seen when it was planned.
    if let revocation = before?.revocation(of: fingerprint) {
      return .failure(Refusal(result: .failed(.revokedValue(revocation, of: .key(id)))))
    }
    let stored = KeyRecord.storing(
      write, fingerprint, from: origin, number: partNumber(of: id), over: keys[id], after: before, revision: revision,
      at: now
    )
    .issued(as: write)
    .narrowed(from: before, among: start.recipients, and: recipients, at: now)
    var record = withContent(stored, id, taken)
    record.version.check = check
    if isUnseen, write.generated == nil { record.version.missedFormat = missedFormat(value, id) }
    keys[id] = record
    return .success(.key(id, record, value: value))
  }

  /// The format of the key's provider, if the value does not have it.
  private func missedFormat(_ value: SecretBox, _ id: Identifier<Key>) -> String? {
    guard let key = applier.manifest.keys[id], let format = limits.formatAtApply(key, in: applier.manifest),
      !applier.observer.looksRight(value, format)
    else { return nil }
    return format.text
  }

  /// The note about a value whose format no plan could check.
  private func note(on step: Step) -> StepNote? {
    guard case .store(.key(let id, let effect)) = step.effect, step.ground.source == nil else { return nil }
    switch effect {
    case .store, .replace, .adopt: break
    case .move, .update, .retire, .revoke, .purge, .forget, .rollback, .restore, .accept: return nil
    }
    guard let record = keys[id], record.missesFormat(of: applier.manifest.providers[record.facts.provider]) else {
      return nil
    }
    return .unexpectedFormat(provider: record.facts.provider)
  }

  /// The record with the digest of the file that its value came from, if git tracks that file.
  private func withContent(_ record: KeyRecord, _ id: Identifier<Key>, _ taken: Taken) -> KeyRecord {
    let source = applier.manifest.keys[id]?.sources.first { $0.description == record.version.origin }
    var record = record
    record.trackedContent = source.flatMap { taken.contents[$0] }
    return record
  }

  func put(_ record: KeyRecord, _ id: Identifier<Key>) -> RecordChange {
    keys[id] = record
    return .key(id, record, value: nil)
  }

  /// The token that a step takes over.
  private func token(
    for typed: StoreStep, _ id: Identifier<Account>, _ answers: [Reference: SourceAnswer],
    _ left: [Reference: SourceAnswer]
  ) -> Result<SecretBox, Refusal> {
    let step = typed.step
    if let original = takeover(of: typed.effect)?.original {
      let token = left[original].map { applier.observer.token(in: $0, for: id, applier.manifest).answer }
      return answer(token, of: original, to: step)
    }
    guard let reference = reference(of: typed) else { return .failure(gone(step)) }
    return answer(answers[reference], of: reference, to: step)
  }

  /// The value that a step stores, if its source still has what it was planned with.
  private func value(
    for typed: StoreStep, _ write: KeyWrite, _ id: Identifier<Key>, _ taken: Taken
  ) -> Result<(value: SecretBox, origin: String?), Refusal> {
    let step = typed.step
    let value: SecretBox
    var origin: String?
    if let generated = write.generated {
      var random = SystemRandomNumberGenerator()
      value = generated.makeSecret(from: &random)
    } else if write.isMinted {
      guard let pending = keys[id]?.pending else { return .failure(gone(step)) }
      do throws(StoreError) { value = try applier.store.value(of: id, version: pending.number) } catch {
        return .failure(Refusal(result: .failed(error)))
      }
    } else if write.isDeferred {
      let sources = applier.manifest.keys[id]?.sources ?? []
      guard let found = taken.deferred[id] else {
        return .failure(Refusal(result: .failed(.noValue(at: sources))))
      }
      switch answer(found.answer, of: sources[found.index], to: step) {
      case .success(let answer): (value, origin) = (answer, sources[found.index].description)
      case .failure(let refusal): return .failure(refusal)
      }
    } else if let reference = reference(of: typed) {
      guard step.ground.content == nil || taken.contents[reference] == step.ground.content else {
        return .failure(Refusal(result: .stale(.changed(.file(reference)))))
      }
      switch answer(taken.answers[reference], of: reference, to: step) {
      case .success(let answer): value = answer
      case .failure(let refusal): return .failure(refusal)
      }
    } else if let given = applier.given[id] {
      value = given
    } else {
      return .failure(Refusal(result: .stale(.notGiven(step.address))))
    }
    guard let planned = step.ground.source else { return .success((value, origin)) }
    guard applier.observer.fingerprints.fingerprint(value, of: id) == planned else {
      return .failure(Refusal(result: .stale(.changed(.value(step.address)))))
    }
    return .success((value, origin))
  }

  private nonisolated func answer(
    _ answer: SourceAnswer?, of reference: Reference, to step: Step
  ) -> Result<SecretBox, Refusal> {
    switch answer {
    case .value(let value): return .success(value)
    case .missing, nil:
      let isStale = step.ground.source != nil
      return .failure(Refusal(result: isStale ? .stale(.noValue(reference)) : .failed(.noValue(at: [reference]))))
    case .failed(let failure): return .failure(Refusal(result: .failed(failure.at(reference))))
    }
  }
}

extension KeyRecord {
  /// The record with the key at the provider that a write names; itself where it names none.
  fileprivate func issued(as write: KeyWrite) -> KeyRecord {
    write.issued.map { issued(as: $0) } ?? self
  }
}
