import KeyplanApply

/// Where sealed rows lie. It knows nothing of keys, records or secrets: what it holds is opaque to it.
///
/// Whoever reads verifies; whoever commits names the root it verified. So no other access is ever needed inside a transaction,
/// and a store behind a server can stand beside this one.
protocol RowStore: Sendable {
  /// The header and the record rows of these buckets in order of ids, from one snapshot; never a value row.
  func read(_ buckets: Buckets) throws(StoreError) -> (header: Header, rows: [Row])

  /// The rows of values that are there, from one snapshot.
  func values(_ ids: [RowID]) throws(StoreError) -> [RowID: Row]

  /// The header and all rows of both tables in order of ids, from one snapshot.
  func everything() throws(StoreError) -> StoredRows

  /// The same rows for who is about to commit. What is read for that is waited for although the task is cancelled: an outside effect
  /// may already stand that is to be written down.
  func committing() -> any RowStore

  /// Carries out the batch in one durable transaction, if the header still has this root; else it throws `stale`.
  func commit(_ batch: Batch, replacing root: [UInt8]) throws(StoreError)

  /// Throws `lost` if this writes under a lock that is another's by now.
  func requireLock() throws(StoreError)

  /// Gives up the space of rows that are gone, so that nothing of them stays behind.
  func compact() throws(StoreError)
}

extension RowStore {
  func committing() -> any RowStore { self }
}

/// Which part of the record rows is read.
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

/// The one row that says where the store stands. `root` authenticates the rest of it.
struct Header: Hashable {
  var format: String
  var store: [UInt8]
  var serial: Int64
  var epoch: Int64
  /// How many record rows there are.
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

/// A whole store, as opaque as its rows are.
struct StoredRows {
  var header: Header
  var records: [Row]
  var values: [Row]
}

/// Everything that one commit changes.
struct Batch {
  var header: Header
  /// The serial at which the store stands before; nil for the one before the header's.
  var before: Int64?
  /// Whether the header's keyring is another than before.
  var replacesKeyring = false
  /// Whether all rows of both tables go before the new ones come: a fresh root.
  var replacesAll = false
  var removedRecords: [RowID] = []
  var records: [Row] = []
  var removedValues: [RowID] = []
  var values: [Row] = []
}

/// 16 bytes that say nothing without the key: a blind index. Its first byte is its bucket.
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
