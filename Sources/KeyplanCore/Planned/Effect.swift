/// What a step does, together with what it does it to.
///
/// Three kinds, by who carries it out, so that no interpreter meets an effect that is not its own.
public indirect enum Effect: Hashable, Sendable {
  /// Changes records and nothing else.
  case store(StoreEffect)
  /// Changes a place or asks a service, and records the result.
  case outside(OutsideEffect)
  /// Waits for a person; an apply only records what that person brought.
  case person(PersonEffect)

  /// A change of one key's record.
  static func key(_ id: Identifier<Key>, _ effect: KeyEffect) -> Effect { .store(.key(id, effect)) }
}

/// A change of records. Steps that follow each other are one transaction.
public enum StoreEffect: Hashable, Sendable {
  /// Lets the manifest touch something outside its folder, under these terms.
  case allow(ExternalAccess, AccessGrant)
  /// Ends that, for something that the manifest no longer has.
  case disallow(ExternalAccess)
  /// Writes the store's records anew in the current format.
  case upgrade(StoreUpgrade)
  /// Records what the manifest demands of its keys, and what it gives leave for.
  case guards(GuardsChange)
  /// Wraps the root key for other recipients; with a fresh root key when somebody leaves.
  case rewrap(Rewrap)
  /// Changes a key's record.
  case key(Identifier<Key>, KeyEffect)
  /// Makes a key the active one of a slot; `was` is the one before.
  case activate(Identifier<Slot>, Identifier<Key>, was: Identifier<Key>?)
  /// Ends a slot.
  case deactivate(Identifier<Slot>, was: Identifier<Key>)
  /// Ends a slot's record by hand.
  case forgetSlot(Identifier<Slot>)
  /// Ends a target's record by hand; nothing is touched there.
  case forgetTarget(Identifier<Target>)
  /// Ends the record of one name of a target by hand; nothing is touched there.
  case forgetEntry(Identifier<Target>, name: String)
  /// Imports the refresh token at this reference.
  case adoptToken(Identifier<Account>, from: String, AccountFacts)
  /// Closes an interrupted step that has nothing left to do.
  case settle(Address)
}

/// A change of one key's record.
public enum KeyEffect: Hashable, Sendable {
  /// Gives a record this key's name, with its whole history; what names the record follows.
  case move(from: Identifier<Key>)
  /// Records a key without a source for the first time, with the value at this reference.
  case adopt(KeyWrite, from: String)
  /// Records a key for the first time.
  case store(KeyWrite)
  /// Gives a recorded key a new version.
  case replace(KeyWrite)
  /// Changes what is recorded beside the value.
  case update(KeyWrite)
  /// Makes an earlier version of the value the current one.
  case rollback(KeyRollback)
  /// Brings a forgotten record back, with its history.
  case restore(KeyRestoration)
  /// Takes the value that a target holds as the new one; the target is only read.
  case accept(KeyAcceptance)
  /// Ends a key's use and keeps its record.
  case retire
  /// Ends the record, which can be restored for 30 days.
  case forget

  /// What is recorded of the key beside its value; nil where that stays.
  public var write: KeyWrite? {
    switch self {
    case .store(let write), .replace(let write), .update(let write), .adopt(let write, _): write
    case .move, .rollback, .restore, .accept, .retire, .forget: nil
    }
  }
}

/// Something done at a place or a service.
public enum OutsideEffect: Hashable, Sendable {
  /// Writes values to a target.
  case sync(Identifier<Target>, TargetWrite)
  /// Takes values away from a target.
  case withdraw(Identifier<Target>, TargetRemoval)
  /// Takes what a key or an account has adopted away from where it was; the migration by its place in the list, from 1.
  case removeOriginal(migration: Int, of: Migration.Successor, from: String)
  /// Gets an account's next access token.
  case refresh(Identifier<Account>, AccountRefresh)
  /// Asks which of an account's calendars is used, and records it.
  case select(Identifier<Account>, AccountSelection)
  /// Ends an account's record, tokens included.
  case signOut(Identifier<Account>, AccountSignOut)
}

