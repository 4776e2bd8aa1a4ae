internal import KeyplanModel

/// Removes originals whose values are in the store, or will be after the plan is applied.
struct RemovalStage: PlanningStage {
  let context: PlanningContext
  var decisions = Decisions()
  private let states: PlannedKeyStates
  private let adopting: Set<Identifier<Account>>
  private let refreshing: Set<Identifier<Account>>

  init(
    _ context: PlanningContext, _ states: PlannedKeyStates, _ accounts: AccountStage,
    _ claims: [Destination: TargetStage.Claim]
  ) {
    self.context = context
    self.states = states
    adopting = accounts.adopting
    refreshing = accounts.refreshing
    plan(claims)
  }

  private mutating func plan(_ claims: [Destination: TargetStage.Claim]) {
    let keys = context.adoptions.inOrder.filter { $0.value.removesOriginal && observed.originals[$0.key] != nil }
    let accounts = context.takeovers.inOrder.filter { $0.value.removesOriginal && observed.tokens[$0.key] != nil }
    guard !keys.isEmpty || !accounts.isEmpty else { return }
    let users = OriginalUsers(context, claims)
    for (id, migration) in keys where recorded.keys[id] != nil || isWritten(.key(id)) {
      planRemoval(migration, observed.originals[id], hadBy: known(of: id), users)
    }
    for (id, migration) in accounts where isTaken(id) || isWritten(.account(id)) {
      planRemoval(migration, observed.tokens[id], hadBy: isWritten(.account(id)) ? nil : known(of: id), users)
    }
  }

  private mutating func planRemoval(
    _ migration: Migration, _ finding: SourceFinding?, hadBy known: Set<Fingerprint>?, _ users: OriginalUsers
  ) {
    guard let reference = migration.original, let finding,
      let ground = ground(forRemoving: reference, finding, migration, known)
    else { return }
    if let id = migration.account, observed.sharedSignIns.contains(id) {
      return report(.migration(migration.number, .holdsOthers(reference, id)), at: migration.place)
    }
    if let user = users.whoReads(reference) { return refuse(migration, reference, user) }
    // Others that adopt the same value must have it before it is removed.
    let heirs = users.whoAdopts(reference).filter { $0 != migration.successor && !hasIt($0) }
    if let successor = heirs.first(where: { !isWritten($0) }) { return refuse(migration, reference, successor.address) }
    let surface = manifest.surface(of: reference).map(Address.surface)
    add(
      .outside(
        .removeOriginal(migration: migration.number, of: migration.successor, from: reference.description)),
      because: recorded.interrupted[migration.address] == nil ? .migration : .interrupted, on: ground,
      after: [migration.successor.address] + heirs.map(\.address) + surface)
  }

  /// Whether this plan adopts the value.
  private func isWritten(_ successor: Migration.Successor) -> Bool {
    switch successor {
    case .key(let id): states[id]?.isWritten == true
    case .account(let id): adopting.contains(id)
    }
  }

  private func hasIt(_ successor: Migration.Successor) -> Bool {
    switch successor {
    case .key(let id): recorded.keys[id] != nil
    case .account(let id): isTaken(id)
    }
  }

  /// Whether an account has tokens that were not rejected, and the first of them has been used or is about to be.
  private func isTaken(_ id: Identifier<Account>) -> Bool {
    guard let record = recorded.accounts[id], let signIn = record.signIn, signIn.ended == nil,
      record.facts == manifest.accounts[id]?.facts
    else { return false }
    return signIn.adopted == nil || signIn.refreshedAt != nil || refreshing.contains(id)
  }

  /// The current and earlier values of a key; nil if it is not recorded.
  private func known(of id: Identifier<Key>) -> Set<Fingerprint>? {
    recorded.keys[id].map { Set(([$0.version] + $0.history).map(\.fingerprint)) }
  }

  /// The token that an account took over.
  private func known(of id: Identifier<Account>) -> Set<Fingerprint>? {
    recorded.accounts[id].map { Set([$0.signIn?.adopted].compactMap(\.self)) }
  }

  /// Nil if there is nothing to remove.
  private mutating func ground(
    forRemoving reference: Reference, _ finding: SourceFinding, _ migration: Migration, _ known: Set<Fingerprint>?
  ) -> Precondition? {
    switch finding {
    case .value(let found, _, _), .given(let found, _):
      if let known, !known.contains(found) {
        report(.migration(migration.number, .otherValue(reference, migration.successor)), at: migration.place)
        return nil
      }
      return Precondition(source: found)
    case .notAllowed, .deferred, .contentChanged, .notAskedHere, .wanted:
      return known?.isEmpty == true ? nil : Precondition()
    // It was removed before that was recorded: only recording is left to do. Otherwise its absence means nothing: the value may be on
    // another machine.
    case .missing: return recorded.interrupted[migration.address] == nil ? nil : Precondition()
    case .failed(_, let failure):
      // Of a key that has no value yet it has been reported already.
      guard known != nil else { return nil }
      report(.migration(migration.number, .notRemoved(reference, failure)), at: migration.place)
      return nil
    }
  }

  private mutating func refuse(_ migration: Migration, _ reference: Reference, _ user: Address) {
    report(.migration(migration.number, .stillNeeded(reference, by: user)), at: migration.place)
  }
}
