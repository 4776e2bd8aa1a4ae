internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts
internal import KeyplanSecrets

/// Removes what a migration took a value or a token from, once the store has given back what was in it.
struct OriginalStep: Sendable {
  let context: RunContext
  let step: Step
  /// The migration's number, and where its original is.
  let number: Int
  let origin: String

  func remove(_ successor: Migration.Successor, _ ledger: isolated Ledger) async throws(Refusal) {
    let (migration, reference): (Migration, Reference)
    let answer: SourceAnswer
    switch successor {
    case .key(let id):
      (migration, reference) = try original(of: context.adoptions[id])
      answer = await context.observer.read([reference]).first ?? .missing()
      if case .value(let value) = answer { try check(value, at: reference, id, ledger) }
    case .account(let id):
      (migration, reference) = try original(of: context.takeovers[id])
      answer = await context.observer.files([reference])[reference] ?? .missing()
      if case .value(let file) = answer { try check(file, at: reference, id, ledger) }
    }
    try await remove(reference, answer)
    ledger.close(step, .done, [.migrated(migration.mark)])
  }

  /// A migration and what it still has to remove.
  private func original(of migration: Migration?) throws(Refusal) -> (migration: Migration, reference: Reference) {
    guard let migration, migration.number == number, migration.removesOriginal,
      let reference = migration.original, reference.description == origin
    else { throw .stale(.undeclared(step.address)) }
    guard !context.start.migrated.contains(migration.mark) else { throw .stale(.migrated(step.address)) }
    return (migration, reference)
  }

  private func remove(_ reference: Reference, _ answer: SourceAnswer) async throws(Refusal) {
    let source = context.observer.sources[reference.scheme] as? any RemovableSource
    switch answer {
    case .value(let value):
      guard let source else { throw .failed(.unsupported(.removal(scheme: reference.scheme))) }
      do throws(AccessFailure) { try await source.remove(reference, holding: value) } catch {
        throw .failed(error.at(reference))
      }
    case .missing:
      guard step.ground.source == nil else { throw .stale(.noValue(reference)) }
      // A killed run can have left a file with the old value next to the original.
      await source?.removeLeftovers(at: reference)
    case .failed(let failure): throw .failed(failure.at(reference))
    }
  }

  /// Refuses to remove a value that is not recorded, or that the store does not give back.
  private func check(
    _ value: SecretBox, at reference: Reference, _ key: Identifier<Key>, _ ledger: isolated Ledger
  ) throws(Refusal) {
    if let planned = step.ground.source, context.observer.fingerprints.fingerprint(value, of: key) != planned {
      throw .stale(.changed(.source(reference)))
    }
    let fingerprint = ledger.store.fingerprint(value, of: key)
    let versions = ledger.records.keys[key].map { [$0.version] + $0.history } ?? []
    guard let version = versions.first(where: { $0.fingerprint == fingerprint }) else {
      throw .stale(.otherValue(reference))
    }
    let kept = try ledger.read { store throws(StoreError) in try store.value(of: key, version: version.number) }
    guard kept.isSameValue(as: value) else { throw .failed(.otherValueKept(key)) }
  }

  /// Refuses to remove a token that is not recorded, that the service has not accepted yet, or that the store does not give back.
  private func check(
    _ file: SecretBox, at reference: Reference, _ id: Identifier<Account>, _ ledger: isolated Ledger
  ) throws(Refusal) {
    let found = context.observer.token(in: .value(file), for: id, context.manifest)
    guard found.isAlone else { throw .failed(.holdsOthers(reference)) }
    let token: SecretBox
    switch found.answer {
    case .value(let value): token = value
    case .missing: throw .stale(.noToken(reference))
    case .failed(let failure): throw .failed(failure.at(reference))
    }
    if let planned = step.ground.source, context.observer.fingerprints.fingerprint(token, of: id) != planned {
      throw .stale(.changed(.source(reference)))
    }
    guard let account = context.manifest.accounts[id], let record = ledger.records.accounts[id],
      record.facts == account.facts, let signIn = record.signIn, signIn.ended == nil,
      signIn.adopted == ledger.store.fingerprint(token, of: id)
    else { throw .stale(.otherToken(reference, id)) }
    guard signIn.refreshedAt != nil else { throw .stale(.tokenUnused(account.facts.service, id)) }
    let kept = try ledger.read { store throws(StoreError) in try store.tokens(of: id)?.refresh }
    guard let kept else { throw .failed(.otherTokenKept(id, isMissing: true)) }
    // A run that continues what another one began does not know the answer; the store returns what it sealed.
    guard let answer = ledger.records.granted[id] else { return }
    guard (answer.refresh ?? token).equals(kept) else { throw .failed(.otherTokenKept(id, isMissing: false)) }
  }
}