/// Something that only a person can do.
public enum PersonEffect: Hashable, Sendable {
  /// Signs in to a calendar account.
  case signIn(Identifier<Account>, AccountNeed)
}

extension Effect {
  /// What it is about.
  public var subject: Address {
    switch self {
    case .store(let effect): effect.subject
    case .outside(let effect): effect.subject
    case .person(.signIn(let id, _)): .calendar(id)
    }
  }

  /// What it is called.
  public var action: Action {
    switch self {
    case .store(let effect): effect.action
    case .outside(let effect): effect.action
    case .person(.signIn): .authorize
    }
  }

  /// When it is carried out.
  package var phase: Phase {
    switch self {
    case .store(let effect): effect.phase
    case .outside(let effect): effect.phase
    case .person(.signIn): .signingIn
    }
  }

  /// Whether it only keeps up what is there: such steps come and go with the hour and mean no change.
  public var isUpkeep: Bool { action == .refresh }

  /// Whether no apply can do it.
  public var needsPerson: Bool { if case .person = self { true } else { false } }
}

extension StoreEffect {
  /// What it is about.
  public var subject: Address {
    switch self {
    case .allow(let item, _), .disallow(let item): .surface(item)
    case .upgrade: .store
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
    case .upgrade: .upgrade
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
    case .upgrade: .upgrading
    case .allow: .allowing
    case .guards, .rewrap: .protecting
    case .key(_, .move): .renaming
    case .settle: .settling
    case .key(_, .retire): .retiring
    case .key(_, .forget), .forgetSlot, .forgetTarget, .forgetEntry: .forgetting
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
    case .forget: .forget
    }
  }
}

extension OutsideEffect {
  /// What it is about.
  public var subject: Address {
    switch self {
    case .sync(let id, _), .withdraw(let id, _): .target(id)
    case .removeOriginal(let number, _, _): .migration(number)
    case .refresh(let id, _), .select(let id, _), .signOut(let id, _): .calendar(id)
    }
  }

  fileprivate var action: Action {
    switch self {
    case .sync: .sync
    case .withdraw: .withdraw
    case .removeOriginal: .remove
    case .refresh: .refresh
    case .select: .select
    case .signOut: .signOut
    }
  }

  package var phase: Phase {
    switch self {
    case .withdraw(_, let removal): removal.isMove ? .clearing : .withdrawing
    case .sync: .writing
    case .removeOriginal(_, .key, _): .removingOriginals
    case .refresh: .refreshing
    case .select: .selecting
    case .removeOriginal(_, .account, _): .removingTokens
    case .signOut: .signingOut
    }
  }
}

/// The name of what a step does, in plan files, events and summaries, in the order in which summaries count.
public enum Action: String, Sendable, CaseIterable, CustomStringConvertible {
  case upgrade, allow, disallow
  case guards = "guard"
  case rewrap, move, store, adopt, replace, update, activate, deactivate, sync, withdraw, remove, settle, retire, forget
  case rollback, restore, accept, authorize, adoptToken, refresh, select, signOut

  /// The raw value.
  public var description: String { rawValue }
}

/// When a step is carried out: writes before what uses them, withdrawals before forgetting, forgetting last.
package enum Phase: Int, Sendable {
  case upgrading, allowing, protecting, renaming, settling, recording, activating
  /// Targets that move are cleared before they are written elsewhere.
  case clearing
  case writing, withdrawing
  /// Targets that leave come after those that stay, which may take values over from them.
  case leaving
  case removingOriginals
  /// Requests to services come after everything local.
  case refreshing, selecting
  /// A token's original waits until the service has taken the token.
  case removingTokens
  case signingOut, disallowing, retiring, forgetting, signingIn
}
