import KeyplanApply

/// Watches whether the connection of a lease's holder is gone, for who waits for the lease: a dead holder need then not be waited for.
///
/// It is a sign and no proof. A living holder whose connection was cut makes another at once, so the sign has to last; and what
/// makes the lease safe is its token, as ever. A server that gives no sign, or a pooler in between, leaves it at 15 seconds.
struct HolderWatch {
  private let subject: PostgresLease.Subject
  private let session: PostgresSession
  private var seen: (sign: Sign, since: ContinuousClock.Instant)?
  private var isBlind = false

  /// Whether there is a sign that has not lasted long enough yet.
  var hasSign: Bool { !isBlind && seen != nil }

  /// Which connection of which holder was gone.
  private struct Sign: Equatable {
    let token: Int64
    let backend: Int64
  }

  /// How long a holder has for another connection.
  private static let grace = Duration.milliseconds(500)

  init(_ subject: PostgresLease.Subject, _ session: PostgresSession) {
    (self.subject, self.session) = (subject, session)
  }

  /// Looks once. True if the lease was ended.
  mutating func ends() -> Bool {
    guard !isBlind else { return false }
    let schema = PostgresSchema(session.address)
    let mine = subject.parameters(session)
    let found: Sign??
    found = try? session.run([PostgresStatement(schema.gone(subject.row), mine)], doing: .reading) {
      answers throws(PostgresFault) in
      answers[0].count == 0 ? nil : Sign(token: try answers[0].integer(0, 0), backend: try answers[0].integer(0, 1))
    }
    guard let found else {
      isBlind = true
      return false
    }
    guard let sign = found else {
      seen = nil
      return false
    }
    let now = ContinuousClock.now
    guard let before = seen, before.sign == sign else {
      seen = (sign, now)
      return false
    }
    guard before.since.duration(to: now) >= Self.grace else { return false }
    seen = nil
    let ending = PostgresStatement(
      schema.endGone(subject.row), mine + [.integer(sign.token), .integer(sign.backend)])
    return (try? session.run([ending], doing: .writing) { _ in }) != nil
  }
}
