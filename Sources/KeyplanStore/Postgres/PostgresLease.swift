import Crypto
import KeyplanApply
import KeyplanCore
import Synchronization

/// A lock of a shared store: a row that says who has it, and until when.
///
/// It ends by itself 15 seconds after its holder was last heard of, by the server's clock. What makes it safe is not the time
/// but the token: each lease has a higher one than all before, and a commit names it. So a holder that was stopped, cut off or
/// robbed writes nothing more, however late it wakes up; and one whose connection was lost goes on over another.
final class PostgresLease: Sendable {
  let subject: Subject
  let token: Int64
  private let session: PostgresSession
  private let heart: HeartbeatThread

  /// How often the server hears of a holder.
  private static let tick = Duration.seconds(3)
  private static let patience = Duration.seconds(10)
  private static let lastPatience = Duration.seconds(2)

  /// What is locked.
  enum Subject: Hashable {
    case store
    case account(Identifier<Account>)

    var row: PostgresSchema.LeaseRow { if case .store = self { .store } else { .account } }

    /// Not the name, which nobody needs there who does not know it.
    var name: [UInt8]? {
      guard case .account(let account) = self else { return nil }
      var fields = LengthPrefixed()
      fields.append("keyplan lease")
      fields.append("calendar")
      fields.append(account.name)
      return SHA256.hash(data: fields.bytes).withUnsafeBytes { Array($0.prefix(16)) }
    }

    /// The parameters that say which row it is.
    func parameters(_ session: PostgresSession) -> [PostgresValue] {
      [.text(session.address.project), .text(session.address.environment)] + (name.map { [.bytes($0)] } ?? [])
    }
  }

  /// Takes the lease; nil while another has it.
  static func take(
    _ subject: Subject, _ session: PostgresSession, for holder: StoreLock.Holder
  ) throws(StoreError) -> PostgresLease? {
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
      if error.code == .interrupted { giveBack(subject, session, claim) }
      throw error
    }
    if let taken { return PostgresLease(subject, taken, claim, session) }
    // A lease that was taken over a connection that was then lost is ours, too.
    return try present(subject, session).lease.flatMap {
      $0.claim == claim ? PostgresLease(subject, $0.token, claim, session) : nil
    }
  }

  /// Takes it and notes the session in one transaction: a holder that dies as soon as it has the lease can then be seen to be dead.
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
        // Where the server refused one of them, neither was done.
        guard ![.interrupted, .unreachable].contains(error.code) else { throw error }
      }
    }
    // If it was the note that was refused: without it the lease is good for 15 seconds all the same.
    let taken = try session.run([take], then: [note], doing: .locking, reading: token)
    session.refusesNotes.store(true, ordering: .relaxed)
    return taken
  }

  /// A lease that nobody waits for any more may have been given, or be given yet once a row is free that somebody holds. Who asks for the
  /// row later gets it later, and the server does what it was asked although the connection has ended.
  private static func giveBack(_ subject: Subject, _ session: PostgresSession, _ claim: [UInt8]) {
    let release = PostgresStatement(
      PostgresSchema(session.address).releaseClaim(subject.row), subject.parameters(session) + [.bytes(claim)])
    try? session.run([release], within: .seconds(1), doing: .writing) { _ in }
  }

  private static func noting(_ subject: Subject, _ session: PostgresSession, _ claim: [UInt8]) -> PostgresStatement {
    PostgresStatement(
      PostgresSchema(session.address).noteSession(subject.row),
      subject.parameters(session) + [.bytes(claim), .serverProcess])
  }

  private init(_ subject: Subject, _ token: Int64, _ claim: [UInt8], _ session: PostgresSession) {
    self.subject = subject
    self.token = token
    self.session = session
    let schema = PostgresSchema(session.address)
    let renewal = PostgresStatement(schema.renew(subject.row), subject.parameters(session) + [.integer(token)])
    let note = Self.noting(subject, session, claim)
    // A connection that ends is made anew at once, before somebody takes its end for the holder's.
    heart = HeartbeatThread(every: Self.tick, listening: { session.descriptor }) { isStopped in
      let isHeld = try? session.run(
        [renewal], then: [note], within: Self.patience, doing: .writing, unless: isStopped
      ) { $0[0].count == 1 }
      // A server that cannot be reached now may be there again in time; a lease that another has is lost for good.
      return isHeld ?? true
    }
  }

  deinit {
    heart.stop()
    let release = PostgresStatement(
      PostgresSchema(session.address).release(subject.row), subject.parameters(session) + [.integer(token)])
    // Where this fails, the lease ends by itself: a server that does not answer is not worth waiting for.
    try? session.run([release], within: Self.lastPatience, doing: .writing) { _ in }
  }

  /// What stands in the row.
  private struct Present {
    let token: Int64
    let claim: [UInt8]
    let holder: StoreLock.Holder
  }

  /// Whose lease it is at this moment; nil if nobody's.
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

  /// Token, host, process, command, job, since and silence, in this order.
  private static func holder(in answer: PostgresAnswer, _ row: Int) throws(PostgresFault) -> StoreLock.Holder {
    let job = try answer.text(row, 4)
    return StoreLock.Holder(
      host: visible(try answer.text(row, 1)), process: Int32(clamping: try answer.integer(row, 2)),
      since: Moment(seconds: try answer.integer(row, 5)), command: visible(try answer.text(row, 3)),
      id: try answer.integer(row, 0), job: job.isEmpty ? nil : visible(job), silence: try answer.integer(row, 6))
  }

  /// Whose leases of accounts it has now, by what stands there for an account's name.
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
      // Tables that an earlier keyplan made have none.
      guard error.code == .noStore else { throw error }
      return []
    }
  }

  /// Takes the lease with this token from whoever holds it. False if it is not the one that is held.
  static func end(_ subject: Subject, _ token: Int64, _ session: PostgresSession) throws(StoreError) -> Bool {
    let statement = PostgresStatement(
      PostgresSchema(session.address).breakLease(subject.row), subject.parameters(session) + [.integer(token)])
    return try session.run([statement], doing: .writing) { $0[0].count == 1 }
  }

  /// Says why a commit under this token did not happen, if the token is the reason.
  static func require(_ subject: Subject, _ token: Int64, of session: PostgresSession) throws(StoreError) {
    let (present, lease) = try present(subject, session, doing: .writing)
    guard present != token else { return }
    let taken = lease.map { ", and process \($0.holder.process) on \($0.holder.host) has it now: \($0.holder.command)" }
    let what = if case .account(let account) = subject { "calendar.\(account)" } else { "the store" }
    throw StoreError(
      .lost,
      "This run's lock on \(what) ended\(taken ?? ""). Nothing was heard of it for 15 seconds, or somebody broke it.",
      hint: "Nothing that was committed is lost. Plan again.")
  }

  /// Whoever may write to the server could have put anything there.
  private static func visible(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.prefix(500).map { $0.properties.generalCategory == .control ? " " : $0 }))
  }
}
