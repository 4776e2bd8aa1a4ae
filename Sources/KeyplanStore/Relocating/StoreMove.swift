package import KeyplanAge
package import KeyplanApply
package import KeyplanCore

/// Takes a store to another place: its rows as they are, none opened and none sealed anew.
///
/// At every moment at most one place answers for the store, so that nothing written is ever lost to the other: the copy is marked as
/// arriving until the old place is marked as left, and only then is it the store. Whatever ends a move, the next one takes it up.
package struct StoreMove: Sendable {
  private let from: StoreLocation
  private let to: StoreLocation
  private let identities: [Identity]
  /// How the two places are named to people who meet a mark.
  private let names: (from: String, to: String)
  /// Hears of each thing that is done, before the next one; an error ends it there, as a power cut would.
  var reached: @Sendable (Stage) throws(StoreError) -> Void = { _ throws(StoreError) in }

  /// What is durable by now.
  enum Stage: CaseIterable { case begun, locked, partlyCopied, copied, verified, marked, done }

  /// - Parameter names: the two places, as people are told about them who look at the other one.
  package init(
    from: StoreLocation, to: StoreLocation, identities: [Identity], names: (from: String, to: String)
  ) {
    (self.from, self.to, self.identities, self.names) = (from, to, identities, names)
  }

  /// What a move would find.
  package struct Survey: Sendable {
    /// Which store it is, and where it stands.
    package let facts: StoreFacts
    /// What is at the new place.
    package let destination: Destination
    /// How many rows there are to copy.
    package let records: Int
    /// How many sealed values.
    package let values: Int
    /// The accounts whose tokens may be on their way to the store: nobody refreshes one while it moves.
    package let accounts: [Identifier<Account>]
  }

  /// What was done.
  package struct Outcome: Sendable {
    /// What was found before.
    package let survey: Survey
    /// Which store it is, and where it stands at the new place.
    package let facts: StoreFacts
    /// SHA-256 over all that both places had in common as they were compared, in hex; nil where it was there already.
    package let digest: String?
    /// The serial of the commit that marked the old place.
    package let marked: Int64
  }

  /// What is at the new place.
  package enum Destination: Sendable {
    /// No store.
    case empty
    /// What an earlier move began to copy.
    case begun
    /// This store, before it was moved away from there.
    case left
    /// All of it, and the old place is marked: only the last step is left.
    case copied
    /// The store itself: it has been moved.
    case there
  }

  /// Looks at both places and changes nothing.
  /// - Throws: `exists` where another store is at the new place, or this one is in use there; `moved` where the old place has lost it
  ///   to a third one.
  package func survey() throws(StoreError) -> Survey { try survey(try source(.reading), try present()) }

  /// Moves the store, or finishes what an earlier move began.
  /// - Parameters:
  ///   - command: what others who wait for the locks are told.
  ///   - timeout: how long others' locks are waited for.
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
    var (serial, marked) = (present?.serial ?? source.header.serial, source.header.serial)
    switch survey.destination {
    case .there: break
    case .copied:
      // The old place still has all of it, should a row have been changed here since it was compared.
      if case .moved(let nonce, _, _) = source.mark, let presentLock,
        try to.rows(.reading).everything().digest != source.whole.digest
      {
        try copy(source, after: try begin(source, nonce, present, under: presentLock), under: presentLock)
      }
      serial = try finish(source, under: presentLock, at: now)
    case .empty, .begun, .left:
      let nonce = hexadecimal(Array(Sealer.salt().prefix(8)))
      let begun = try begin(source, nonce, present, under: presentLock)
      try reached(.begun)
      let destinationLock = if let presentLock { presentLock } else { try await lock(to) }
      defer { withExtendedLifetime(destinationLock) {} }
      try reached(.locked)
      try copy(source, after: begun, under: destinationLock)
      try reached(.copied)
      try verify(try to.rows(.reading).everything(), source)
      try reached(.verified)
      let left = source.header(.moved(nonce, to: names.to, at: now))
      try source.rows.commit(Batch(header: left), replacing: source.header.root)
      marked = left.serial
      try reached(.marked)
      serial = try finish(source, under: destinationLock, at: now)
    }
    try reached(.done)
    var digest: String?
    if case .there = survey.destination {} else { digest = hexadecimal(source.whole.digest) }
    return Outcome(survey: survey, facts: survey.facts.at(serial), digest: digest, marked: marked)
  }

  // MARK: Looking

  private func source(_ access: SealedStore.Access, under lock: StoreLock? = nil) throws(StoreError) -> StoreDump {
    try StoreDump(at: from, access, under: lock, identities: identities)
  }

  /// The header at the new place; nil where there is no store.
  private func present() throws(StoreError) -> Header? {
    do throws(StoreError) {
      return try to.rows(.reading).read(.none).header
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
        .exists, "Another store is at \(names.to).",
        hint: "Name another place. On a server, project=NAME in the address says whose store it is.")
    }
    switch StoreMark(present) {
    case .arriving: return .begun
    case .moved: return .left
    case .here:
      throw StoreError(
        .exists,
        "A copy of this store is in use at \(names.to): it stands at serial \(present.serial), and the one "
          + "that is to be moved at \(source.header.serial).",
        hint: "Two copies are never made one. Find out which of them is the store, and take the other away.")
    case nil: throw StoreError(.newerVersion, "A newer keyplan wrote to \(names.to).", hint: "Use that version.")
    }
  }

  // MARK: Moving

  /// Marks the new place as taken by this move, with no row in it.
  private func begin(
    _ source: StoreDump, _ nonce: StoreMark.Nonce, _ present: Header?, under lock: StoreLock?
  ) throws(StoreError) -> Header {
    let serial = max(source.header.serial, present?.serial ?? 0) + 1
    var batch = Batch(header: source.header(.arriving(nonce, from: names.from), serial: serial))
    batch.before = present?.serial
    (batch.replacesAll, batch.replacesKeyring) = (true, true)
    if let present {
      try to.rows(.writing, under: lock).commit(batch, replacing: present.root)
    } else {
      switch to {
      case .file(let path): _ = try SQLiteRows.create(try StoreFile(making: path).path, batch)
      case .shared(let shared): _ = try PostgresRows.create(shared.session, batch)
      }
    }
    return batch.header
  }

  /// How much goes in one commit, so that neither side needs room for all of it at once.
  static let portion = 4 << 20

  private func copy(_ source: StoreDump, after begun: Header, under lock: StoreLock) throws(StoreError) {
    let rows = try to.rows(.writing, under: lock)
    var header = begun
    var batch = Batch(header: header)
    var size = 0
    func commit() throws(StoreError) {
      let root = header.root
      header.serial += 1
      header.root = Digest(keys: source.keys).root(of: header)
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

  /// Holds what came to what left: every row, to the byte.
  private func verify(_ copy: StoredRows, _ source: StoreDump) throws(StoreError) {
    try Digest(keys: source.keys).authenticate(copy.header)
    guard copy.digest == source.whole.digest else {
      throw StoreError(
        .tampered, "What came to \(names.to) is not what is at \(names.from): a row was changed on the way or there.",
        hint: "Nothing is lost: what was there is whole. Find out who changes rows, and move it once more.")
    }
  }

  /// Makes the copy the store. It is its first commit there, by which plans from before can be told.
  /// - Returns: its serial.
  private func finish(_ source: StoreDump, under lock: StoreLock?, at now: Moment) throws(StoreError) -> Int64 {
    let rows = try to.rows(.writing, under: lock)
    let copy = try rows.everything()
    try verify(copy, source)
    var header = copy.header
    header.format = StoreMark.here.format(source.format)
    var draft = try CommitBuilder(Sealer(keys: source.keys), header, copy.records, at: now)
    let bucket = source.keys.stateID.bucket
    for row in copy.records where row.id.bucket == bucket { draft.rows[row.id] = row }
    draft.state.movedAt = header.serial + 1
    let batch = try draft.sealed()
    try rows.commit(batch, replacing: copy.header.root)
    return batch.header.serial
  }
}
