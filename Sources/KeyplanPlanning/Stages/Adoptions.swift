package import KeyplanModel

extension Manifest {
  /// The adoptions that are still to be carried out, by key: those of keys that have no value yet, and those whose original
  /// is still to be removed.
  package func adoptions(in recorded: Recorded) -> [Identifier<Key>: Migration] {
    var adoptions: [Identifier<Key>: Migration] = [:]
    for migration in migrations {
      guard case .place(_, let isRemoved) = migration.origin, let key = migration.key,
        keys[key].map({ $0.sources.isEmpty && $0.generated == nil && $0.composition == nil }) == true,
        isRemoved || recorded.keys[key] == nil,
        !recorded.migrated.contains(migration.mark), adoptions[key] == nil
      else { continue }
      adoptions[key] = migration
    }
    return adoptions
  }

  /// The migrations of other programs' refresh tokens that are still to be carried out, by account.
  package func takeovers(in recorded: Recorded) -> [Identifier<Account>: Migration] {
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
