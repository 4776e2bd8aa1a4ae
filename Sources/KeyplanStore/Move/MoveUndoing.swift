package import KeyplanAge
package import KeyplanModel
package import KeyplanPorts

/// Restores a store at the location from which it was moved away, after the copy at its new location was lost.
///
/// A lost copy might reappear. The restored store therefore gets a new root key in the same commit: a program that
/// verifies the pinned root then rejects the reappeared copy, and neither store accepts plans or tokens made with the
/// other.
package struct MoveUndoing: Sendable {
  private let place: StoreLocation
  private let identities: [Identity]
  private let plugins: any PluginRunning

  /// - Parameter place: the location from which the store was moved away.
  package init(at place: StoreLocation, identities: [Identity], plugins: any PluginRunning = NoPlugins()) {
    (self.place, self.identities, self.plugins) = (place, identities, plugins)
  }

  /// The content of the mark, and the remains of the store.
  package struct Left: Hashable, Sendable {
    /// The store's facts; the serial is that of the commit that set the mark.
    package let facts: StoreFacts
    /// The store's new location, for display.
    package let to: String
    /// The time of the move; nil if the mark does not contain it.
    package let at: Moment?
    /// The number of records.
    package let records: Int
    /// The number of sealed values.
    package let values: Int
    /// The accounts whose tokens may have been replaced since, so that those stored here are useless.
    package let accounts: [Identifier<Account>]
    let nonce: StoreMark.Nonce
  }

  /// The reason that a store is not at its new location.
  package enum Loss: Hashable, Sendable {
    /// The location is unreachable; with a whole sentence.
    case unreachable(String)
    /// There is no store at the location.
    case absent
    /// There is another store at the location.
    case anotherStore
  }

  /// Reads the mark, without changing anything.
  /// - Returns: nil if the store was not moved away.
  package func left() throws(StoreError) -> Left? {
    try left(StoreDump(at: place, .reading, under: nil, identities: identities))
  }

  /// The move that was undone here, with the store's current state; nil if there was none.
  package func undone() throws(StoreError) -> (move: UndoneMove, facts: StoreFacts, records: Int, values: Int)? {
    let store = try StoreDump(at: place, .reading, under: nil, identities: identities)
    guard let move = try store.undone() else { return nil }
    return (move, store.facts, store.whole.records.count, store.whole.values.count)
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

  /// Checks the store's new location.
  /// - Throws: `exists` if the store is there, or has been; other errors, which do not prove a loss.
  package static func loss(of left: Left, at new: StoreLocation) throws(StoreError) -> Loss {
    let header: Header
    do throws(StoreError) {
      header = try new.rows(.reading).header()
    } catch {
      switch error.code {
      case .unreachable: return .unreachable(error.detail)
      case .noStore: return .absent
      default: throw error
      }
    }
    guard header.store.hexadecimal == left.facts.id else { return .anotherStore }
    switch StoreMark(header) {
    case .here:
      throw StoreError(
        .exists, "The store is at \(left.to), to which it was moved (serial \(header.serial)).",
        hint: "Move it back: use --store for that location, and --to for this one.")
    case .arriving(left.nonce, _):
      throw StoreError(
        .exists, "The store is complete at \(left.to): only the last step of the move is missing.",
        hint: "Repeat the same move.")
    case .arriving(_, let from):
      throw StoreError(
        .exists, "The move of the store from \(from) to \(left.to) is not complete.", hint: "Repeat that move first.")
    case .moved(_, let to, _):
      throw StoreError(
        .exists, "The store was moved again from \(left.to) to \(to).",
        hint: "If it is lost there, undo that move first.")
    case nil:
      throw StoreError(
        .newerVersion, "The store at \(left.to) was written by a newer version of keyplan.", hint: "Use that version.")
    }
  }

  /// Removes the mark, in one commit with a new root key.
  /// - Parameters:
  ///   - seen: the state that the user has confirmed.
  ///   - tellFreshRoot: called with the new root key's id, before and after the commit.
  /// - Returns: the store's new facts.
  /// - Throws: `stale` if the mark has changed meanwhile.
  package func carryOut(
    _ seen: Left, command: String, job: String?, since now: Moment, timeout: Duration,
    tellFreshRoot: @escaping @Sendable (SealedStore.FreshRoot) throws(StoreError) -> Void
  ) async throws(StoreError) -> StoreFacts {
    let lock = try await StoreLock.acquire(for: place, command: command, job: job, since: now, timeout: timeout)
    defer { withExtendedLifetime(lock) {} }
    let store = try StoreDump(at: place, .writing, under: lock, identities: identities)
    guard try left(store) == seen else { throw CommitBuilder.moved }
    var header = store.header
    header.format = StoreMark.here.format
    var builder = try CommitBuilder(store.sealer, header, store.whole.records, at: now)
    builder.plugins = plugins
    let values = Dictionary(store.whole.values.map { ($0.id, $0) }) { first, _ in first }
    try builder.take(store.whole.records) { id throws(StoreError) in values[id] }
    // Older plans for this location must be rejected.
    builder.state.movedAt = header.serial + 1
    builder.state.undone = UndoneMove(place: seen.to, at: now)
    let (batch, fresh) = try builder.withFreshRoot()
    let keys = fresh.keys
    try tellFreshRoot(.coming(keys.rootID.hexadecimal))
    try store.rows.commit(batch, replacing: store.header.root)
    // The commit is valid even if these fail.
    try? tellFreshRoot(.committed(keys.rootID.hexadecimal))
    try? store.rows.compact()
    return StoreFacts(batch.header, rootID: keys.rootID)
  }
}

/// A move of a store that was undone.
package struct UndoneMove: Hashable, Sendable {
  /// The location where the store was lost, for display.
  package let place: String
  /// The time at which the move was undone.
  package let at: Moment
}
