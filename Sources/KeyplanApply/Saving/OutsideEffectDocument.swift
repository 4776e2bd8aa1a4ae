internal import KeyplanModel
internal import KeyplanPlanning

/// An action at a place or a service in plan files and in `plan --json`.
extension OutsideEffect {
  func encode(to fields: inout KeyedEncodingContainer<EffectField>) throws {
    switch self {
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

  /// Reads what `encode` writes; nil for an action of another kind, or that its address cannot have.
  init?(_ action: Action, at address: Address, _ fields: EffectFields) throws {
    func issued() throws -> IssuedKeys { IssuedKeys(keys: try fields(.keys)) }
    switch (action, address) {
    case (.sync, .target(let id)): self = .sync(id, try fields(.target))
    case (.withdraw, .target(let id)): self = .withdraw(id, try fields(.removal))
    case (.run, .target(let id)): self = .run(id, try fields(.hook))
    case (.remove, .migration(let number)):
      let account = try fields.decodeIfPresent(Identifier<Account>.self, forKey: .calendar)
      let successor = try account.map(Migration.Successor.account) ?? .key(try fields(.key))
      self = .removeOriginal(migration: number, of: successor, from: try fields(.from))
    case (.mint, .key(let id)): self = .mint(id, try fields(.mint))
    case (.settle, .key(let id)): self = .settle(id, try fields(.late))
    case (.disableIssued, .key(let id)): self = .disable(id, try issued())
    case (.revokeIssued, .key(let id)): self = .end(id, try issued())
    case (.renew, .key(let id)): self = .renew(id, try issued())
    case (.refresh, .calendar(let id)): self = .refresh(id, try fields(.refresh))
    case (.select, .calendar(let id)): self = .select(id, try fields(.selection))
    case (.signOut, .calendar(let id)): self = .signOut(id, try fields(.signOut))
    default: return nil
    }
  }
}

/// An action that requires a person, in the same places.
extension PersonEffect {
  func encode(to fields: inout KeyedEncodingContainer<EffectField>) throws {
    switch self {
    case .signIn(_, let need): try fields.encode(need, forKey: .need)
    case .issue(_, let manual): try fields.encode(manual, forKey: .manual)
    }
  }

  init?(_ action: Action, at address: Address, _ fields: EffectFields) throws {
    switch (action, address) {
    case (.authorize, .calendar(let id)): self = .signIn(id, try fields(.need))
    case (.issue, .key(let id)): self = .issue(id, try fields(.manual))
    default: return nil
    }
  }
}

/// The same for the plan's id.
extension ByteWriter {
  mutating func fields(of effect: PersonEffect) {
    switch effect {
    case .issue(_, let manual):
      field(1, text: manual.page)
      field(2, text: manual.steps)
      field(3, if: manual.isRevocable)
    case .signIn(_, let need):
      field(1) { $0.fields(of: need.facts) }
      field(2, text: need.reason.rawValue)
      for scope in need.missing { field(3, text: scope) }
    }
  }

  mutating func fields(of issued: IssuedKeys.Key) {
    field(1, text: issued.id)
    destination(issued.place, from: 2)
  }

  mutating func fields(of effect: OutsideEffect) {
    switch effect {
    case .sync(_, let write):
      destination(write.destination, from: 1)
      for entry in write.entries {
        field(4) { writer in
          writer.field(1, text: entry.name)
          writer.field(2, text: entry.key.name)
          writer.field(3, text: entry.reason.rawValue)
        }
      }
      field(5, number: Int64(write.total))
      field(6, text: write.mode?.was?.description)
      field(7, text: write.mode?.mode.description)
    case .withdraw(_, let removal):
      destination(removal.destination, from: 1)
      for name in removal.names { field(4, text: name) }
      for name in removal.released { field(5, text: name) }
      field(6, if: removal.isMove)
    case .run(_, let hook):
      for word in hook.command { field(1, text: word) }
    case .removeOriginal(_, let successor, let from):
      field(1, text: successor.address.description)
      field(2, text: from)
    case .mint(_, let mint):
      destination(mint.place, from: 1)
      for part in mint.parts {
        field(4) { writer in
          writer.field(1, text: part.name)
          writer.field(2, text: part.key.name)
          if let revision = part.revision { writer.field(3, number: revision) }
        }
      }
    case .settle(_, let late):
      destination(late.place, from: 1)
      for label in late.labels { field(4, text: label) }
    case .disable(_, let end), .end(_, let end), .renew(_, let end):
      for key in end.keys { field(1) { $0.fields(of: key) } }
    case .refresh(_, let refresh):
      field(1) { $0.fields(of: refresh.facts) }
      field(2, text: refresh.reason.rawValue)
      field(3, number: refresh.epoch)
    case .select(_, let selection):
      field(1) { $0.fields(of: selection.facts) }
      if let calendar = selection.calendar { field(2) { $0.fields(of: calendar) } }
      field(3, text: selection.wanted)
      if let calendar = selection.was { field(4) { $0.fields(of: calendar) } }
    case .signOut(_, let signOut):
      field(1) { $0.fields(of: signOut.facts) }
      field(2, if: signOut.revokes)
    }
  }
}
