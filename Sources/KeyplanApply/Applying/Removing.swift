internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts
internal import KeyplanSecrets

extension Run {
  /// Takes an original away, once the store has been asked for its value and has given the same value.
  func remove(_ step: Step, _ key: Identifier<Key>, from origin: String, _ number: Int) async {
    guard let (migration, reference) = original(of: adoptions[key], step, from: origin, number) else { return }
    let answer = await applier.observer.read([reference]).first ?? .missing()
    await remove(step, migration, reference, answer) { obstacle(toRemoving: $0, at: reference, step, key) }
  }

  /// A migration and what it still has to take away; nil where it has not, which closes the step.
  func original(
    of migration: Migration?, _ step: Step, from origin: String, _ number: Int
  ) -> (migration: Migration, reference: Reference)? {
    guard let migration, migration.number == number, migration.removesOriginal,
      let reference = migration.original, reference.description == origin
    else {
      close(step, .stale(.undeclared(step.address)))
      return nil
    }
    guard !start.migrated.contains(migration.mark) else {
      close(step, .stale(.migrated(step.address)))
      return nil
    }
    return (migration, reference)
  }

  /// Takes an original away, whatever it holds for, unless something is in the way.
  /// - Parameter answer: what is there now.
  func remove(
    _ step: Step, _ migration: Migration, _ reference: Reference, _ answer: SourceAnswer,
    unless obstacle: (SecretBox) -> StepResult?
  ) async {
    switch answer {
    case .value(let value):
      if let obstacle = obstacle(value) { return close(step, obstacle) }
      if let failure = await remove(reference, holding: value) { return close(step, failure) }
    case .missing:
      guard step.ground.source == nil else { return close(step, .stale(.noValue(reference))) }
      // A killed run can have left the old value beside the file that it removed it from.
      await (applier.observer.sources[reference.scheme] as? any RemovableSource)?.removeLeftovers(at: reference)
    case .failed(let failure): return close(step, .failed(failure.at(reference)))
    }
    close(step, .done, [.migrated(migration.mark)])
  }

  /// Nil where it is gone.
  private func remove(_ reference: Reference, holding value: SecretBox) async -> StepResult? {
    guard let source = applier.observer.sources[reference.scheme] as? any RemovableSource else {
      return .failed(.unsupported(.removal(scheme: reference.scheme)))
    }
    do throws(AccessFailure) {
      try await source.remove(reference, holding: value)
      return nil
    } catch {
      return .failed(error.at(reference))
    }
  }

  private func obstacle(
    toRemoving value: SecretBox, at reference: Reference, _ step: Step, _ key: Identifier<Key>
  ) -> StepResult? {
    if let planned = step.ground.source, applier.observer.fingerprints.fingerprint(value, of: key) != planned {
      return .stale(.changed(.source(reference)))
    }
    let fingerprint = applier.store.fingerprint(value, of: key)
    let versions = keys[key].map { [$0.version] + $0.history } ?? []
    guard let version = versions.first(where: { $0.fingerprint == fingerprint }) else {
      return .stale(.otherValue(reference))
    }
    do throws(StoreError) {
      let kept = try applier.store.value(of: key, version: version.number)
      return kept.isSameValue(as: value) ? nil : .failed(.otherValueKept(key))
    } catch {
      return .failed(error)
    }
  }
}
