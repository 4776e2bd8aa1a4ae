package import KeyplanApply
import Synchronization

extension SealedStore {
  /// Writes everything that is in the store, sealed as it is, to a file that does not exist yet: for reading while its server is
  /// unreachable. The copy has the same id, root key and serial, and opens with the same identities.
  /// - Returns: what was copied, which can be newer than what was read before.
  package func copy(to path: String) throws(StoreError) -> StoreFacts {
    let keys = keys
    let digest = Digest(keys: keys)
    var whole: StoredRows
    var count: Int64
    repeat {
      count = self.count
      whole = try rows.everything(atMost: count)
      try digest.authenticate(whole.header)
      let found = whole.header.count
      unlocked.withLock { $0.count = found }
      // Otherwise records were added since.
    } while whole.header.count > count
    try digest.verify(whole.records, of: .all, to: whole.header)
    guard StoreMark(whole.header) == .here else { throw Sealer.tampered }
    var batch = Batch(header: whole.header)
    (batch.records, batch.values, batch.replacesKeyring) = (whole.records, whole.values, true)
    _ = try SQLiteRows.create(try StoreFile(making: path).path, batch)
    return StoreFacts(whole.header, rootID: keys.rootID)
  }
}
