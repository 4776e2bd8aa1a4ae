package import KeyplanModel

/// `schemas/backup.schema.json`.
package struct BackupDocument: Encodable {
  package let formatVersion = 1
  package let file: String
  package let store: StoreFields
  package let rows: MoveDocument.Rows

  package init(file: String, store: StoreState, rows: StoreRows) {
    (self.file, self.store, self.rows) = (file, StoreFields(store), MoveDocument.Rows(rows))
  }
}

/// `schemas/restore.schema.json`.
package struct RestoreDocument: Encodable {
  package let formatVersion = 1
  package let result: Result
  package let file: String
  package let createdAt: String
  /// The store as it was when the backup was made.
  package let backup: StoreFields
  package let rows: MoveDocument.Rows
  package let place: String
  /// The store that is replaced; absent if there is none.
  package let replaced: StoreFields?
  /// The new path of a damaged store; absent if the store is not damaged.
  package let aside: String?
  /// Absent unless the backup was restored.
  package let store: StoreFields?
  package let added: [String]
  package let changed: [String]
  package let removed: [String]
  package let revoked: [String]
  package let recipients: [String]
  package let exposed: [String]

  package enum Result: String, Encodable { case checked, restored }

  /// - Parameter restored: the store afterwards; nil for `--check`.
  package init(_ text: RestoreText, rows: StoreRows, restored: StoreState?) {
    result = restored == nil ? .checked : .restored
    (file, createdAt, place) = (text.file, text.createdAt.description, text.place)
    aside = text.aside
    (backup, replaced, store) = (
      StoreFields(text.backup), text.present.map { StoreFields($0) }, restored.map { StoreFields($0) }
    )
    self.rows = MoveDocument.Rows(rows)
    (added, changed) = (text.added.map(\.description), text.changed.map(\.description))
    (removed, revoked) = (text.removed.map(\.description), text.revoked.map(\.description))
    (recipients, exposed) = (text.recipients, text.exposed)
  }
}
