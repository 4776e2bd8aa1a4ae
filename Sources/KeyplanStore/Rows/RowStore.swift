import KeyplanPorts

/// Storage for sealed rows, to which keys, records and secrets are opaque.
///
/// Readers verify what they read, and commits name the root that was verified. Transactions therefore need no other
/// operations, and stores on servers can be supported in the same way.
protocol RowStore: Sendable {
  /// The header and the record rows of these buckets sorted by id, from one snapshot; never a value row.
  ///
  /// A server decides what its tables show. It can return at most one row more than `count`, the count of a verified header: that is
  /// enough to notice an extra row.
  func read(_ buckets: Buckets, atMost count: Int64) throws(StoreError) -> (header: Header, rows: [Row])

  /// The header, to open the store with, and all record rows of the same snapshot if they cost no additional time; nil if they are to
  /// be read separately. Neither is verified.
  func opening(wanting wanted: SealedStore.Wanted) throws(StoreError) -> (header: Header, records: [Row]?)

  /// The existing rows of values, from one snapshot.
  func values(_ ids: [RowID]) throws(StoreError) -> [RowID: Row]

  /// The header and all rows of both tables sorted by id, from one snapshot, with no more records than `read` has.
  func everything(atMost count: Int64) throws(StoreError) -> StoredRows

  /// The same rows for a commit. Reads for it are not cancelled with the task, because an external effect may already
  /// have happened that must be recorded.
  func committing() -> any RowStore

  /// Executes the batch in one durable transaction, if the header still has this root; otherwise throws `stale`.
  func commit(_ batch: Batch, replacing root: [UInt8]) throws(StoreError)

  /// Throws `lost` if another process has taken the lock under which this writes.
  func requireLock() throws(StoreError)

  /// Reclaims the space of deleted rows, so that nothing of them remains.
  func compact() throws(StoreError)
}

extension RowStore {
  /// All rows, of an authentic header that counts them. They are read again if records were added since they were counted.
  /// - Parameter counted: the count of a header that was verified.
  func everything(counted: Int64, verifiedBy digest: Digest) throws(StoreError) -> StoredRows {
    var count = counted
    while true {
      let whole = try everything(atMost: count)
      try digest.authenticate(whole.header)
      if whole.header.count <= count {
        try digest.verify(whole.records, of: .all, to: whole.header)
        return whole
      }
      count = whole.header.count
    }
  }
}

extension RowStore {
  /// The header alone.
  func header() throws(StoreError) -> Header { try read(.none, atMost: 0).header }

  /// A file is at hand: its rows are read when they are needed.
  func opening(wanting _: SealedStore.Wanted) throws(StoreError) -> (header: Header, records: [Row]?) {
    (try header(), nil)
  }

  func committing() -> any RowStore { self }
}

/// The record rows to read.
enum Buckets: Hashable {
  case none
  case some([UInt8])
  case all

  func isSubset(of other: Buckets) -> Bool {
    switch (self, other) {
    case (.none, _), (_, .all): true
    case (.some(let own), .some(let others)): Set(own).isSubset(of: others)
    case (.some, .none), (.all, _): false
    }
  }
}

/// The single row with the state of the store, authenticated by `root`.
struct Header: Hashable {
  var format: String
  var store: [UInt8]
  var serial: Int64
  var epoch: Int64
  /// The number of record rows.
  var count: Int64
  /// 256 bucket MACs of 16 bytes, in order.
  var buckets: [UInt8]
  var root: [UInt8]
  /// An age file for each slot, by the slot's name.
  var keyring: [String: [UInt8]]
}

/// A sealed record or value.
struct Row: Hashable {
  var id: RowID
  var epoch: Int64
  var algorithm: Int64
  var sealed: [UInt8]
}

/// All rows of a store.
struct StoredRows {
  var header: Header
  var records: [Row]
  var values: [Row]
}

/// All changes of one commit.
struct Batch {
  var header: Header
  /// The serial before the commit; nil for the header's minus one.
  var before: Int64?
  /// Whether the header has a new keyring.
  var replacesKeyring = false
  /// Whether all existing rows of both tables are deleted first: for a new root key.
  var replacesAll = false
  var removedRecords: [RowID] = []
  var records: [Row] = []
  var removedValues: [RowID] = []
  var values: [Row] = []
}

/// A blind index of 16 bytes, which reveals nothing without the key. Its first byte is its bucket.
struct RowID: Hashable, Comparable {
  private let high: UInt64
  private let low: UInt64

  init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == 16 else { return nil }
    high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    low = bytes.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  var bytes: [UInt8] { withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Array($0) } }

  var bucket: UInt8 { UInt8(truncatingIfNeeded: high >> 56) }

  static func < (left: Self, right: Self) -> Bool { (left.high, left.low) < (right.high, right.low) }
}
