internal import KeyplanModel
internal import KeyplanPlanning

/// A change of records in plan files and in `plan --json`.
extension StoreEffect {
  func encode(to fields: inout KeyedEncodingContainer<EffectField>) throws {
    switch self {
    case .allow(_, let grant): try fields.encode(grant, forKey: .grant)
    case .disallow, .forgetSlot, .forgetTarget, .forgetEntry, .settle: break
    case .guards(let change): try fields.encode(change, forKey: .guards)
    case .rewrap(let rewrap): try fields.encode(rewrap, forKey: .recipients)
    case .key(_, let effect): try effect.encode(to: &fields)
    case .activate(_, let key, let was):
      try fields.encode(key, forKey: .key)
      try fields.encodeIfPresent(was, forKey: .was)
    case .deactivate(_, let was): try fields.encode(was, forKey: .was)
    case .adoptToken(_, let from, let facts):
      try fields.encode(from, forKey: .from)
      try fields.encode(facts, forKey: .account)
    }
  }

  /// Reads what `encode` writes; nil for an action of another kind, or that its address cannot have.
  init?(_ action: Action, at address: Address, _ fields: EffectFields) throws {
    switch (action, address) {
    case (.settle, _):
      guard try fields.decodeIfPresent(LateKeys.self, forKey: .late) == nil else { return nil }
      self = .settle(address)
    case (.allow, .surface(let item)): self = .allow(item, try fields(.grant))
    case (.disallow, .surface(let item)): self = .disallow(item)
    case (.guards, .rules): self = .guards(try fields(.guards))
    case (.rewrap, .recipients): self = .rewrap(try fields(.recipients))
    case (.activate, .slot(let id)):
      self = .activate(
        id, try fields(.key), was: try fields.decodeIfPresent(Identifier<Key>.self, forKey: .was))
    case (.deactivate, .slot(let id)): self = .deactivate(id, was: try fields(.was))
    case (.forget, .slot(let id)): self = .forgetSlot(id)
    case (.forget, .target(let id)): self = .forgetTarget(id)
    case (.forget, .entry(let id, let name)): self = .forgetEntry(id, name: name)
    case (.adoptToken, .calendar(let id)): self = .adoptToken(id, from: try fields(.from), try fields(.account))
    case (_, .key(let id)):
      guard let effect = try KeyEffect(action, fields) else { return nil }
      self = .key(id, effect)
    default: return nil
    }
  }
}

extension KeyEffect {
  fileprivate func encode(to fields: inout KeyedEncodingContainer<EffectField>) throws {
    switch self {
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

  fileprivate init?(_ action: Action, _ fields: EffectFields) throws {
    switch action {
    case .move: self = .move(from: try fields(.from))
    case .adopt: self = .adopt(try fields(.write), from: try fields(.from))
    case .store: self = .store(try fields(.write))
    case .replace: self = .replace(try fields(.write))
    case .update: self = .update(try fields(.write))
    case .rollback: self = .rollback(try fields(.rollback))
    case .restore: self = .restore(try fields(.restoration))
    case .accept: self = .accept(try fields(.acceptance))
    case .revoke: self = .revoke(try fields(.revocation))
    case .purge: self = .purge(try fields(.purge))
    case .retire: self = .retire
    case .forget: self = .forget
    default: return nil
    }
  }
}

/// The same for the plan's id.
extension ByteWriter {
  mutating func fields(of effect: StoreEffect) {
    switch effect {
    case .disallow, .settle, .forgetSlot, .forgetTarget, .forgetEntry: break
    case .allow(_, let grant):
      for term in grant.terms { field(1, text: term) }
      field(2, if: grant.was != nil)
      for term in grant.was ?? [] { field(3, text: term) }
    case .guards(let change):
      for demand in change.demanded { field(1) { $0.fields(of: demand) } }
      for demand in change.dropped { field(2) { $0.fields(of: demand) } }
      for waiver in change.waived { field(3, text: waiver) }
      for waiver in change.revoked { field(4, text: waiver) }
    case .rewrap(let rewrap):
      for recipient in rewrap.recipients {
        field(1) { writer in
          writer.field(1, text: recipient.name.name)
          writer.field(2, text: recipient.value.publicKey)
          writer.field(3, text: recipient.value.role.rawValue)
        }
      }
      for name in rewrap.added { field(2, text: name) }
      for name in rewrap.removed { field(3, text: name) }
      field(4, if: rewrap.freshRoot == true)
    case .key(_, let effect): fields(of: effect)
    case .activate(_, let key, let was):
      field(1, text: key.name)
      field(2, text: was?.name)
    case .deactivate(_, let was): field(1, text: was.name)
    case .adoptToken(_, let from, let facts):
      field(1, text: from)
      field(2) { $0.fields(of: facts) }
    }
  }

  private mutating func fields(of demand: Guards.Demand) {
    field(1, text: demand.rule)
    field(2, text: demand.words)
    field(3, if: demand.keys != nil)
    for key in demand.keys ?? [] { field(4, text: key.name) }
  }

  private mutating func fields(of effect: KeyEffect) {
    switch effect {
    case .retire, .forget: break
    case .move(let from): field(1, text: from.name)
    case .adopt(let write, let from):
      field(1) { $0.fields(of: write) }
      field(2, text: from)
    case .store(let write), .replace(let write), .update(let write): field(1) { $0.fields(of: write) }
    case .rollback(let rollback):
      field(1, number: rollback.to)
      field(2, number: rollback.was)
      field(3, fingerprint: rollback.rejected)
    case .restore(let restoration):
      field(1, number: restoration.serial)
      field(2, fingerprint: restoration.rejected)
    case .revoke(let revocation):
      field(1, number: revocation.version)
      field(2, text: revocation.reason)
    case .purge(let purge):
      for version in purge.versions { field(1, number: version) }
      for serial in purge.forgotten { field(2, number: serial) }
      field(3, if: purge.isAll)
    case .accept(let acceptance):
      field(1, text: acceptance.target.name)
      destination(acceptance.destination, from: 2)
      field(5, text: acceptance.name)
      field(6, fingerprint: acceptance.rejected)
      field(7, text: acceptance.mark?.text)
    }
  }

  private mutating func fields(of write: KeyWrite) {
    field(1) { writer in
      writer.fields(of: write.facts)
      if let recipients = write.facts.recipients {
        writer.field(21) { writer in
          for name in recipients { writer.field(2, text: name.name) }
        }
      }
    }
    switch write.value {
    case .source(let index, _, _): field(2, number: Int64(index))
    case .generated(let value): field(3, text: value.description)
    case .firstSource: field(4, if: true)
    case .given, .minted, .composed: break
    }
    field(5, if: write.isChecked)
    if case .minted = write.value { field(6, if: true) }
    if let issued = write.issued { field(7) { $0.fields(of: issued) } }
    field(8, text: write.composition?.template)
    field(9, moment: write.issuedAt)
  }
}
