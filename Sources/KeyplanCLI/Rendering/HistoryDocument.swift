import KeyplanCore

/// What `state history` tells programs; `schemas/history.schema.json`.
struct HistoryDocument: Encodable {
  let formatVersion = 1
  let store: StoreFields?
  let records: [Record]

  struct Record: Encodable {
    let address: Address
    /// Whether it is in use; a forgotten one can be restored.
    let isRecorded: Bool
    let revision: Int64
    var versions: [Version]?
    var retiredAt: String?
    var forgotten: Forgotten?
    var active: Active?
    var location: String?
    var names: [Name]?
  }

  struct Version: Encodable {
    let version: Int64
    let storedAt: String
    let origin: String?
    let isCurrent: Bool
    let isRejected: Bool
    let sameValueAs: Int64?
  }

  struct Forgotten: Encodable {
    let serial: Int64
    let at: String
    let keptUntil: String
  }

  struct Active: Encodable {
    let key: Identifier<Key>
    let since: String
  }

  struct Name: Encodable {
    let name: String
    let key: Identifier<Key>
    let syncedAt: String
  }

  init(_ history: RecordHistory, store: StoreState?) {
    self.store = store.map(StoreFields.init)
    records = history.entries.map { entry in
      switch entry {
      case .key(let id, let record):
        return Record(
          address: .key(id), isRecorded: true, revision: record.revision, versions: Self.versions(of: record),
          retiredAt: record.retiredAt?.description)
      case .forgotten(let forgotten):
        return Record(
          address: .key(forgotten.key), isRecorded: false, revision: forgotten.record.revision,
          versions: Self.versions(of: forgotten.record), retiredAt: forgotten.record.retiredAt?.description,
          forgotten: Forgotten(
            serial: forgotten.serial, at: forgotten.at.description, keptUntil: forgotten.end.description))
      case .slot(let id, let record):
        return Record(
          address: .slot(id), isRecorded: true, revision: record.revision,
          active: Active(key: record.key, since: record.since.description))
      case .target(let id, let record):
        return Record(
          address: .target(id), isRecorded: true, revision: record.revision, location: record.destination.location,
          names: record.entries.sorted { $0.key < $1.key }.map {
            Name(name: $0.key, key: $0.value.key, syncedAt: $0.value.syncedAt.description)
          })
      }
    }
  }

  private static func versions(of record: KeyRecord) -> [Version] {
    RecordHistory.versions(of: record).map {
      Version(
        version: $0.version.number, storedAt: $0.version.storedAt.description, origin: $0.version.origin,
        isCurrent: $0.isCurrent, isRejected: $0.isRejected, sameValueAs: $0.equals)
    }
  }
}
