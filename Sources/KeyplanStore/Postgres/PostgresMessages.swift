import KeyplanApply

/// Says what went wrong with a server: what, why, and what to do. The server's own texts are never shown, they can quote anything.
struct PostgresMessages {
  private let address: PostgresAddress
  private let user: String
  private let database: String
  private let work: Work

  /// What was being done, which says what leave is missing.
  enum Work { case reading, locking, writing, making }

  /// A state of our own, which PostgreSQL has not.
  static let tooOld = "KP012"

  init(_ address: PostgresAddress, user: String?, database: String?, _ work: Work) {
    self.address = address
    self.user = user ?? address.parameters["user"] ?? "ROLE"
    self.database = database ?? address.parameters["dbname"] ?? "DATABASE"
    self.work = work
  }

  func error(of fault: PostgresFault) -> StoreError {
    switch fault {
    case .lost(let words): lost(words)
    case .notYet:
      StoreError(
        .unreachable, "The server of \(address.description) is starting or going down.", hint: "Try again in a moment.")
    case .turnedAway:
      StoreError(
        .unreachable,
        "The pooler of \(address.description) took no connection: it has none left, or does not let \(Self.quoted(user)) in.",
        hint: "Its log says which. Try again in a moment.")
    case .late:
      StoreError(
        .unreachable,
        "The server of \(address.description) did not answer in time.",
        hint: work == .reading || work == .locking
          ? "Is it overloaded, or the way to it blocked? connect_timeout=SECONDS in the address waits longer."
          : "What was sent may have happened or not: the next plan knows. Try again.")
    case .givenUp:
      StoreError(
        .interrupted, "The run was interrupted before the server of \(address.description) had answered.")
    case .malformed:
      StoreError(
        .damaged, "\(address.description) does not hold what keyplan keeps in a store.", hint: Database.fromBackup)
    case .refused(let state): refused(state)
    }
  }

  private func lost(_ words: String) -> StoreError {
    let reason = words.isEmpty ? "the connection ended" : words
    // It found none to send.
    if words.contains("password") { return refused("28P01") }
    if words.contains("certificate") || words.contains("SSL") {
      return StoreError(
        .refused, "The server of \(address.description) is not trusted: \(reason).",
        hint: "Name the file of its authority with sslrootcert=FILE in the address, or have the server use TLS with a "
          + "certificate for the name in the address.")
    }
    return StoreError(
      .unreachable, "The server of \(address.description) cannot be reached: \(reason).",
      hint: "Is it running, and is the way to it open? keyplan tries again each time it is run.")
  }

  private func refused(_ state: String) -> StoreError {
    let place = address.description
    let schema = Self.quoted(address.schema)
    switch state {
    case Self.tooOld:
      return StoreError(.refused, "The server of \(place) is older than PostgreSQL 12.", hint: "Use a later one.")
    case "28P01", "28000":
      return StoreError(
        .refused,
        "The server of \(place) does not let \(Self.quoted(user)) in: wrong password, or no leave to connect.",
        hint:
          "Put the password into ~/.pgpass or PGPASSWORD; who may connect from where stands in the server's pg_hba.conf."
      )
    case "3D000":
      return StoreError(
        .refused, "The server of \(place) has no database \(Self.quoted(database)).",
        hint: "create database \(Self.quoted(database));")
    case "42P01", "3F000", "42703":
      return StoreError(
        .noStore, "The database of \(place) has no tables of keyplan in the schema \(schema), or older ones.",
        hint: "keyplan init")
    case "42501":
      return StoreError(
        .refused, "\(Self.quoted(user)) lacks rights in \(place). Who owns it can give them.", hint: grant)
    case "25006":
      return StoreError(
        .refused, "The server of \(place) takes no writes: it is a standby, or set to read-only.",
        hint: "Name the primary in the address, or target_session_attrs=read-write with all hosts.")
    case PostgresFault.full:
      return StoreError(
        .unreachable, "The server of \(place) has no connection left.",
        hint: "Others have them all: try again later, or raise max_connections or the limit of the role or database.")
    case "53100", "53200", "54000":
      return StoreError(
        .io, "The server of \(place) has no room left. What was there before is unchanged.",
        hint: "Make room on the server, and run it again.")
    case "57014": return error(of: .late)
    case _ where PostgresFault.contended.contains(state):
      return StoreError(
        .unreachable,
        "The server of \(place) could not do it for others who were at the same rows. Nothing has changed.",
        hint: "Try again in a moment.")
    default:
      return StoreError(
        .io, "The server of \(place) refused (SQLSTATE \(state)). What was there before is unchanged.",
        hint: "The server's log says more.")
    }
  }

  /// Begins small, so that it is shown in one piece, to be pasted.
  private var grant: String {
    let (schema, role) = (Self.quoted(address.schema), Self.quoted(user))
    switch work {
    case .making: return "grant create on database \(Self.quoted(database)) to \(role);"
    case .reading:
      return "grant usage on schema \(schema) to \(role); grant select on all tables in schema \(schema) to \(role);"
    case .locking, .writing:
      return "grant usage on schema \(schema) to \(role); "
        + "grant select, insert, update, delete on all tables in schema \(schema) to \(role);"
    }
  }

  /// An identifier as SQL wants it.
  static func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }
}
