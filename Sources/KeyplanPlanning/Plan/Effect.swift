package import KeyplanModel

/// The action of a step, with its arguments.
///
/// There are three kinds, each carried out by different code, so that each interpreter handles all cases that it can receive.
package indirect enum Effect: Hashable, Sendable {
  /// Changes only records.
  case store(StoreEffect)
  /// Changes a place or queries a service, and records the result.
  case outside(OutsideEffect)
  /// Requires a person. An apply only records the result of a completed sign-in.
  case person(PersonEffect)

  /// A change of one key's record.
  static func key(_ id: Identifier<Key>, _ effect: KeyEffect) -> Effect { .store(.key(id, effect)) }
}

/// A change of records. Steps that follow each other are one transaction.
package enum StoreEffect: Hashable, Sendable {
  /// Allows the manifest to access something outside its folder, under these terms.
  case allow(ExternalAccess, AccessGrant)
  /// Revokes that permission when the manifest no longer uses it.
  case disallow(ExternalAccess)
  /// Records the manifest's rules for keys and the exceptions that it allows.
  case guards(GuardsChange)
  /// Encrypts the root key to other recipients; creates a new root key if a recipient is removed.
  case rewrap(Rewrap)
  /// Changes a key's record.
  case key(Identifier<Key>, KeyEffect)
  /// Makes a key the active one of a slot; `was` is the previous one.
  case activate(Identifier<Slot>, Identifier<Key>, was: Identifier<Key>?)
  /// Removes a slot's active key.
  case deactivate(Identifier<Slot>, was: Identifier<Key>)
  /// Deletes a slot's record, as requested by a command.
  case forgetSlot(Identifier<Slot>)
  /// Deletes a target's record, as requested by a command. The target is not changed.
  case forgetTarget(Identifier<Target>)
  /// Deletes the record of one name at a target, as requested by a command. The target is not changed.
  case forgetEntry(Identifier<Target>, name: String)
  /// Imports the refresh token at this reference.
  case adoptToken(Identifier<Account>, from: String, AccountFacts)
  /// Marks an interrupted step as finished if nothing is left to do.
  case settle(Address)
}

extension StoreEffect {
  /// Whether a provider decides first if a value is stored.
  package var isChecked: Bool { if case .key(_, let effect) = self { effect.write?.isChecked == true } else { false } }
}

/// A change of one key's record.
package enum KeyEffect: Hashable, Sendable {
  /// Renames a record to this key, with its history. Slots and targets that refer to it are updated.
  case move(from: Identifier<Key>)
  /// Records a key without a source for the first time, with the value at this reference.
  case adopt(KeyWrite, from: String)
  /// Records a key for the first time.
  case store(KeyWrite)
  /// Gives a recorded key a new version.
  case replace(KeyWrite)
  /// Changes recorded facts other than the value.
  case update(KeyWrite)
  /// Makes an earlier version of the value the current one.
  case rollback(KeyRollback)
  /// Restores a forgotten record with its history.
  case restore(KeyRestoration)
  /// Stores the value found at a target as the new one. The target is only read.
  case accept(KeyAcceptance)
  /// Stops using the key; keeps its record.
  case retire
  /// Stops every use of the current value, for good.
  case revoke(KeyRevocation)
  /// Deletes values that are recorded, so that they cannot be restored.
  case purge(KeyPurge)
  /// Deletes the record, which can be restored for 30 days.
  case forget

  /// The facts that the step records about the key; nil if it does not change them.
  package var write: KeyWrite? {
    switch self {
    case .store(let write), .replace(let write), .update(let write), .adopt(let write, _): write
    case .move, .rollback, .restore, .accept, .retire, .forget, .revoke, .purge: nil
    }
  }
}

