import Crypto
import KeyplanModel
import KeyplanPorts
import Synchronization

/// A lock of a shared store: a row that contains the holder and the expiration.
///
/// It expires 15 seconds after its last renewal, by the server's clock. Safety does not depend on the time but on the
/// token: each lease has a higher token than all before it, and each commit contains it. A holder that was suspended,
/// disconnected or lost its lease is therefore fenced off, and a holder whose connection was lost continues over
/// another one.
final class PostgresLease: Sendable {
  let subject: Subject
  let token: Int64
  private let shared: SharedStore
  private let heartbeat: HeartbeatThread

  /// The interval of renewals.
  private static let tick = Duration.seconds(3)
  private static let patience = Duration.seconds(10)
  private static let lastPatience = Duration.seconds(2)

  /// The subject of a lock.
  enum Subject: Hashable {
    case store
    case account(Identifier<Account>)

    var row: PostgresSchema.LeaseRow { if case .store = self { .store } else { .account } }

    /// A digest of the account's name, which the server need not know.
    var name: [UInt8]? {
      guard case .account(let account) = self else { return nil }
      var fields = LengthPrefixed()
      fields.append("keyplan lease")
      fields.append("calendar")
      fields.append(account.name)
      return SHA256.hash(data: fields.bytes).withUnsafeBytes { Array($0.prefix(16)) }
    }

    /// The parameters that identify the row.
    func parameters(_ session: PostgresSession) -> [PostgresValue] {
      [.text(session.address.project), .text(session.address.environment)] + (name.map { [.bytes($0)] } ?? [])
    }
  }

  /// Takes the lease; nil if it is held. Over the connection that there is: the one for renewals is made meanwhile.
  static func take(
    _ subject: Subject, _ shared: SharedStore, for holder: StoreLock.Holder
  ) throws(StoreError) -> PostgresLease? {
    let session = shared.session
    let schema = PostgresSchema(session.address)
    let claim = Sealer.salt()
    let values: [PostgresValue] = [
      .text(holder.host), .integer(Int64(holder.process)), .text(holder.command), .text(holder.job ?? ""),
      .integer(holder.since.seconds), .bytes(claim),
    ]
    let taken: Int64?
    do throws(StoreError) {
      taken = try take(
        PostgresStatement(schema.take(subject.row), subject.parameters(session) + values),
        noting(subject, session, claim), session)
    } catch {
      if error.code == .interrupted { release(subject, session, claim) }
      throw error
    }
    if let taken { return PostgresLease(subject, taken, claim, shared) }
    // The lease may have been taken over a connection that was then lost.
    return try present(subject, session).lease.flatMap {
      $0.claim == claim ? PostgresLease(subject, $0.token, claim, shared) : nil
    }
  }

  /// Takes the lease and records the session in one transaction, so that the death of the holder can be detected from
  /// the start.
  private static func take(
    _ take: PostgresStatement, _ note: PostgresStatement, _ session: PostgresSession
  ) throws(StoreError) -> Int64? {
    func token(_ answers: [PostgresAnswer]) throws(PostgresFault) -> Int64? {
      answers[0].count == 0 ? nil : try answers[0].integer(0, 0)
    }
    if !session.refusesNotes.load(ordering: .relaxed) {
      do throws(StoreError) {
        return try session.run([take, note], doing: .locking, reading: token)
      } catch {
        // If the server rejected one of the statements, neither was executed.
        guard ![.interrupted, .unreachable].contains(error.code) else { throw error }
      }
    }
    // If recording the session was rejected: the lease works without it, but then expires only after 15 seconds.
    let taken = try session.run([take], then: [note], doing: .locking, reading: token)
    session.refusesNotes.store(true, ordering: .relaxed)
    return taken
  }

  /// Releases a lease after the task was cancelled: the server may have granted it, or may still grant it when it gets
  /// the row's lock, even though the connection has ended. This statement waits for the same row, so it is executed
  /// later.
  private static func release(_ subject: Subject, _ session: PostgresSession, _ claim: [UInt8]) {
    let release = PostgresStatement(
      PostgresSchema(session.address).releaseClaim(subject.row), subject.parameters(session) + [.bytes(claim)])
    try? session.run([release], within: .seconds(1), doing: .writing) { _ in }
  }

  private static func noting(_ subject: Subject, _ session: PostgresSession, _ claim: [UInt8]) -> PostgresStatement {
    PostgresStatement(
      PostgresSchema(session.address).noteSession(subject.row),
      subject.parameters(session) + [.bytes(claim), .serverProcess])
  }

