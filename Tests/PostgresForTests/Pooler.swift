import Foundation

/// pgbouncer in transaction mode, with fewer sessions than clients; it ends with this.
public final class Pooler: Sendable {
  /// At 127.0.0.1.
  public let port: Int
  private let guardian: Guardian

  /// Why there is none; nil if there is. In CI nothing is skipped.
  public static let missing: String? =
    ProcessInfo.processInfo.environment["CI"] != nil
      || FileManager.default.isExecutableFile(atPath: "/usr/sbin/pgbouncer")
    ? PostgresServer.missing : "pgbouncer is not installed"

  private var log: String { "/tmp/keyplan-pool-\(port).log" }

  init(for server: PostgresServer, clients: Int) throws {
    port = try Tools.freePort()
    let file = "/tmp/keyplan-pool-\(port).ini"
    let settings = """
      [databases]
      keyplan = host=\(server.directory) port=\(server.port) dbname=keyplan user=keyplan pool_size=2
      [pgbouncer]
      listen_addr = 127.0.0.1
      listen_port = \(port)
      unix_socket_dir =
      auth_type = any
      pool_mode = transaction
      max_client_conn = \(clients)
      logfile = /tmp/keyplan-pool-\(port).log

      """
    try settings.write(toFile: file, atomically: true, encoding: .utf8)
    chmod(file, 0o644)
    // Not to be blocked, as other signals are in what a thread of a task starts.
    let script = "/usr/sbin/pgbouncer -q \(file) >/dev/null 2>&1 & child=$!; cat >/dev/null; kill -9 $child"
    guardian = try Guardian(Tools.unprivileged(["/bin/sh", "-c", script]))
    for _ in 0..<600 {
      let asked = [
        "psql", "-X", "-A", "-t", "-h", "127.0.0.1", "-p", "\(port)", "-U", "keyplan", "-c", "SELECT 1", "keyplan",
      ]
      if (try? Tools.run(asked)) != nil { return }
      usleep(100_000)
    }
    throw Failed(words: "pgbouncer did not start")
  }

  /// Waits until the pooler's log has these words so often.
  public func waitForLog(_ words: String, times: Int) throws { try Tools.wait(for: words, times: times, in: log) }

  deinit {
    unlink("/tmp/keyplan-pool-\(port).ini")
    unlink(log)
  }
}
