import KeyplanAge
import KeyplanModel
import KeyplanPorts

/// All rows of a store, verified, even if the store is marked as moved.
struct StoreDump {
  let rows: any RowStore
  let whole: StoredRows
  let keys: EpochKeys
  let sealer: Sealer
  let mark: StoreMark

  init(
    at place: StoreLocation, _ access: SealedStore.Access, under lock: StoreLock?, identities: [Identity]
  ) throws(StoreError) {
    rows = try place.rows(access, under: lock, identities: identities)
    let header = try rows.header()
    keys = try EpochKeys.open(header, with: identities)
    if keys.isPlanOnly { throw EpochKeys.planOnly }
    let digest = Digest(keys: keys)
    try digest.authenticate(header)
    whole = try rows.everything(counted: header.count, verifiedBy: digest)
    guard let mark = StoreMark(whole.header) else { throw Sealer.tampered }
    self.mark = mark
    sealer = Sealer(keys: keys, groups: try GroupKey.open(whole.header, under: keys, with: identities))
  }

  var header: Header { whole.header }

  /// The store's id, root id, serial and epoch.
  var facts: StoreFacts { StoreFacts(header, rootID: keys.rootID) }

  /// The header with another mark and the next serial.
  func header(_ mark: StoreMark, serial: Int64? = nil) throws(StoreError) -> Header {
    var header = header
    header.format = mark.format
    header.serial = serial ?? header.serial + 1
    header.root = try Digest(keys: keys).root(of: header)
    return header
  }

  /// The move that was undone here, if it was the last one.
  func undone() throws(StoreError) -> UndoneMove? {
    for row in whole.records where row.id == keys.stateID {
      if case .state(let state) = try sealer.record(in: row) { return state.undone }
    }
    return nil
  }

  /// The store's accounts, sorted.
  func accounts() throws(StoreError) -> [Identifier<Account>] {
    var accounts: [Identifier<Account>] = []
    for row in whole.records {
      if case .account(let account) = try sealer.record(in: row) { accounts.append(account.name) }
    }
    return accounts.sorted()
  }
}

extension StoreLocation {
  /// Whether the file contains the store with this id, and is not marked as moved. Reads only the header, without
  /// verification: for messages.
  package static func file(_ path: String, holds id: String) -> Bool {
    guard let header = try? StoreLocation.file(path).rows(.reading).header() else { return false }
    return header.store.hexadecimal == id && StoreMark(header) == .here
  }

  /// - Parameter identities: verify the state that an interrupted commit to a file left.
  func rows(
    _ access: SealedStore.Access, under lock: StoreLock? = nil, identities: [Identity] = []
  ) throws(StoreError) -> any RowStore {
    switch self {
    case .file(let path):
      let file = try StoreFile(path, isReader: access == .reading)
      return try SQLiteRows.open(file.path, writing: access == .writing, hasJournal: file.hasJournal) {
        rolled throws(StoreError) in
        try rolled.require({ header throws(StoreError) in try EpochKeys.open(header, with: identities) }) { _ in nil }
      }
    case .shared(let shared): return PostgresRows(shared.session, access, under: lock)
    }
  }
}
