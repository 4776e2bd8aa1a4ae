import KeyplanPorts

/// Messages for errors of a server: the problem, the reason, and the fix. The server's own texts are never shown, since they can
/// quote anything.
struct PostgresMessages {
  private let address: PostgresAddress
  private let user: String
  private let database: String
  private let work: Work

  /// The kind of operation, which determines the missing permission.
  enum Work { case reading, locking, writing, making }

  /// A state of our own, which PostgreSQL does not use.
  static let tooOld = "KP012"

  /// - Parameter login: of the connection, if there is one; otherwise the address is used.
  init(_ address: PostgresAddress, _ login: PostgresLogin?, _ work: Work) {
    self.address = address
    user = login?.user ?? address.parameters["user"] ?? "the role"
    database = login?.database ?? address.parameters["dbname"] ?? "the database"
    self.work = work
  }

  func error(of fault: PostgresFault) -> StoreError {
    switch fault {
    case .lost(let words): lost(words)
    case .notYet:
      StoreError(
        .unreachable, "The server of \(address.description) is starting or shutting down.",
        hint: "Try again in a moment.")
    case .turnedAway:
      StoreError(
        .unreachable,
        "The pooler of \(address.description) refused the connection: it has none left, or rejects \(Self.quoted(user)).",
        hint: "See its log for the reason. Try again in a moment.")
    case .late:
      StoreError(
        .unreachable,
        "The server of \(address.description) did not respond in time.",
        hint: work == .reading || work == .locking
          ? "Check the server's load and the network. To wait longer, add connect_timeout=SECONDS to the address."
          : "The change may or may not have been made; the next plan shows it. Try again.")
    case .givenUp:
      StoreError(
        .interrupted, "The run was interrupted while it waited for the server of \(address.description).")
    case .malformed:
      StoreError(
        .damaged, "\(address.description) does not contain a valid store.", hint: Database.fromBackup)
    case .refused(let state): refused(state)
    }
  }

  private func lost(_ words: String) -> StoreError {
    let reason = words.isEmpty ? "the connection ended" : words
    // libpq found no password.
    if words.contains("password") { return refused("28P01") }
    if words.contains("certificate") || words.contains("SSL") {
      return StoreError(
        .refused, "The server of \(address.description) is not trusted: \(reason).",
        hint: "Add sslrootcert=FILE with the certificate of its authority to the address, or give the server a "
          + "certificate for its name in the address.")
    }
    return StoreError(
      .unreachable, "The server of \(address.description) is unreachable: \(reason).",
      hint: "Check that it is running, and that the network and firewall allow the connection.")
  }

  private func refused(_ state: String) -> StoreError {
    let place = address.description
    let schema = Self.quoted(address.schema)
    switch state {
    case Self.tooOld:
      return StoreError(
        .refused, "The server of \(place) is older than PostgreSQL 12.", hint: "Use PostgreSQL 12 or later.")
    case "28P01":
      return StoreError(
        .refused,
        "The server of \(place) rejected \(Self.quoted(user)): wrong password, or no permission to connect.",
        hint:
          "Put the password into ~/.pgpass or PGPASSWORD. The server's pg_hba.conf determines who may connect."
      )
    case "28000":
      return StoreError(
        .refused,
        "The server of \(place) rejected \(Self.quoted(user)): the role does not exist or may not log in, or no line of "
          + "pg_hba.conf allows the connection.",
        hint: "Name the role in the address (postgres://ROLE@…) or in PGUSER, or allow it in the server's pg_hba.conf.")
    case "3D000":
      return StoreError(
        .refused, "The server of \(place) has no database \(Self.quoted(database)).",
        hint: "create database \(Self.quoted(database));")
    case "42P01", "3F000", "42703":
      return StoreError(
        .noStore, "The database of \(place) has no current keyplan tables in the schema \(schema).",
        hint: "keyplan init")
    case "42501":
      return StoreError(
        .refused, "\(Self.quoted(user)) lacks permissions in \(place). The owner can grant them.", hint: grant)
    case "25006":
      return StoreError(
        .refused, "The server of \(place) is read-only (standby or default_transaction_read_only).",
        hint: "Use the primary's address, or list all hosts with target_session_attrs=read-write.")
    case PostgresFault.full:
      return StoreError(
        .unreachable, "The server of \(place) has no connection left.",
        hint: "Try again later, or raise max_connections or the connection limit of the role or database.")
    case "53100", "53200", "54000":
      return StoreError(
        .io, "Disk full or out of memory on the server of \(place). No changes were made.",
        hint: "Free some space on the server, and try again.")
    case "57014": return error(of: .late)
    case _ where PostgresFault.contended.contains(state):
      return StoreError(
        .unreachable,
        "The server of \(place) rejected the transaction because of concurrent ones. No changes were made.",
        hint: "Try again in a moment.")
    default:
      return StoreError(
        .io, "The server of \(place) rejected the request (SQLSTATE \(state)). No changes were made.",
        hint: "See the server's log.")
    }
  }

  /// Begins in lower case, so that it is displayed on one line for pasting.
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

  /// An SQL identifier in quotes.
  static func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }
}
