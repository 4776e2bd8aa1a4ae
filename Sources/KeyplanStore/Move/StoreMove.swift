package import KeyplanAge
package import KeyplanModel
package import KeyplanPorts

/// Moves a store to another location: its rows are copied unchanged, without opening or sealing them.
///
/// At any moment at most one location is the store, so that no change can be lost: the copy is marked as arriving until
/// the old location is marked as moved, and only then becomes the store. An interrupted move is completed by repeating
/// it.
package struct StoreMove: Sendable {
  private let from: StoreLocation
  private let to: StoreLocation
  private let identities: [Identity]
  /// The names of the two locations in marks, for display.
  private let names: (from: String, to: String)
  /// Called after each stage; an error stops the move there, like a power failure.
  var reached: @Sendable (Stage) throws(StoreError) -> Void = { _ throws(StoreError) in }

  /// The stage that is durably complete.
  enum Stage: CaseIterable { case begun, locked, partlyCopied, copied, verified, marked, done }

  /// - Parameter names: the two locations as displayed to users of the other one.
  package init(
    from: StoreLocation, to: StoreLocation, identities: [Identity], names: (from: String, to: String)
  ) {
    (self.from, self.to, self.identities, self.names) = (from, to, identities, names)
  }

  /// The state before a move.
  package struct Survey: Sendable {
    /// The store's id, root id, serial and epoch.
    package let facts: StoreFacts
    /// The state of the new location.
    package let destination: Destination
    /// The number of records to copy.
    package let records: Int
    /// The number of sealed values.
    package let values: Int
    /// The accounts that must not be refreshed during the move, since their new tokens could be lost.
    package let accounts: [Identifier<Account>]
  }

  /// The result of a move.
  package struct Outcome: Sendable {
    /// The state before the move.
    package let survey: Survey
    /// The store's facts at the new location.
    package let facts: StoreFacts
    /// SHA-256 in hex over everything that was compared at both locations; nil if the store had been moved before.
    package let digest: String?
    /// The serial of the commit that marked the old location.
    package let marked: Int64
  }

  /// The state of the new location.
  package enum Destination: Sendable {
    /// No store.
    case empty
    /// An incomplete copy of an earlier move.
    case begun
    /// This store, from before it was moved away from there.
    case left
    /// A complete copy, and the old location is marked: only the last step is missing.
    case copied
    /// The store itself: the move is complete.
    case there
  }

  /// Inspects both locations without changing anything.
  /// - Throws: `exists` if another store is at the new location, or this one is in use there; `moved` if the store was
  ///   moved from the old location to a third one.
  package func survey() throws(StoreError) -> Survey { try survey(try source(.reading), try present()) }

  /// Moves the store, or completes an earlier move.
  /// - Parameters:
  ///   - command: shown to others that wait for the locks.
  ///   - timeout: the maximum time to wait for locks.
  package func carryOut(
    command: String, job: String?, since now: Moment, timeout: Duration
  ) async throws(StoreError) -> Outcome {
    func lock(_ place: StoreLocation) async throws(StoreError) -> StoreLock {
      try await StoreLock.acquire(for: place, command: command, job: job, since: now, timeout: timeout)
    }
    let first = try survey()
    var locks: [StoreLock] = []
    for account in first.accounts {
      locks.append(
        try await StoreLock.acquire(
          account: account, of: from, command: command, job: job, since: now, timeout: timeout))
    }
    let sourceLock = try await lock(from)
    let presentLock = try present() == nil ? nil : try await lock(to)
    defer { withExtendedLifetime((locks, sourceLock, presentLock)) {} }
    let (source, present) = (try source(.writing, under: sourceLock), try present())
    let survey = try survey(source, present)
    guard survey.accounts == first.accounts else { throw CommitBuilder.moved }
    var (header, marked) = (present ?? source.header, source.header.serial)
    switch survey.destination {
    case .there: break
    case .copied:
      // The old location still has everything, in case a row was changed here since the comparison.
      if case .moved(let nonce, _, _) = source.mark, let presentLock,
        try to.rows(.reading, identities: identities).everything(atMost: source.header.count).digest
          != source.whole.digest
      {
        try copy(source, after: try begin(source, nonce, present, under: presentLock), under: presentLock)
      }
      header = try finish(source, under: presentLock, at: now)
    case .empty, .begun, .left:
      let nonce = Sealer.salt().prefix(8).hexadecimal
      let begun = try begin(source, nonce, present, under: presentLock)
      try reached(.begun)
      let destinationLock = if let presentLock { presentLock } else { try await lock(to) }
      defer { withExtendedLifetime(destinationLock) {} }
      try reached(.locked)
      try copy(source, after: begun, under: destinationLock)
      try reached(.copied)
      try verify(try to.rows(.reading, identities: identities).everything(atMost: source.header.count), source)
      try reached(.verified)
      let left = try source.header(.moved(nonce, to: names.to, at: now))
      try source.rows.commit(Batch(header: left), replacing: source.header.root)
      marked = left.serial
      try reached(.marked)
      header = try finish(source, under: destinationLock, at: now)
    }
    try reached(.done)
    var digest: String?
    if case .there = survey.destination {} else { digest = source.whole.digest.hexadecimal }
    return Outcome(
      survey: survey, facts: StoreFacts(header, rootID: source.keys.rootID), digest: digest, marked: marked)
  }

  // MARK: Inspection

  private func source(_ access: SealedStore.Access, under lock: StoreLock? = nil) throws(StoreError) -> StoreDump {
    try StoreDump(at: from, access, under: lock, identities: identities)
  }

  /// The header at the new location; nil if there is no store.
  private func present() throws(StoreError) -> Header? {
    do throws(StoreError) {
      return try to.rows(.reading, identities: identities).header()
    } catch {
      guard error.code == .noStore else { throw error }
      return nil
    }
  }

  private func survey(_ source: StoreDump, _ present: Header?) throws(StoreError) -> Survey {
    Survey(
      facts: source.facts, destination: try destination(source, present), records: source.whole.records.count,
      values: source.whole.values.count, accounts: try source.accounts())
  }

  private func destination(_ source: StoreDump, _ present: Header?) throws(StoreError) -> Destination {
    switch source.mark {
    case .arriving: try source.mark.requireHere()
    case .moved(let nonce, _, _):
      if let present, present.store == source.header.store {
        switch StoreMark(present) {
        case .arriving(let other, _) where other == nonce: return .copied
        case .here: return .there
        default: break
        }
      }
      try source.mark.requireHere()
    case .here: break
    }
    guard let present else { return .empty }
    guard present.store == source.header.store else {
      throw StoreError(
        .exists, "There is another store at \(names.to).",
        hint: "Use another location. On a server, add project=NAME to the address.")
    }
    switch StoreMark(present) {
    case .arriving: return .begun
    case .moved: return .left
    case .here:
      throw StoreError(
        .exists,
        "A copy of this store, at serial \(present.serial), is in use at \(names.to). The store to be moved is at serial "
          + "\(source.header.serial).",
        hint: "Copies cannot be merged. Find out which one is in use, and remove the other.")
    case nil:
      throw StoreError(
        .newerVersion, "The store at \(names.to) was written by a newer version of keyplan.", hint: "Use that version.")
    }
  }

  // MARK: Moving

  /// Marks the new location for this move, without any rows.
  private func begin(
    _ source: StoreDump, _ nonce: StoreMark.Nonce, _ present: Header?, under lock: StoreLock?
  ) throws(StoreError) -> Header {
    let serial = max(source.header.serial, present?.serial ?? 0) + 1
    var batch = Batch(header: try source.header(.arriving(nonce, from: names.from), serial: serial))
    batch.before = present?.serial
    (batch.replacesAll, batch.replacesKeyring) = (true, true)
    if let present {
      try to.rows(.writing, under: lock, identities: identities).commit(batch, replacing: present.root)
    } else {
      switch to {
      case .file(let path): _ = try SQLiteRows.create(try StoreFile(making: path).path, batch)
      case .shared(let shared): _ = try PostgresRows.create(shared.session, batch)
      }
    }
    return batch.header
  }

  /// The approximate size of each commit, which limits the memory needed.
  static let portion = 4 << 20

  private func copy(_ source: StoreDump, after begun: Header, under lock: StoreLock) throws(StoreError) {
    let rows = try to.rows(.writing, under: lock, identities: identities)
    var header = begun
    var batch = Batch(header: header)
    var size = 0
    func commit() throws(StoreError) {
      let root = header.root
      header.serial += 1
      header.root = try Digest(keys: source.keys).root(of: header)
      batch.header = header
      try rows.commit(batch, replacing: root)
      batch = Batch(header: header)
      size = 0
      try reached(.partlyCopied)
    }
    for (row, isValue) in source.whole.records.map({ ($0, false) }) + source.whole.values.map({ ($0, true) }) {
      if isValue { batch.values.append(row) } else { batch.records.append(row) }
      size += row.sealed.count + 64
      if size > Self.portion { try commit() }
    }
    try commit()
  }

  /// Verifies that the copy equals the original, byte for byte.
  private func verify(_ copy: StoredRows, _ source: StoreDump) throws(StoreError) {
    try Digest(keys: source.keys).authenticate(copy.header)
    guard copy.digest == source.whole.digest else {
      throw StoreError(
        .tampered, "Verification failed: \(names.to) and \(names.from) differ.",
        hint: "The original is complete. Find out what changes rows at the new location, and move the store again.")
    }
  }

  /// Makes the copy the store, with its first commit there, by which older plans are detected.
  /// - Returns: its header.
  private func finish(_ source: StoreDump, under lock: StoreLock?, at now: Moment) throws(StoreError) -> Header {
    let rows = try to.rows(.writing, under: lock, identities: identities)
    let copy = try rows.everything(atMost: source.header.count)
    try verify(copy, source)
    var header = copy.header
    header.format = StoreMark.here.format
    var builder = try CommitBuilder(source.sealer, header, copy.records, at: now)
    let bucket = source.keys.stateID.bucket
    for row in copy.records where row.id.bucket == bucket { builder.rows[row.id] = row }
    builder.state.movedAt = header.serial + 1
    builder.state.undone = nil
    let batch = try builder.sealed()
    try rows.commit(batch, replacing: copy.header.root)
    return batch.header
  }
}
