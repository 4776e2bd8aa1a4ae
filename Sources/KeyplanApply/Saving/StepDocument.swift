internal import KeyplanModel
package import KeyplanPlanning

/// A step in plan files and in `plan --json`: address, effect (an `action` and its fields), cause, precondition, and the addresses
/// that must succeed first.
package struct StepDocument: Codable, Sendable {
  /// The step.
  package let step: Step

  package init(_ step: Step) { self.step = step }

  private enum Field: String, CodingKey { case address, effect, cause, ground, after }

  private enum Particular: String, CodingKey {
    case action, from, key, was, write, target, removal, recipients, rollback, restoration, acceptance
    case hook, need, refresh, selection, signOut, account, calendar, grant, guards
    case revocation, purge, mint, late, keys, manual
  }

  /// Writes the five fields.
  package func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Field.self)
    try fields.encode(step.address, forKey: .address)
    try fields.encode(step.cause, forKey: .cause)
    try fields.encode(step.ground, forKey: .ground)
    try fields.encode(step.after, forKey: .after)
    var effect = fields.nestedContainer(keyedBy: Particular.self, forKey: .effect)
    try effect.encode(step.effect.action.rawValue, forKey: .action)
    switch step.effect {
    case .store(let change): try Self.encode(change, to: &effect)
    case .outside(let change): try Self.encode(change, to: &effect)
    case .person(.signIn(_, let need)): try effect.encode(need, forKey: .need)
    case .person(.issue(_, let manual)): try effect.encode(manual, forKey: .manual)
    }
  }

  private static func encode(_ effect: StoreEffect, to fields: inout KeyedEncodingContainer<Particular>) throws {
    switch effect {
    case .allow(_, let grant): try fields.encode(grant, forKey: .grant)
    case .disallow, .forgetSlot, .forgetTarget, .forgetEntry, .settle: break
    case .guards(let change): try fields.encode(change, forKey: .guards)
    case .rewrap(let rewrap): try fields.encode(rewrap, forKey: .recipients)
    case .key(_, let effect): try encode(effect, to: &fields)
    case .activate(_, let key, let was):
      try fields.encode(key, forKey: .key)
      try fields.encodeIfPresent(was, forKey: .was)
    case .deactivate(_, let was): try fields.encode(was, forKey: .was)
    case .adoptToken(_, let from, let facts):
      try fields.encode(from, forKey: .from)
      try fields.encode(facts, forKey: .account)
    }
  }

  private static func encode(_ effect: KeyEffect, to fields: inout KeyedEncodingContainer<Particular>) throws {
    switch effect {
    case .move(let from): try fields.encode(from, forKey: .from)
    case .adopt(let write, let from):
      try fields.encode(write, forKey: .write)
      try fields.encode(from, forKey: .from)
    case .store(let write), .replace(let write), .update(let write): try fields.encode(write, forKey: .write)
    case .rollback(let rollback): try fields.encode(rollback, forKey: .rollback)
    case .restore(let restoration): try fields.encode(restoration, forKey: .restoration)
    case .accept(let acceptance): try fields.encode(acceptance, forKey: .acceptance)
    case .revoke(let revocation): try fields.encode(revocation, forKey: .revocation)
    case .purge(let purge): try fields.encode(purge, forKey: .purge)
    case .retire, .forget: break
    }
  }

  private static func encode(_ effect: OutsideEffect, to fields: inout KeyedEncodingContainer<Particular>) throws {
    switch effect {
    case .sync(_, let write): try fields.encode(write, forKey: .target)
    case .withdraw(_, let removal): try fields.encode(removal, forKey: .removal)
    case .run(_, let hook): try fields.encode(hook, forKey: .hook)
    case .removeOriginal(_, let successor, let from):
      switch successor {
      case .key(let id): try fields.encode(id, forKey: .key)
      case .account(let id): try fields.encode(id, forKey: .calendar)
      }
      try fields.encode(from, forKey: .from)
    case .mint(_, let mint): try fields.encode(mint, forKey: .mint)
    case .settle(_, let late): try fields.encode(late, forKey: .late)
    case .disable(_, let end), .end(_, let end), .renew(_, let end): try fields.encode(end.keys, forKey: .keys)
    case .refresh(_, let refresh): try fields.encode(refresh, forKey: .refresh)
    case .select(_, let selection): try fields.encode(selection, forKey: .selection)
    case .signOut(_, let signOut): try fields.encode(signOut, forKey: .signOut)
    }
  }

  /// Reads what `encode` writes. Rejects an action that its address cannot have.
  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Field.self)
    let address = try fields.decode(Address.self, forKey: .address)
    let effect = try fields.nestedContainer(keyedBy: Particular.self, forKey: .effect)
    guard let action = Action(rawValue: try effect.decode(String.self, forKey: .action)),
      let effect = try Self.effect(action, at: address, effect)
    else {
      throw DecodingError.dataCorruptedError(
        forKey: .action, in: effect, debugDescription: "This action is not known at this address.")
    }
    step = Step(
      effect, because: try fields.decode(Cause.self, forKey: .cause),
      on: try fields.decode(Precondition.self, forKey: .ground),
      after: try fields.decode([Address].self, forKey: .after))
  }

  private static func effect(
    _ action: Action, at address: Address, _ fields: KeyedDecodingContainer<Particular>
  ) throws -> Effect? {
    if action == .settle {
      guard let late = try fields.decodeIfPresent(LateKeys.self, forKey: .late) else { return .store(.settle(address)) }
      guard case .key(let id) = address else { return nil }
      return .outside(.settle(id, late))
    }
    return switch address {
    case .key(let id):
      switch action {
      case .mint: .outside(.mint(id, try fields.decode(KeyMint.self, forKey: .mint)))
      case .disableIssued: .outside(.disable(id, try issuedKeys(fields)))
      case .renew: .outside(.renew(id, try issuedKeys(fields)))
      case .revokeIssued: .outside(.end(id, try issuedKeys(fields)))
      case .issue: .person(.issue(id, try fields.decode(ManualMint.self, forKey: .manual)))
      default: try effect(action, of: id, fields).map { .store(.key(id, $0)) }
      }
    case .calendar(let id): try effect(action, of: id, fields)
    case .target(let id):
      switch action {
      case .sync: .outside(.sync(id, try fields.decode(TargetWrite.self, forKey: .target)))
      case .withdraw: .outside(.withdraw(id, try fields.decode(TargetRemoval.self, forKey: .removal)))
      case .run: .outside(.run(id, try fields.decode(TargetHook.self, forKey: .hook)))
      case .forget: .store(.forgetTarget(id))
      default: nil
      }
    case .slot(let id):
      switch action {
      case .activate:
        .store(
          .activate(
            id, try fields.decode(Identifier<Key>.self, forKey: .key),
            was: try fields.decodeIfPresent(Identifier<Key>.self, forKey: .was)))
      case .deactivate: .store(.deactivate(id, was: try fields.decode(Identifier<Key>.self, forKey: .was)))
      case .forget: .store(.forgetSlot(id))
      default: nil
      }
    case .migration(let number):
      switch action {
      case .remove:
        .outside(
          .removeOriginal(
            migration: number, of: try successor(fields), from: try fields.decode(String.self, forKey: .from)))
      default: nil
      }
    case .entry(let id, let name):
      action == .forget ? .store(.forgetEntry(id, name: name)) : nil
    case .recipients, .surface, .rules, .store: try protection(action, at: address, fields).map(Effect.store)
    }
  }

  private static func issuedKeys(_ fields: KeyedDecodingContainer<Particular>) throws -> IssuedKeys {
    IssuedKeys(keys: try fields.decode([IssuedKeys.Key].self, forKey: .keys))
  }

  private static func successor(_ fields: KeyedDecodingContainer<Particular>) throws -> Migration.Successor {
    if let account = try fields.decodeIfPresent(Identifier<Account>.self, forKey: .calendar) {
      return .account(account)
    }
    return .key(try fields.decode(Identifier<Key>.self, forKey: .key))
  }

  private static func effect(
    _ action: Action, of id: Identifier<Key>, _ fields: KeyedDecodingContainer<Particular>
  ) throws -> KeyEffect? {
    func write() throws -> KeyWrite { try fields.decode(KeyWrite.self, forKey: .write) }
    return switch action {
    case .move: .move(from: try fields.decode(Identifier<Key>.self, forKey: .from))
    case .adopt: .adopt(try write(), from: try fields.decode(String.self, forKey: .from))
    case .store: .store(try write())
    case .replace: .replace(try write())
    case .update: .update(try write())
    case .rollback: .rollback(try fields.decode(KeyRollback.self, forKey: .rollback))
    case .restore: .restore(try fields.decode(KeyRestoration.self, forKey: .restoration))
    case .accept: .accept(try fields.decode(KeyAcceptance.self, forKey: .acceptance))
    case .revoke: .revoke(try fields.decode(KeyRevocation.self, forKey: .revocation))
    case .purge: .purge(try fields.decode(KeyPurge.self, forKey: .purge))
    case .retire: .retire
    case .forget: .forget
    default: nil
    }
  }

  private static func effect(
    _ action: Action, of id: Identifier<Account>, _ fields: KeyedDecodingContainer<Particular>
  ) throws -> Effect? {
    switch action {
    case .authorize: .person(.signIn(id, try fields.decode(AccountNeed.self, forKey: .need)))
    case .adoptToken:
      .store(
        .adoptToken(
          id, from: try fields.decode(String.self, forKey: .from),
          try fields.decode(AccountFacts.self, forKey: .account)))
    case .refresh: .outside(.refresh(id, try fields.decode(AccountRefresh.self, forKey: .refresh)))
    case .select: .outside(.select(id, try fields.decode(AccountSelection.self, forKey: .selection)))
    case .signOut: .outside(.signOut(id, try fields.decode(AccountSignOut.self, forKey: .signOut)))
    default: nil
    }
  }

  private static func protection(
    _ action: Action, at address: Address, _ fields: KeyedDecodingContainer<Particular>
  ) throws -> StoreEffect? {
    switch (action, address) {
    case (.allow, .surface(let item)): .allow(item, try fields.decode(AccessGrant.self, forKey: .grant))
    case (.disallow, .surface(let item)): .disallow(item)
    case (.guards, .rules): .guards(try fields.decode(GuardsChange.self, forKey: .guards))
    case (.rewrap, .recipients): .rewrap(try fields.decode(Rewrap.self, forKey: .recipients))
    default: nil
    }
  }
}
