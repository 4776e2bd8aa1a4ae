import KeyplanCore

/// The encoding of a record in a store of the format `kp1`, after version and kind. It is documented in
/// docs/store-format.md and never changes. Additions of `kp2` are left out: the terms of permissions, digests of
/// tracked files, guards, applied ids.
extension StoredRecord {
  func writeInFixedOrder(to writer: inout ByteWriter) {
    switch self {
    case .state(let state): writer.state(state)
    case .key(let key): writer.key(key)
    case .slot(let slot):
      writer.text(slot.name.name)
      writer.number(slot.record.revision)
      writer.text(slot.record.key.name)
      writer.moment(slot.record.since)
    case .target(let target):
      writer.text(target.name.name)
      writer.target(target.record)
    case .forgotten(let key, let moment):
      writer.moment(moment)
      writer.key(key)
    case .account(let account): writer.account(account)
    }
  }

  init(inFixedOrder kind: Kind, _ reader: inout ByteReader) throws(ByteReader.Malformed) {
    switch kind {
    case .state: self = .state(try reader.state())
    case .key: self = .key(try reader.key())
    case .slot:
      self = .slot(
        StoredSlot(
          name: try reader.identifier(),
          record: SlotRecord(revision: try reader.number(), key: try reader.identifier(), since: try reader.moment())))
    case .target:
      var target = StoredTarget(name: try reader.identifier(), record: try reader.target())
      target.readEarlierNames()
      self = .target(target)
    case .forgotten:
      let moment = try reader.moment()
      self = .forgotten(try reader.key(), at: moment)
    case .account: self = .account(try reader.account())
    }
    try reader.end()
  }
}

extension ByteWriter {
  fileprivate mutating func state(_ state: StateRecord) {
    optional(state.appliedAt) { $0.moment($1) }
    number(state.seals)
    list(state.recipients.sorted { $0.key < $1.key }) { writer, recipient in
      writer.text(recipient.key.name)
      writer.text(recipient.value.publicKey)
      writer.text(recipient.value.role.rawValue)
    }
    list(state.surface.items.sorted()) { $0.surface($1) }
    list(state.open.sorted { $0.key < $1.key }) { writer, entry in
      writer.text(entry.key.description)
      writer.moment(entry.value)
    }
    list(state.forgotten) { writer, forgotten in
      writer.text(forgotten.key.name)
      writer.number(forgotten.serial)
      writer.moment(forgotten.at)
    }
    // Omitted if empty, so that the bytes of stores without them do not change.
    let isMoved = state.movedAt != nil
    if isMoved || !state.migrated.isEmpty || !state.attempts.isEmpty { list(state.migrated.sorted()) { $0.text($1) } }
    if isMoved || !state.attempts.isEmpty {
      list(state.attempts.sorted { $0.key < $1.key }) { writer, entry in
        writer.text(entry.key.name)
        writer.destination(entry.value.destination)
        writer.list(entry.value.names.sorted { $0.key < $1.key }) { writer, name in
          writer.text(name.key)
          writer.text(name.value.name)
        }
      }
    }
    if let serial = state.movedAt { number(serial) }
  }

  fileprivate mutating func surface(_ item: ExternalAccess) {
    text(item.kind.rawValue)
    text(item.text)
  }

  fileprivate mutating func destination(_ destination: Destination) {
    text(destination.type)
    text(destination.location)
    optional(destination.surface) { $0.surface($1) }
  }

  fileprivate mutating func target(_ target: TargetRecord) {
    number(target.revision)
    destination(target.destination)
    list(target.entries.sorted { $0.key < $1.key }) { writer, entry in
      writer.text(entry.key)
      writer.text(entry.value.key.name)
      writer.raw(entry.value.fingerprint.bytes)
      writer.moment(entry.value.syncedAt)
    }
  }
}

extension ByteReader {
  fileprivate mutating func state() throws(Malformed) -> StateRecord {
    var state = StateRecord()
    state.appliedAt = try optional { reader throws(Malformed) in try reader.moment() }
    state.seals = try number()
    let recipients = try list { reader throws(Malformed) in
      let name: Identifier<Recipient> = try reader.identifier()
      return (name, Recipient(publicKey: try reader.text(), role: try reader.choice()))
    }
    state.recipients = Dictionary(recipients) { $1 }
    let items = try list { reader throws(Malformed) in try reader.surface() }
    state.surface = Surface(Dictionary(items.map { ($0, .unrecorded) }) { $1 })
    let open = try list { reader throws(Malformed) in
      guard let address = Address(try reader.text()) else { throw Malformed() }
      return (address, try reader.moment())
    }
    state.open = Dictionary(open) { $1 }
    state.forgotten = try list { reader throws(Malformed) in
      StateRecord.Forgotten(key: try reader.identifier(), serial: try reader.number(), at: try reader.moment())
    }
    if !isAtEnd { state.migrated = Set(try list { reader throws(Malformed) in try reader.text() }) }
    if !isAtEnd {
      let attempts = try list { reader throws(Malformed) in
        let target: Identifier<Target> = try reader.identifier()
        let destination = try reader.destination()
        let names = try reader.list { reader throws(Malformed) in
          let name = try reader.text()
          let key: Identifier<Key> = try reader.identifier()
          return (name, key)
        }
        var attempt = WriteAttempt(destination: destination, names: Dictionary(names) { $1 })
        attempt.readEarlierNames()
        return (target, attempt)
      }
      state.attempts = Dictionary(attempts) { $1 }
    }
    if !isAtEnd { state.movedAt = try number() }
    return state
  }

  fileprivate mutating func surface() throws(Malformed) -> ExternalAccess {
    ExternalAccess(try choice(), try text())
  }

  fileprivate mutating func destination() throws(Malformed) -> Destination {
    Destination(
      type: try text(), location: try text(),
      surface: try optional { reader throws(Malformed) in try reader.surface() })
  }

  fileprivate mutating func target() throws(Malformed) -> TargetRecord {
    let revision = try number()
    let destination = try destination()
    let entries = try list { reader throws(Malformed) in
      (
        try reader.text(),
        TargetRecord.Entry(
          key: try reader.identifier(), fingerprint: try reader.fingerprint(), syncedAt: try reader.moment())
      )
    }
    return TargetRecord(revision: revision, destination: destination, entries: Dictionary(entries) { $1 })
  }
}