  private init(_ subject: Subject, _ token: Int64, _ claim: [UInt8], _ shared: SharedStore) {
    self.subject = subject
    self.token = token
    self.shared = shared
    let session = shared.lockSession
    let schema = PostgresSchema(session.address)
    let renewal = PostgresStatement(schema.renew(subject.row), subject.parameters(session) + [.integer(token)])
    let note = Self.noting(subject, session, claim)
    // The first renewal makes the connection for the others, and records its session in the place of the one that took the lease.
    // After a lost connection, another one is made at once, before the holder appears to be dead.
    heartbeat = HeartbeatThread(every: Self.tick, isPrompt: true, listening: { session.descriptor }) { isStopped in
      let isHeld = try? session.run(
        [renewal], then: [note], within: Self.patience, doing: .writing, unless: isStopped
      ) { $0[0].count == 1 }
      // A server that is unreachable now may be back in time, but a lease that another process has is lost.
      return isHeld ?? true
    }
  }

  deinit {
    heartbeat.stop()
    // A run can be over before there is a connection for renewals.
    let session = shared.lockSession.descriptor < 0 ? shared.session : shared.lockSession
    let release = PostgresStatement(
      PostgresSchema(session.address).release(subject.row), subject.parameters(session) + [.integer(token)])
    // If this fails, the lease expires by itself; there is no point in waiting for a server that does not respond.
    try? session.run([release], within: Self.lastPatience, doing: .writing) { _ in }
  }

  /// The content of the row.
  private struct Present {
    let token: Int64
    let claim: [UInt8]
    let holder: StoreLock.Holder
  }

  /// The current holder of the lease; nil if there is none.
  static func holder(_ subject: Subject, _ session: PostgresSession) throws(StoreError) -> StoreLock.Holder? {
    try present(subject, session).lease?.holder
  }

  private static func present(
    _ subject: Subject, _ session: PostgresSession, doing work: PostgresMessages.Work = .reading
  ) throws(StoreError) -> (token: Int64, lease: Present?) {
    let query = PostgresStatement(PostgresSchema(session.address).holder(subject.row), subject.parameters(session))
    let found = try session.run([query], doing: work) { answers throws(PostgresFault) -> (Int64, Present?)? in
      let answer = answers[0]
      guard answer.count == 1 else { return nil }
      let token = try answer.integer(0, 0)
      guard try answer.optionalBool(0, 7) == true else { return (token, nil) }
      let holder = try holder(in: answer, 0)
      return (token, Present(token: token, claim: [UInt8](try answer.bytes(0, 8)), holder: holder))
    }
    guard let found else {
      if subject != .store, try SharedStore(session.address).exists() { return (0, nil) }
      throw PostgresRows(session, .reading).missing
    }
    return found
  }

  /// Reads the columns token, host, process, command, job, since and silence.
  private static func holder(in answer: PostgresAnswer, _ row: Int) throws(PostgresFault) -> StoreLock.Holder {
    let job = try answer.text(row, 4)
    return StoreLock.Holder(
      host: visible(try answer.text(row, 1)), process: Int32(clamping: try answer.integer(row, 2)),
      since: Moment(seconds: try answer.integer(row, 5)), command: visible(try answer.text(row, 3)),
      id: try answer.integer(row, 0), job: job.isEmpty ? nil : visible(job), silence: try answer.integer(row, 6))
  }

  /// The current holders of accounts' leases, with the digests of the accounts' names.
  static func accountHolders(
    _ session: PostgresSession
  ) throws(StoreError) -> [(name: [UInt8], holder: StoreLock.Holder)] {
    let query = PostgresStatement(
      PostgresSchema(session.address).accountHolders, Subject.store.parameters(session))
    do throws(StoreError) {
      return try session.run([query], doing: .reading) { answers throws(PostgresFault) in
        var found: [(name: [UInt8], holder: StoreLock.Holder)] = []
        for row in 0..<answers[0].count {
          found.append(([UInt8](try answers[0].bytes(row, 7)), try holder(in: answers[0], row)))
        }
        return found
      }
    } catch {
      // Tables of an earlier version have no leases of accounts.
      guard error.code == .noStore else { throw error }
      return []
    }
  }

  /// Ends the lease with this token. False if another one is held.
  static func end(_ subject: Subject, _ token: Int64, _ session: PostgresSession) throws(StoreError) -> Bool {
    let statement = PostgresStatement(
      PostgresSchema(session.address).breakLease(subject.row), subject.parameters(session) + [.integer(token)])
    return try session.run([statement], doing: .writing) { $0[0].count == 1 }
  }

  /// Throws if a commit was rejected because the lease with this token is lost.
  static func require(_ subject: Subject, _ token: Int64, of session: PostgresSession) throws(StoreError) {
    let (present, lease) = try present(subject, session, doing: .writing)
    guard present != token else { return }
    let taken = lease.map { "; process \($0.holder.process) on \($0.holder.host) has it now (\($0.holder.command))" }
    let what = if case .account(let account) = subject { "calendar.\(account)" } else { "the store" }
    throw StoreError(
      .lost,
      "This run lost its lock on \(what)\(taken ?? ""). It was not renewed for 15 seconds, or was broken.",
      hint: "All commits so far are kept. Plan again.")
  }

  /// Replaces control characters: the text comes from the server, where others may have written it.
  private static func visible(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.prefix(500).map { $0.properties.generalCategory == .control ? " " : $0 }))
  }
}