/// An action at a place or a service.
package enum OutsideEffect: Hashable, Sendable {
  /// Writes values to a target.
  case sync(Identifier<Target>, TargetWrite)
  /// Removes values from a target.
  case withdraw(Identifier<Target>, TargetRemoval)
  /// Runs the program that follows a change at a target.
  case run(Identifier<Target>, TargetHook)
  /// Removes the original of an adopted value. `migration` is the migration's position in the list, from 1.
  case removeOriginal(migration: Int, of: Migration.Successor, from: String)
  /// Makes a key at its provider.
  case mint(Identifier<Key>, KeyMint)
  /// Looks once more for keys that earlier requests without an answer have made, and revokes them.
  case settle(Identifier<Key>, LateKeys)
  /// Makes replaced keys unusable at their provider, in such a way that a person can undo it.
  case disable(Identifier<Key>, IssuedKeys)
  /// Revokes replaced keys at their provider.
  case end(Identifier<Key>, IssuedKeys)
  /// Puts off the end of keys at their provider.
  case renew(Identifier<Key>, IssuedKeys)
  /// Gets an account's next access token.
  case refresh(Identifier<Account>, AccountRefresh)
  /// Looks up which of an account's calendars is used, and records it.
  case select(Identifier<Account>, AccountSelection)
  /// Deletes an account's record and tokens.
  case signOut(Identifier<Account>, AccountSignOut)
}

/// An action that requires a person.
package enum PersonEffect: Hashable, Sendable {
  /// Signs in to a calendar account.
  case signIn(Identifier<Account>, AccountNeed)
  /// Makes a key at its provider, and stores its value in keyplan.
  case issue(Identifier<Key>, ManualMint)
}

extension Effect {
  /// The address that it changes.
  package var subject: Address {
    switch self {
    case .store(let effect): effect.subject
    case .outside(let effect): effect.subject
    case .person(.signIn(let id, _)): .calendar(id)
    case .person(.issue(let id, _)): .key(id)
    }
  }

  /// The name of the action.
  package var action: Action {
    switch self {
    case .store(let effect): effect.action
    case .outside(let effect): effect.action
    case .person(.signIn): .authorize
    case .person(.issue): .issue
    }
  }

  /// The phase in which it is carried out.
  package var phase: Phase {
    switch self {
    case .store(let effect): effect.phase
    case .outside(let effect): effect.phase
    case .person: .askingPerson
    }
  }

  /// Whether it only refreshes a token. Such steps depend on the time and are not a change of the plan.
  package var isUpkeep: Bool { action == .refresh }

  /// Whether an apply cannot carry it out.
  package var needsPerson: Bool { if case .person = self { true } else { false } }
}

extension StoreEffect {
  /// The address that it changes.
  package var subject: Address {
    switch self {
    case .allow(let item, _), .disallow(let item): .surface(item)
    case .guards: .rules
    case .rewrap: .recipients
    case .key(let id, _): .key(id)
    case .activate(let id, _, _), .deactivate(let id, _), .forgetSlot(let id): .slot(id)
    case .forgetTarget(let id): .target(id)
    case .forgetEntry(let id, let name): .entry(id, name: name)
    case .adoptToken(let id, _, _): .calendar(id)
    case .settle(let address): address
    }
  }

  fileprivate var action: Action {
    switch self {
    case .allow: .allow
    case .disallow: .disallow
    case .guards: .guards
    case .rewrap: .rewrap
    case .key(_, let effect): effect.action
    case .activate: .activate
    case .deactivate: .deactivate
    case .forgetSlot, .forgetTarget, .forgetEntry: .forget
    case .adoptToken: .adoptToken
    case .settle: .settle
    }
  }

  fileprivate var phase: Phase {
    switch self {
    case .allow: .allowing
    case .guards, .rewrap: .protecting
    case .key(_, .move): .renaming
    case .settle: .settling
    case .key(_, .retire): .retiring
    case .key(_, .store(let write)) where write.composition != nil: .composing
    case .key(_, .replace(let write)) where write.composition != nil: .composing
    case .key(_, .forget), .key(_, .purge), .forgetSlot, .forgetTarget, .forgetEntry: .forgetting
    case .key, .adoptToken: .recording
    case .activate, .deactivate: .activating
    case .disallow: .disallowing
    }
  }
}

