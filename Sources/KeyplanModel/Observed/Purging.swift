extension KeyRecord {
  /// The record without its earlier versions.
  package func purged(revision: Int64) -> KeyRecord {
    var record = self
    record.revision = revision
    record.history = []
    return record
  }
}
