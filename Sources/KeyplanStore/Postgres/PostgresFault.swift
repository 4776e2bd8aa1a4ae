import KeyplanApply

/// What went wrong between us and the server. The words for people are made by `PostgresMessages`.
enum PostgresFault: Error, Equatable {
  /// There is no connection, or it ended: what was under way may have happened or not. The words are libpq's.
  case lost(String)
  /// The server is starting, or is going down.
  case notYet
  /// A pooler ended the connection before it was one, and did not say why: it has none left, does not let the role in, or does not know
  /// the database.
  case turnedAway
  /// No answer within the time; what was under way may still happen.
  case late
  /// Nobody waits for the answer any more. Nothing that was under way changes the store.
  case givenUp
  /// The server refused, by SQLSTATE: nothing of it happened.
  case refused(String)
  /// An answer of another form than was asked for.
  case malformed

  /// A serialization failure and a deadlock: what is run again may succeed.
  static let contended: Set = ["40001", "40P01"]
  /// Too many connections: of the server, the database or the role.
  static let full = "53300"
  /// A violation of the protocol, which is what pgbouncer calls every error of its own up to version 1.18.
  private static let ofPooler = "08P01"

  /// States in which the server ends the connection, or cannot take one yet (PostgreSQL documentation, appendix A).
  static func of(state: String?, words: String, isConnecting: Bool = false) -> PostgresFault {
    guard let state else { return .lost(words) }
    if state == "57P03" { return .notYet }
    if state == ofPooler, isConnecting { return .turnedAway }
    return state.hasPrefix("08") || ["57P01", "57P02", "57P05", "25P03"].contains(state)
      ? .lost(words.isEmpty ? "the server ended the connection" : words) : .refused(state)
  }
}