extension KeyEffect {
  fileprivate var action: Action {
    switch self {
    case .move: .move
    case .adopt: .adopt
    case .store: .store
    case .replace: .replace
    case .update: .update
    case .rollback: .rollback
    case .restore: .restore
    case .accept: .accept
    case .retire: .retire
    case .revoke: .revoke
    case .purge: .purge
    case .forget: .forget
    }
  }
}

extension OutsideEffect {
  /// The address that it changes.
  package var subject: Address {
    switch self {
    case .sync(let id, _), .withdraw(let id, _), .run(let id, _): .target(id)
    case .mint(let id, _), .settle(let id, _), .disable(let id, _), .end(let id, _), .renew(let id, _): .key(id)
    case .removeOriginal(let number, _, _): .migration(number)
    case .refresh(let id, _), .select(let id, _), .signOut(let id, _): .calendar(id)
    }
  }

  fileprivate var action: Action {
    switch self {
    case .sync: .sync
    case .withdraw: .withdraw
    case .run: .run
    case .removeOriginal: .remove
    case .mint: .mint
    case .settle: .settle
    case .disable: .disableIssued
    case .end: .revokeIssued
    case .renew: .renew
    case .refresh: .refresh
    case .select: .select
    case .signOut: .signOut
    }
  }

  /// The target at which it sets or removes names, so that the target's hook is due; nil if it does neither.
  package var changedTarget: Identifier<Target>? {
    switch self {
    case .sync(let id, let write): write.entries.contains { $0.reason != .alreadyThere } ? id : nil
    case .withdraw(let id, let removal): removal.names.isEmpty ? nil : id
    case .run, .removeOriginal, .mint, .settle, .disable, .end, .renew, .refresh, .select, .signOut: nil
    }
  }

  package var phase: Phase {
    switch self {
    case .withdraw(_, let removal): removal.isMove ? .clearing : .withdrawing
    case .sync: .writing
    case .run: .runningHooks
    case .mint: .minting
    case .settle: .settling
    case .disable: .disablingIssued
    case .end: .revokingIssued
    case .removeOriginal(_, .key, _): .removingOriginals
    case .refresh, .renew: .refreshing
    case .select: .selecting
    case .removeOriginal(_, .account, _): .removingTokens
    case .signOut: .signingOut
    }
  }
}

/// The name of what a step does, in plan files, events and summaries, in the order in which summaries count.
package enum Action: String, Sendable, CaseIterable, CustomStringConvertible {
  case allow, disallow
  case guards = "guard"
  case rewrap, move, mint, store, adopt, replace, update, activate, deactivate, sync, withdraw, run, remove, settle,
    retire,
    forget
  case rollback, restore, accept, revoke, purge, authorize, adoptToken, refresh, select, signOut
  case issue, renew, disableIssued, revokeIssued

  /// The raw value.
  package var description: String { rawValue }
}

/// The order in which steps are carried out. A value is written before it is used, and withdrawn before its record is deleted.
package enum Phase: Int, Sendable {
  case allowing, protecting, renaming, settling
  /// A key is made before its value is recorded.
  case minting
  case recording
  /// A value is made of others after these are recorded.
  case composing
  case activating
  /// A target that moves is cleared at its old place before it is written at the new one.
  case clearing
  case writing, withdrawing
  /// Targets that are no longer declared come after declared ones, which may take over their values.
  case leaving
  case runningHooks
  /// Keys at providers end after everything else has the next ones.
  case disablingIssued, revokingIssued
  case removingOriginals
  /// Requests to services come after everything local.
  case refreshing, selecting
  /// A token's original is removed only after the service has accepted the token.
  case removingTokens
  case signingOut, disallowing, retiring, forgetting, askingPerson
}

extension Effect {
  /// Whether its failure is recorded. The command after a target's writes has a record of its own.
  package var recordsFailure: Bool {
    switch self {
    case .outside(.run), .store, .person: false
    case .outside: true
    }
  }
}
