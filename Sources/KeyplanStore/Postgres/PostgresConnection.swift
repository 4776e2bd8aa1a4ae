import CPostgres

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The role and the database of a connection, as libpq chose them.
struct PostgresLogin {
  let user: String
  let database: String
}

/// A connection to a server, which sends statements together and receives their results together, with a deadline.
///
/// No state is kept in the session between two calls, so that a pooler may use different sessions; only `CommitListener` does.
final class PostgresConnection {
  private let connection: OpaquePointer

  /// Nil before the connection has chosen a server, as libpq has no names then.
  var login: PostgresLogin? { Self.login(of: connection) }
  /// For example 150018.
  var serverVersion: Int { Int(keyplan_pg_server_version(connection)) }

  /// The process number that the server reported on connecting. Behind a pooler it is meaningless.
  var serverProcess: Int32 { keyplan_pg_server_process(connection) }
  /// The socket, which becomes readable when the server sends anything or closes the connection.
  var descriptor: Int32 { keyplan_pg_socket(connection) }

  /// - Parameter beginning: called before anything is sent, so that an error can name the role.
  init(
    _ parameters: [String: String], waiting wait: PostgresWait, beginning: (PostgresLogin?) -> Void = { _ in }
  ) throws(PostgresFault) {
    let sorted = parameters.sorted { $0.key < $1.key }
    guard let started = Self.start(sorted.map(\.key), sorted.map(\.value)) else {
      throw .lost("there is not enough memory")
    }
    connection = started
    beginning(Self.login(of: started))
    // According to libpq's documentation, begin as if the last call had returned PGRES_POLLING_WRITING.
    var progress = KEYPLAN_PG_WRITING
    guard keyplan_pg_socket(started) >= 0 else { throw Self.fault(of: connection, isConnecting: true) }
    while progress != KEYPLAN_PG_OK {
      guard progress != KEYPLAN_PG_FAILED else { throw Self.fault(of: connection, isConnecting: true) }
      let events = progress == KEYPLAN_PG_READING ? POLLIN : POLLOUT
      try wait.until(events, at: keyplan_pg_socket(connection))
      progress = keyplan_pg_connect(connection)
    }
  }

  deinit { keyplan_pg_finish(connection) }

  /// Runs statements as one group: after a failure, the rest is skipped.
  /// - Parameter afterwards: statements of another group, sent along without waiting for the first one.
  /// - Returns: a result for each of the statements.
  func run(
    _ statements: [PostgresStatement], then afterwards: [PostgresStatement] = [],
    waiting wait: PostgresWait
  ) throws(PostgresFault) -> [PostgresAnswer] {
    for statement in statements { try send(statement) }
    guard keyplan_pg_sync(connection) else { throw Self.fault(of: connection) }
    if !afterwards.isEmpty {
      for statement in afterwards { try send(statement) }
      guard keyplan_pg_sync(connection) else { throw Self.fault(of: connection) }
    }
    var collected = Collected(groups: afterwards.isEmpty ? 1 : 2)
    while !collected.isComplete {
      let flushed = keyplan_pg_flush(connection)
      guard flushed != KEYPLAN_PG_FAILED else { throw Self.fault(of: connection) }
      let events = flushed == KEYPLAN_PG_WRITING ? POLLIN | POLLOUT : POLLIN
      try wait.until(events, at: keyplan_pg_socket(connection))
      // Process what was received before the connection broke: it may contain the reason.
      let isAlive = keyplan_pg_consume(connection)
      while !collected.isComplete, !keyplan_pg_is_busy(connection) {
        if !collected.take(keyplan_pg_next(connection)) { break }
      }
      guard isAlive, keyplan_pg_is_open(connection) else {
        throw collected.isComplete ? .lost("") : collected.fault ?? Self.fault(of: connection)
      }
    }
    if let fault = collected.fault { throw fault }
    guard collected.answers.count >= statements.count else { throw .malformed }
    return Array(collected.answers.prefix(statements.count))
  }

  /// The payloads of announcements that have arrived on a channel to which this session listens. Does not wait.
  /// - Throws: `PostgresFault` if the connection is lost.
  func announcements() throws(PostgresFault) -> [String] {
    let isAlive = keyplan_pg_consume(connection)
    var payloads: [String] = []
    while let notice = keyplan_pg_next_notice(connection) {
      payloads.append(String(cString: keyplan_pg_notice_payload(notice)))
      keyplan_pg_notice_free(notice)
    }
    guard isAlive, keyplan_pg_is_open(connection) else { throw Self.fault(of: connection) }
    return payloads
  }

  /// The results so far.
  private struct Collected {
    let groups: Int
    var answers: [PostgresAnswer] = []
    var fault: PostgresFault?
    private var ended = 0
    private var nothings = 0

    init(groups: Int) { self.groups = groups }

    var isComplete: Bool { ended == groups }

    /// False if nothing more can come.
    mutating func take(_ result: OpaquePointer?) -> Bool {
      guard let result else {
        // NULL separates the results of statements; after the connection is lost, libpq returns only NULL.
        nothings += 1
        return nothings < 3
      }
      nothings = 0
      let answer = PostgresAnswer(result)
      switch keyplan_pg_result_kind(result) {
      case KEYPLAN_PG_SYNCED: ended += 1
      case KEYPLAN_PG_SKIPPED: break
      case KEYPLAN_PG_ROWS, KEYPLAN_PG_DONE: answers.append(answer)
      default: if ended == 0, fault == nil { fault = .of(state: answer.state, words: "") }
      }
      return true
    }
  }

  private func send(_ statement: PostgresStatement) throws(PostgresFault) {
    var buffer: [UInt8] = []
    let counts = statement.values.map { $0.append(to: &buffer, over: self) }
    // So that the buffer has an address even if all values are empty.
    buffer.append(0)
    let isSent = buffer.withUnsafeBytes { bytes in
      var at = bytes.bindMemory(to: CChar.self).baseAddress
      var parameters: [keyplan_pg_parameter] = []
      for (value, count) in zip(statement.values, counts) {
        parameters.append(keyplan_pg_parameter(type: value.type, bytes: count < 0 ? nil : at, count: max(0, count)))
        at = at?.advanced(by: Int(max(0, count)))
      }
      return keyplan_pg_send(connection, statement.sql, parameters, parameters.count)
    }
    guard isSent else { throw Self.fault(of: connection) }
  }

  private static func login(of connection: OpaquePointer) -> PostgresLogin? {
    guard let user = keyplan_pg_user(connection), let database = keyplan_pg_database(connection) else { return nil }
    return PostgresLogin(user: String(cString: user), database: String(cString: database))
  }

  private static func start(_ keywords: [String], _ values: [String]) -> OpaquePointer? {
    let copies = (keywords + values).map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    let pointers = copies.map { UnsafePointer($0) }
    return keyplan_pg_start(Array(pointers[..<keywords.count]) + [nil], Array(pointers[keywords.count...]) + [nil])
  }

  /// The error from libpq's message about the connection, which ends with the SQLSTATE if the server refused it.
  private static func fault(of connection: OpaquePointer, isConnecting: Bool = false) -> PostgresFault {
    let lines = String(cString: keyplan_pg_message(connection)).split(separator: "\n")
    if let line = lines.last, line.contains(":  "), let state = line.split(separator: " ").last, state.utf8.count == 5,
      state.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x41...0x5a).contains($0) })
    {
      return .of(state: String(state), words: "", isConnecting: isConnecting)
    }
    return .lost(lines.first.map(String.init) ?? "")
  }
}
