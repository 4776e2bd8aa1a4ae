package import KeyplanPorts
import Synchronization

extension SealedStore {
  /// Writes the whole store, still sealed, to a file that does not exist yet: for reading while its server is
  /// unreachable. The copy has the same id, root key and serial, and opens with the same identities.
  /// - Returns: the facts of the copy, which can be newer than those read before.
  package func copy(to path: String) throws(StoreError) -> StoreFacts {
    let keys = keys
    let whole = try rows.everything(counted: count, verifiedBy: Digest(keys: keys))
    unlocked.withLock { $0.count = whole.header.count }
    guard StoreMark(whole.header) == .here else { throw Sealer.tampered }
    var batch = Batch(header: whole.header)
    (batch.records, batch.values, batch.replacesKeyring) = (whole.records, whole.values, true)
    _ = try SQLiteRows.create(try StoreFile(making: path).path, batch)
    return StoreFacts(whole.header, rootID: keys.rootID)
  }
}
