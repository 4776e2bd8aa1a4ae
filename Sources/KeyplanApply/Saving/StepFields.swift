internal import KeyplanModel
internal import KeyplanPlanning

/// The fields of a step for the plan's id. They differ whenever the steps do: an absent value has no field, and an absent list is
/// told apart from an empty one by a field of its own. Numbers need not be kept between versions, since an id is compared with that of
/// a plan made by the same version.
extension ByteWriter {
  mutating func fields(of step: Step) {
    field(1, text: step.address.description)
    field(2, text: step.cause.rawValue)
    field(3, text: step.effect.action.rawValue)
    field(4) { $0.fields(of: step.effect) }
    field(5) { $0.fields(of: step.ground) }
    for address in step.after { field(6, text: address.description) }
  }

  private mutating func fields(of ground: Precondition) {
    if let revision = ground.revision { field(1, number: revision) }
    field(2, fingerprint: ground.source)
    field(3, text: ground.content)
    if let target = ground.target {
      field(4, if: true)
      for (name, fingerprint) in target.sorted(by: { $0.key < $1.key }) {
        field(5) { writer in
          writer.text(name)
          writer.raw(fingerprint.bytes)
        }
      }
    }
    if let marks = ground.marks {
      field(6, if: true)
      for (name, mark) in marks.sorted(by: { $0.key < $1.key }) { field(7, pair: name, mark) }
    }
  }

  private mutating func fields(of effect: Effect) {
    switch effect {
    case .store(let effect): fields(of: effect)
    case .outside(let effect): fields(of: effect)
    case .person(.issue(_, let manual)):
      field(1, text: manual.page)
      field(2, text: manual.steps)
      field(3, if: manual.isRevocable)
    case .person(.signIn(_, let need)):
      field(1) { $0.fields(of: need.facts) }
      field(2, text: need.reason.rawValue)
      for scope in need.missing { field(3, text: scope) }
    }
  }

  private mutating func fields(of effect: StoreEffect) {
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
    if let source = write.source { field(2, number: Int64(source)) }
    field(3, text: write.generated?.description)
    field(4, if: write.isDeferred)
    field(5, if: write.isChecked)
    field(6, if: write.isMinted)
    if let issued = write.issued { field(7) { $0.fields(of: issued) } }
  }

  private mutating func fields(of issued: IssuedKeys.Key) {
    field(1, text: issued.id)
    destination(issued.place, from: 2)
  }

  private mutating func fields(of effect: OutsideEffect) {
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
