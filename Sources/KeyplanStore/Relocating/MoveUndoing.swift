package import KeyplanAge
package import KeyplanApply
package import KeyplanCore

/// Makes the place that a store was moved away from the store again, where the one that it was moved to is lost.
///
/// Nobody can know that a place is lost for good: it may come back, with the store that it had. So the store that goes on gets a fresh root
/// key in the same commit. Whoever holds a store to its pinned root then refuses the one that came back, and neither opens plans or
/// tokens made with the other.
package struct MoveUndoing: Sendable {
  private let place: StoreLocation
  private let identities: [Identity]

  /// - Parameter place: where the store was moved away from.
  package init(at place: StoreLocation, identities: [Identity]) { (self.place, self.identities) = (place, identities) }

  /// What the mark says, and what there is under it.
  package struct Left: Hashable, Sendable {
    /// Which store it is; its serial is that of the commit that marked it.
    package let facts: StoreFacts
    /// Where the store went, as people are told.
    package let to: String
    /// When; nil where the mark does not say it.
    package let at: Moment?
    /// How many rows of records there are.
    package let records: Int
    /// How many sealed values.
    package let values: Int
    /// The accounts whose tokens may have been replaced since, so that those that are here are good for nothing.
    package let accounts: [Identifier<Account>]
    let nonce: StoreMark.Nonce
  }

  /// Why a store is not where it was moved to.
  package enum Loss: Hashable, Sendable {
    /// The place could not be asked; a sentence.
    case unreachable(String)
    /// There is no store there.
    case absent
    /// There is a store there that is not this one.
    case anotherStore
  }

  /// Reads the mark, and changes nothing.
  /// - Returns: nil for a store that was not moved away.
  package func left() throws(StoreError) -> Left? {
    try left(StoreDump(at: place, .reading, under: nil, identities: identities))
  }

  private func left(_ store: StoreDump) throws(StoreError) -> Left? {
    switch store.mark {
    case .here: return nil
    case .arriving:
      try store.mark.requireHere()
      return nil
    case .moved(let nonce, let to, let at):
      return Left(
        facts: store.facts, to: to, at: at, records: store.whole.records.count, values: store.whole.values.count,
        accounts: try store.accounts(), nonce: nonce)
    }
  }

  /// Looks for the store where it went.
  /// - Throws: `exists` where it is there, or where it was; whatever else keeps it from being looked at there is no proof of a loss.
  package static func loss(of left: Left, at new: StoreLocation) throws(StoreError) -> Loss {
    let header: Header
    do throws(StoreError) {
      header = try new.rows(.reading).read(.none).header
    } catch {
      switch error.code {
      case .unreachable: return .unreachable(error.detail)
      case .noStore: return .absent
      default: throw error
      }
    }
    guard hexadecimal(header.store) == left.facts.id else { return .anotherStore }
    switch StoreMark(header) {
    case .here:
      throw StoreError(
        .exists, "The store is at \(left.to), where it was moved to: it stands at serial \(header.serial).",
        hint: "Move it back from there: --store names that place, and --to this one.")
    case .arriving(left.nonce, _):
      throw StoreError(
        .exists, "All of the store is at \(left.to): only the last step of the move is left.",
        hint: "Make the same move once more.")
    case .arriving(_, let from):
      throw StoreError(
        .exists, "The store is on its way from \(from) to \(left.to).", hint: "Make that move once more first.")
    case .moved(_, let to, _):
      throw StoreError(
        .exists, "The store went on from \(left.to) to \(to).", hint: "If it is lost there, undo that move first.")
    case nil: throw StoreError(.newerVersion, "A newer keyplan wrote to \(left.to).", hint: "Use that version.")
    }
  }

  /// Takes the mark away, in one commit with a fresh root key.
  /// - Parameters:
  ///   - seen: what was shown to whoever agreed.
  ///   - tellFreshRoot: hears of the fresh root, before and after.
  /// - Returns: which store it is now, and where it stands.
  /// - Throws: `stale` where something else is marked by now.
  package func carryOut(
    _ seen: Left, command: String, job: String?, since now: Moment, timeout: Duration,
    tellFreshRoot: @escaping @Sendable (SealedStore.FreshRoot) throws(StoreError) -> Void
  ) async throws(StoreError) -> StoreFacts {
    let lock = try await StoreLock.acquire(for: place, command: command, job: job, since: now, timeout: timeout)
    defer { withExtendedLifetime(lock) {} }
    let store = try StoreDump(at: place, .writing, under: lock, identities: identities)
    guard try left(store) == seen else { throw CommitBuilder.moved }
    var header = store.header
    header.format = StoreMark.here.format(store.format)
    var draft = try CommitBuilder(Sealer(keys: store.keys), header, store.whole.records, at: now)
    let values = Dictionary(store.whole.values.map { ($0.id, $0) }) { first, _ in first }
    try draft.take(store.whole.records) { id throws(StoreError) in values[id] }
    // What was planned here before is as old as what is here.
    draft.state.movedAt = header.serial + 1
    let (batch, keys) = try draft.reRooted()
    try tellFreshRoot(.coming(hexadecimal(keys.rootID)))
    try store.rows.commit(batch, replacing: store.header.root)
    // The commit stands whatever becomes of these.
    try? tellFreshRoot(.committed(hexadecimal(keys.rootID)))
    try? store.rows.compact()
    return StoreFacts(
      id: seen.facts.id, rootID: hexadecimal(keys.rootID), serial: batch.header.serial, epoch: batch.header.epoch)
  }
}
