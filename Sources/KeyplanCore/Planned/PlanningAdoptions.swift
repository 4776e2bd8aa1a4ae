extension Manifest {
  /// The adoptions that are still to be carried out, by key: those of keys that have no value yet, and those whose original
  /// is still to be removed.
  public func adoptions(in recorded: Recorded) -> [Identifier<Key>: Migration] {
    var adoptions: [Identifier<Key>: Migration] = [:]
    for migration in migrations {
      guard case .place(_, let isRemoved) = migration.origin, let key = migration.key,
        keys[key]?.sources.isEmpty == true, isRemoved || recorded.keys[key] == nil,
        !recorded.migrated.contains(migration.mark), adoptions[key] == nil
      else { continue }
      adoptions[key] = migration
    }
    return adoptions
  }

  /// The migrations of other programs' refresh tokens that are still to be carried out, by account.
  public func takeovers(in recorded: Recorded) -> [Identifier<Account>: Migration] {
    var takeovers: [Identifier<Account>: Migration] = [:]
    for migration in migrations {
      guard let id = migration.account, accounts[id] != nil, takeovers[id] == nil,
        !recorded.migrated.contains(migration.mark)
      else { continue }
      takeovers[id] = migration
    }
    return takeovers
  }
}

extension PlanBuilder {
  /// Takes the value in for a key that has none yet. False where there is nothing to say about it.
  mutating func planAdoption(_ migration: Migration, _ key: Key) -> Bool {
    guard let reference = migration.original, let id = migration.key, let finding = observed.originals[id] else {
      return false
    }
    let fingerprint: Fingerprint?
    switch finding {
    case .value(let found, _, let looksRight), .given(let found, let looksRight):
      fingerprint = found
      if !looksRight { reportFormat(id, key) }
    case .notAllowed, .deferred, .contentChanged, .notAskedHere: fingerprint = nil
    case .missing:
      report(.key(id, .nothingToAdopt(at: reference)), at: migration.place)
      return true
    case .failed(_, let failure):
      report(.key(id, .sourceFailed(reference, failure, recorded: nil)), at: migration.place)
      return true
    }
    add(
      .adopt(KeyWrite(facts: key.facts, source: nil), from: reference.description), at: .key(id), because: .migration,
      on: Precondition(source: fingerprint), after: manifest.surface(of: reference).map(Address.surface))
    written[id] = outlook(of: key, storedAt: now, fingerprint, isWritten: true)
    return true
  }
}
