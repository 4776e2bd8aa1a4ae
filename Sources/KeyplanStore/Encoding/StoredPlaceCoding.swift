import KeyplanModel
import KeyplanPorts

/// Slots and targets.
extension ByteWriter {
  mutating func fields(of slot: StoredSlot) {
    field(1, text: slot.name.name)
    field(2, number: slot.record.revision)
    field(3, text: slot.record.key.name)
    field(4, moment: slot.record.since)
    raw(slot.unknown.own)
  }

  mutating func fields(of target: StoredTarget) {
    field(1, text: target.name.name)
    field(2, number: target.record.revision)
    destination(target.record.destination, from: 3)
    for (name, entry) in target.record.entries.sorted(by: { $0.key < $1.key }) {
      field(6) { writer in
        writer.field(1, text: name)
        writer.field(2, text: entry.key.name)
        writer.field(3, fingerprint: entry.fingerprint)
        writer.field(4, moment: entry.syncedAt)
        writer.field(6, text: entry.mark?.text)
        writer.field(8, text: entry.kept?.text)
        writer.unknown(target.unknown, in: 6, Array(name.utf8))
      }
    }
    field(8, text: target.record.placeId)
    raw(target.unknown.own)
  }
}

extension ByteReader {
  mutating func slotFields() throws(Malformed) -> StoredSlot {
    var name: Identifier<Slot>?
    var key: Identifier<Key>?
    var (revision, since): (Int64?, Moment?)
    var unknown = UnknownFields()
    unknown.own = try fields { reader, number throws(Malformed) in
      switch number {
      case 1: name = try reader.name()
      case 2: revision = try reader.number()
      case 3: key = try reader.name()
      case 4: since = try reader.moment()
      default: return false
      }
      return true
    }
    let record = SlotRecord(
      revision: try revision.required(), key: try key.required(), since: try since.required())
    return StoredSlot(name: try name.required(), record: record, unknown: unknown)
  }

  mutating func targetFields() throws(Malformed) -> StoredTarget {
    var name: Identifier<Target>?
    var revision: Int64?
    var destination = DestinationFields()
    var entries: [String: TargetRecord.Entry] = [:]
    var placeId: String?
    var unknown = UnknownFields()
    unknown.own = try fields(lists: 1 << 6) { reader, number throws(Malformed) in
      switch number {
      case 1: name = try reader.name()
      case 2: revision = try reader.number()
      case 3...5: try destination.read(number - 3, &reader)
      case 6:
        let (name, entry) = try reader.entryFields(&unknown)
        entries[name] = entry
      case 8: placeId = try reader.rest()
      default: return false
      }
      return true
    }
    let record = TargetRecord(
      revision: try revision.required(), destination: try destination.destination(), entries: entries,
      placeId: placeId)
    return StoredTarget(name: try name.required(), record: record, unknown: unknown)
  }

  private mutating func entryFields(
    _ unknown: inout UnknownFields
  ) throws(Malformed) -> (name: String, entry: TargetRecord.Entry) {
    var name: String?
    var key: Identifier<Key>?
    var (fingerprint, syncedAt): (Fingerprint?, Moment?)
    var (mark, kept): (Mark?, Mark?)
    let others = try fields { reader, number throws(Malformed) in
      switch number {
      case 1: name = try reader.rest()
      case 2: key = try reader.name()
      case 3: fingerprint = try reader.fingerprint()
      case 4: syncedAt = try reader.moment()
      case 6: mark = Mark(try reader.rest())
      case 8: kept = Mark(try reader.rest())
      default: return false
      }
      return true
    }
    let known = try name.required()
    unknown.keep(others, in: 6, Array(known.utf8))
    let entry = TargetRecord.Entry(
      key: try key.required(), fingerprint: try fingerprint.required(), syncedAt: try syncedAt.required(),
      mark: mark, kept: kept)
    return (known, entry)
  }

  mutating func surfaceItem() throws(Malformed) -> ExternalAccess {
    guard let item = ExternalAccess(try rest()) else { throw Malformed() }
    return item
  }
}

/// The fields of a destination while they are read.
struct DestinationFields {
  private var type: String?
  private var location: String?
  private var surface: ExternalAccess?

  mutating func read(_ index: UInt64, _ reader: inout ByteReader) throws(ByteReader.Malformed) {
    switch index {
    case 0: type = try reader.rest()
    case 1: location = try reader.rest()
    default: surface = try reader.surfaceItem()
    }
  }

  func destination() throws(ByteReader.Malformed) -> Destination {
    Destination(type: try type.required(), location: try location.required(), surface: surface)
  }
}
