import KeyplanCore

/// The bytes of a record: version of the encoding, kind, fields. docs/store-format.md lists them; one cannot change
/// without the other, and none of a released version changes at all.
extension StoredRecord {
  private static let version: UInt8 = 1

  func encoded() -> [UInt8] {
    var writer = ByteWriter()
    writer.byte(Self.version)
    switch self {
    case .state(let state):
      writer.byte(0)
      writer.state(state)
    case .key(let key):
      writer.byte(1)
      writer.key(key)
    case .slot(let name, let slot):
      writer.byte(2)
      writer.text(name.name)
      writer.number(slot.revision)
      writer.text(slot.key.name)
      writer.moment(slot.since)
    case .target(let name, let target):
      writer.byte(3)
      writer.text(name.name)
      writer.target(target)
    case .forgotten(let key, let moment):
      writer.byte(4)
      writer.moment(moment)
      writer.key(key)
    case .account(let account):
      writer.byte(5)
      writer.account(account)
    }
    return writer.bytes
  }

  init(decoding bytes: [UInt8]) throws(ByteReader.Malformed) {
    var reader = ByteReader(bytes)
    guard try reader.byte() == Self.version else { throw ByteReader.Malformed() }
    switch try reader.byte() {
    case 0: self = .state(try reader.state())
    case 1: self = .key(try reader.key())
    case 2:
      self = .slot(
        try reader.identifier(),
        SlotRecord(revision: try reader.number(), key: try reader.identifier(), since: try reader.moment()))
    case 3: self = .target(try reader.identifier(), try reader.target())
    case 4:
      let moment = try reader.moment()
      self = .forgotten(try reader.key(), at: moment)
    case 5: self = .account(try reader.account())
    default: throw ByteReader.Malformed()
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
    list(state.surface.sorted()) { $0.surface($1) }
    list(state.open.sorted { $0.key < $1.key }) { writer, entry in
      writer.text(entry.key.description)
      writer.moment(entry.value)
    }
    list(state.forgotten) { writer, forgotten in
      writer.text(forgotten.key.name)
      writer.number(forgotten.serial)
      writer.moment(forgotten.at)
    }
    // Left out where there is none, so that stores without them are the same bytes as ever.
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

  fileprivate mutating func surface(_ item: SurfaceItem) {
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
    state.surface = Set(try list { reader throws(Malformed) in try reader.surface() })
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
        return (target, WriteAttempt(destination: destination, names: Dictionary(names) { $1 }))
      }
      state.attempts = Dictionary(attempts) { $1 }
    }
    if !isAtEnd { state.movedAt = try number() }
    return state
  }

  fileprivate mutating func surface() throws(Malformed) -> SurfaceItem {
    SurfaceItem(try choice(), try text())
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
