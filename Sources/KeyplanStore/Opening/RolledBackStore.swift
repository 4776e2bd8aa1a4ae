import KeyplanModel
import KeyplanPorts

/// The state after rolling back an interrupted commit's journal: a copy in memory, which must prove to be the store.
struct RolledBackStore {
  /// Of the journal.
  let path: String
  /// Nil if there would be no store: the commit was to create it.
  let rows: SQLiteRows?
  /// The file's current header, if it has one. It may be torn.
  let present: Header?

  /// Whether to accept it, before anything is written.
  typealias Check = (Self) throws(StoreError) -> Void

  /// Accepts none, where nothing can be verified.
  static func none(_ rolled: Self) throws(StoreError) {
    throw StoreError(.refused, "\(rolled.path) is a journal that cannot be verified here.", hint: StoreJournal.advice)
  }

  /// Verifies the header, all records and the values that the keys open, and that nothing is missing which this machine has seen.
  func require(
    _ unlock: (Header) throws(StoreError) -> EpochKeys, after seen: LastSeen
  ) throws(StoreError) {
    guard let rows else {
      guard let present, let last = seen(present.store.hexadecimal),
        last >= (present.epoch, present.serial)
      else { return }
      throw StoreJournal.forged(path, "It would be empty.")
    }
    do throws(StoreError) {
      try verify(rows, unlock, seen)
    } catch {
      switch error.code {
      case .tampered, .damaged: throw StoreJournal.forged(path, error.detail)
      default: throw error
      }
    }
  }

  private func verify(
    _ rows: SQLiteRows, _ unlock: (Header) throws(StoreError) -> EpochKeys, _ seen: LastSeen
  ) throws(StoreError) {
    let whole = try rows.everything()
    let keys = try unlock(whole.header)
    let digest = Digest(keys: keys)
    try digest.authenticate(whole.header)
    if let last = seen(whole.header.store.hexadecimal), (whole.header.epoch, whole.header.serial) < last {
      throw StoreJournal.forged(
        path, "It would be at serial \(whole.header.serial), and this machine saw serial \(last.serial).")
    }
    // While a move is not complete, rows are missing.
    if case .arriving? = StoreMark(whole.header) { return }
    try digest.verify(whole.records, of: .all, to: whole.header)
    let values = Dictionary(whole.values.map { ($0.id, $0) }) { first, _ in first }
    let sealer = Sealer(keys: keys)
    for row in whole.records {
      let record = try sealer.record(in: row)
      let bindings: [Sealer.Binding]
      var isClosed = keys.isPlanOnly
      switch record {
      case .key(let key), .forgotten(let key, _):
        bindings = key.versions.compactMap { key.binding($0, in: keys.id(of: key.name)) }
        isClosed = isClosed || key.valueGroup != nil
      case .account(let account): bindings = [account.binding(in: row.id)].compactMap(\.self)
      case .state, .slot, .target: bindings = []
      }
      for binding in bindings {
        guard let value = values[sealer.valueID(binding)] else { throw Sealer.tampered }
        if !isClosed { _ = try sealer.open(value: value, binding) }
      }
    }
  }
}

/// The epoch and serial of the newest commit of a store, by its id, that this machine has seen; nil for none.
package typealias LastSeen = (_ store: String) -> (epoch: Int64, serial: Int64)?
