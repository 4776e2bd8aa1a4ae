package import KeyplanModel

/// The JSON of `keys history` and `records history`; `schemas/history.schema.json`.
package struct HistoryDocument: Encodable {
  package let formatVersion = 1
  package let store: StoreFields?
  package let records: [Record]
  /// Absent where only one record was asked for.
  package let runs: [RunFields]?

  package struct Record: Encodable {
    package let address: Address
    /// Whether it is in use; a forgotten one can be restored.
    package let isRecorded: Bool
    package let revision: Int64
    package var versions: [Version]?
    package var retiredAt: String?
    package var forgotten: Forgotten?
    package var active: Active?
    package var location: String?
    package var names: [Name]?
    package var signedInAt: String?
    package var refreshedAt: String?
  }

  package struct Version: Encodable {
    package let version: Int64
    package let storedAt: String
    package let origin: String?
    package let isCurrent: Bool
    package let isRejected: Bool
    package let revokedAt: String?
    package let revocationReason: String?
    package let exposedTo: [ExposureFields]?
    package let madeOf: [Part]?
    package let sameValueAs: Int64?
  }

  /// A version of another key that a composed value is made of.
  package struct Part: Encodable {
    package let key: Identifier<Key>
    package let version: Int64
  }

  package struct Forgotten: Encodable {
    package let serial: Int64
    package let at: String
    package let keptUntil: String
  }

  package struct Active: Encodable {
    package let key: Identifier<Key>
    package let since: String
  }

  package struct Name: Encodable {
    package let name: String
    package let key: Identifier<Key>
    package let syncedAt: String
  }

  package init(_ history: RecordHistory, store: StoreState?) {
    self.store = store.map(StoreFields.init)
    runs = history.runs.isEmpty ? nil : history.runs.map(RunFields.init)
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
      case .account(let id, let record):
        return Record(
          address: .calendar(id), isRecorded: true, revision: record.revision,
          signedInAt: record.signIn?.signedInAt.description, refreshedAt: record.signIn?.refreshedAt?.description)
      }
    }
  }

  private static func versions(of record: KeyRecord) -> [Version] {
    RecordHistory.versions(of: record).map {
      Version(
        version: $0.version.number, storedAt: $0.version.storedAt.description, origin: $0.version.origin,
        isCurrent: $0.isCurrent, isRejected: $0.isRejected, revokedAt: $0.revocation?.at.description,
        revocationReason: $0.revocation?.reason, exposedTo: ExposureFields.list($0.version.exposures),
        madeOf: $0.version.parts.isEmpty ? nil : $0.version.parts.map { Part(key: $0.key, version: $0.number) },
        sameValueAs: $0.equals)
    }
  }
}
