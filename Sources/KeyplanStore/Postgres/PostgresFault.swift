import KeyplanPorts

/// An error of a server. `PostgresMessages` converts it to a message.
enum PostgresFault: Error, Equatable {
  /// There is no connection, or it was lost: statements may have been executed or not. With libpq's message.
  case lost(String)
  /// The server is starting or shutting down.
  case notYet
  /// A pooler closed the connection without a reason: it has no connection left, rejects the role, or does not know the
  /// database.
  case turnedAway
  /// The time-out has passed; statements may still be executed.
  case late
  /// The task was cancelled. No pending statement changes the store.
  case givenUp
  /// The server rejected a statement, with this SQLSTATE: nothing was executed.
  case refused(String)
  /// The result has an unexpected form.
  case malformed

  /// Serialization failure and deadlock: a retry may succeed.
  static let contended: Set = ["40001", "40P01"]
  /// Too many connections to the server, to the database or for the role.
  static let full = "53300"
  /// Protocol violation, which pgbouncer up to version 1.18 reports for all of its own errors.
  private static let ofPooler = "08P01"

  /// Classifies an SQLSTATE; with some, the server closes the connection or cannot accept one yet (PostgreSQL
  /// documentation, appendix A).
  static func of(state: String?, words: String, isConnecting: Bool = false) -> PostgresFault {
    guard let state else { return .lost(words) }
    if state == "57P03" { return .notYet }
    if state == ofPooler, isConnecting { return .turnedAway }
    return state.hasPrefix("08") || ["57P01", "57P02", "57P05", "25P03"].contains(state)
      ? .lost(words.isEmpty ? "the server closed the connection" : words) : .refused(state)
  }
}
