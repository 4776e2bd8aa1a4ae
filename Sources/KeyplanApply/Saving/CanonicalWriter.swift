internal import KeyplanCore

/// Writes steps as bytes that differ whenever the steps do: every field is length-prefixed, every list counted, nil is not
/// empty, and every case has its own tag.
struct CanonicalWriter {
  private(set) var bytes: [UInt8] = []

  mutating func number(_ value: Int64) {
    withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func text(_ value: String) {
    number(Int64(value.utf8.count))
    bytes.append(contentsOf: value.utf8)
  }

  mutating func text(_ value: String?) {
    optional(value) { $0.text($1) }
  }

  mutating func optional<Value>(_ value: Value?, _ write: (inout Self, Value) -> Void) {
    bytes.append(value == nil ? 0 : 1)
    if let value { write(&self, value) }
  }

  mutating func list<Value>(_ values: some Collection<Value>, _ write: (inout Self, Value) -> Void) {
    number(Int64(values.count))
    for value in values { write(&self, value) }
  }

  mutating func step(_ step: Step) {
    text(step.address.description)
    text(step.cause.rawValue)
    effect(step.effect)
    optional(step.ground.revision) { $0.number($1) }
    fingerprint(step.ground.source)
    text(step.ground.content)
    optional(step.ground.target) { writer, target in
      writer.list(target.sorted { $0.key < $1.key }) { writer, entry in
        writer.text(entry.key)
        writer.bytes.append(contentsOf: entry.value.bytes)
      }
    }
    // Only where there are any, so that other plans keep their ids.
    if let marks = step.ground.marks {
      text("marks")
      list(marks.sorted { $0.key < $1.key }) { writer, entry in
        writer.text(entry.key)
        writer.text(entry.value)
      }
    }
    list(step.after) { $0.text($1.description) }
  }

  private mutating func effect(_ effect: Effect) {
    text(effect.action.rawValue)
    switch effect {
    case .store(let effect): self.effect(effect)
    case .outside(let effect): self.effect(effect)
    case .person(.issue(_, let manual)):
      text(manual.page)
      text(manual.steps)
      if manual.isRevocable { text("revocable") }
    case .person(.signIn(_, let need)):
      account(need.facts)
      text(need.reason.rawValue)
      list(need.missing) { $0.text($1) }
    }
  }

  private mutating func effect(_ effect: StoreEffect) {
    switch effect {
    case .disallow, .settle, .forgetSlot, .forgetTarget, .forgetEntry: break
    case .allow(_, let grant):
      list(grant.terms) { $0.text($1) }
      optional(grant.was) { writer, was in writer.list(was) { $0.text($1) } }
    case .upgrade(let upgrade):
      number(Int64(upgrade.from))
      number(Int64(upgrade.to))
    case .guards(let change):
      for demands in [change.demanded, change.dropped] {
        list(demands) { writer, demand in
          writer.text(demand.rule)
          writer.optional(demand.keys) { writer, keys in writer.list(keys) { $0.text($1.name) } }
          writer.text(demand.words)
        }
      }
      for waivers in [change.waived, change.revoked] { list(waivers) { $0.text($1) } }
    case .rewrap(let rewrap):
      list(rewrap.recipients) { writer, recipient in
        writer.text(recipient.name.name)
        writer.text(recipient.value.publicKey)
        writer.text(recipient.value.role.rawValue)
      }
      list(rewrap.added) { $0.text($1) }
      list(rewrap.removed) { $0.text($1) }
      if rewrap.freshRoot == true { text("freshRoot") }
    case .key(_, let effect): self.effect(effect)
    case .activate(_, let key, let was):
      text(key.name)
      text(was?.name)
    case .deactivate(_, let was): text(was.name)
    case .adoptToken(_, let from, let facts):
      text(from)
      account(facts)
    }
  }

  private mutating func effect(_ effect: KeyEffect) {
    switch effect {
    case .retire, .forget: break
    case .move(let from): text(from.name)
    case .adopt(let write, let from):
      self.write(write)
      text(from)
    case .store(let write), .replace(let write), .update(let write): self.write(write)
    case .rollback(let rollback):
      number(rollback.to)
      number(rollback.was)
      fingerprint(rollback.rejected)
    case .restore(let restoration):
      number(restoration.serial)
      fingerprint(restoration.rejected)
    case .revoke(let revocation):
      number(revocation.version)
      text(revocation.reason)
    case .purge(let purge):
      list(purge.versions) { $0.number($1) }
      list(purge.forgotten) { $0.number($1) }
      bytes.append(purge.isAll ? 1 : 0)
    case .accept(let acceptance):
      text(acceptance.target.name)
      destination(acceptance.destination)
      text(acceptance.name)
      fingerprint(acceptance.rejected)
      // Only where there is one, so that other plans keep their ids.
      if let mark = acceptance.mark {
        text("mark")
        text(mark.text)
      }
    }
  }

  private mutating func effect(_ effect: OutsideEffect) {
    switch effect {
    case .sync(_, let write):
      destination(write.destination)
      list(write.entries) { writer, entry in
        writer.text(entry.name)
        writer.text(entry.key.name)
        writer.text(entry.reason.rawValue)
      }
      number(Int64(write.total))
      text(write.mode?.was?.description)
      text(write.mode?.mode.description)
    case .withdraw(_, let removal):
      destination(removal.destination)
      list(removal.names) { $0.text($1) }
      list(removal.released) { $0.text($1) }
      bytes.append(removal.isMove ? 1 : 0)
    case .run(_, let hook): list(hook.command) { $0.text($1) }
    case .removeOriginal(_, let successor, let from):
      text(successor.address.description)
      text(from)
    case .mint(_, let mint):
      destination(mint.place)
      list(mint.parts) { writer, part in
        writer.text(part.name)
        writer.text(part.key.name)
        writer.optional(part.revision) { $0.number($1) }
      }
    case .disable(_, let end), .end(_, let end), .renew(_, let end):
      list(end.keys) { writer, key in
        writer.destination(key.place)
        writer.text(key.id)
      }
    case .refresh(_, let refresh):
      account(refresh.facts)
      text(refresh.reason.rawValue)
      number(refresh.epoch)
    case .select(_, let selection):
      account(selection.facts)
      optional(selection.calendar) { $0.calendar($1) }
      text(selection.wanted)
      optional(selection.was) { $0.calendar($1) }
    case .signOut(_, let signOut):
      account(signOut.facts)
      bytes.append(signOut.revokes ? 1 : 0)
    }
  }

  private mutating func write(_ write: KeyWrite) {
    facts(write.facts)
    optional(write.source) { $0.number(Int64($1)) }
    if let generated = write.generated {
      bytes.append(2)
      text(generated.description)
    } else {
      bytes.append((write.isDeferred ? 1 : 0) + (write.isChecked ? 4 : 0) + (write.isMinted ? 8 : 0))
    }
    // Only where there is one, so that other plans keep their ids.
    if let issued = write.issued {
      text("issued")
      destination(issued.place)
      text(issued.id)
    }
  }

  private mutating func fingerprint(_ fingerprint: Fingerprint?) {
    optional(fingerprint) { $0.bytes.append(contentsOf: $1.bytes) }
  }

  private mutating func account(_ facts: AccountFacts) {
    text(facts.service.rawValue)
    text(facts.account)
    text(facts.client)
    text(facts.tenant)
    text(facts.url)
    list(facts.endpoints.sorted { $0.key.rawValue < $1.key.rawValue }) { writer, endpoint in
      writer.text(endpoint.key.rawValue)
      writer.text(endpoint.value)
    }
  }

  private mutating func calendar(_ calendar: AccountCalendar) {
    text(calendar.id)
    text(calendar.name)
    bytes.append(calendar.isPrimary ? 1 : 0)
  }

  private mutating func destination(_ destination: Destination) {
    text(destination.type)
    text(destination.location)
    text(destination.surface?.description)
  }

  private mutating func facts(_ facts: KeyFacts) {
    text(facts.provider)
    text(facts.model)
    text(facts.variable)
    bytes.append(facts.ownsVariable ? 1 : 0)
    optional(facts.expiry) { writer, expiry in
      switch expiry.limit {
      case .after(let interval):
        writer.text("after")
        writer.number(interval.seconds)
      case .on(let moment):
        writer.text("on")
        writer.number(moment.seconds)
      }
      writer.number(expiry.warn.seconds)
      writer.text(expiry.then.rawValue)
      // Only where there is one, so that other plans keep their ids. What follows never begins with a 2.
      if let overlap = expiry.overlap {
        writer.bytes.append(2)
        writer.number(overlap.seconds)
      }
    }
    optional(facts.issued) { $0.number($1.seconds) }
    list(facts.sources) { $0.text($1) }
    bytes.append(facts.isProtected ? 1 : 0)
    list(facts.labels.sorted { $0.key < $1.key }) { writer, label in
      writer.text(label.key)
      writer.text(label.value)
    }
    // Only where there are some, so that other plans keep their ids. What follows never begins with a 2.
    if let recipients = facts.recipients {
      bytes.append(2)
      list(recipients) { $0.text($1.name) }
    }
  }
}
