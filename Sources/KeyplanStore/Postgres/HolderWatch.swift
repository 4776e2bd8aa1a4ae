import KeyplanPorts

/// Detects that the connection of a lease's holder is gone, so that a waiting process need not wait for the lease of a
/// dead one to expire.
///
/// It is only an indication. A live holder whose connection was lost makes another one at once, so the indication must
/// persist; and the lease's token protects the store in any case. Without such information from the server, or behind a
/// pooler, the 15 seconds remain.
struct HolderWatch {
  private let subject: PostgresLease.Subject
  private let session: PostgresSession
  private let clock: WaitingClock
  private var lastSign: (sign: Sign, since: Duration)?
  private var isUnsupported = false

  /// Whether a connection is gone, but not yet for long enough.
  var hasSign: Bool { !isUnsupported && lastSign != nil }

  /// The connection that was gone, and its holder's token.
  private struct Sign: Equatable {
    let token: Int64
    let backend: Int64
  }

  /// The time that a holder has to make another connection.
  private static let grace = Duration.milliseconds(500)

  init(_ subject: PostgresLease.Subject, _ session: PostgresSession, clock: WaitingClock = .system) {
    (self.subject, self.session, self.clock) = (subject, session, clock)
  }

  /// Checks once. True if the lease was ended.
  mutating func ends() -> Bool {
    guard !isUnsupported else { return false }
    let schema = PostgresSchema(session.address)
    let mine = subject.parameters(session)
    let found: Sign??
    found = try? session.run([PostgresStatement(schema.gone(subject.row), mine)], doing: .reading) {
      answers throws(PostgresFault) in
      answers[0].count == 0 ? nil : Sign(token: try answers[0].integer(0, 0), backend: try answers[0].integer(0, 1))
    }
    guard let found else {
      isUnsupported = true
      return false
    }
    guard let sign = found else {
      lastSign = nil
      return false
    }
    let now = clock.now()
    guard let before = lastSign, before.sign == sign else {
      lastSign = (sign, now)
      return false
    }
    guard now - before.since >= Self.grace else { return false }
    lastSign = nil
    let ending = PostgresStatement(
      schema.endGone(subject.row), mine + [.integer(sign.token), .integer(sign.backend)])
    return (try? session.run([ending], doing: .writing) { _ in }) != nil
  }
}
