import Foundation

/// A copy of a server that follows it and takes no writes, until it is made the server; it ends with this.
public final class Standby: Sendable {
  /// Part of the name of its socket, which lies beside the other server's.
  public let port: Int
  private let directory: String
  private let tools: String
  private let guardian: Guardian

  init(of server: PostgresServer) throws {
    let tools = server.tools
    (directory, self.tools, port) = (server.directory, tools, try Tools.freePort())
    let script = """
      cd "$1" || exit 1
      '\(tools)/pg_basebackup' -D standby-$3 -R -X stream -c fast -h "$1" -p "$2" -U keyplan >basebackup.log 2>&1 || exit 1
      echo "port = $3" >>standby-$3/postgresql.conf
      '\(tools)/pg_ctl' -D standby-$3 -w -t 120 -l standby.log start >/dev/null 2>&1
      cat >/dev/null
      '\(tools)/pg_ctl' -D standby-$3 -m immediate stop >/dev/null 2>&1
      rm -rf standby-$3
      """
    guardian = try Guardian(
      Tools.unprivileged(["/bin/sh", "-c", script, "standby", directory, "\(server.port)", "\(port)"]))
    let deadline = Deadline()
    while (try? sql("SELECT 1")) == nil {
      guard !deadline.isOver else { throw Failed(words: "the standby did not start") }
      usleep(100_000)
    }
  }

  /// Runs SQL there.
  @discardableResult
  public func sql(_ text: String) throws -> String {
    try Tools.run([
      tools + "/psql", "-X", "-q", "-A", "-t", "-h", directory, "-p", "\(port)", "-U", "keyplan", "-d",
      "keyplan", "-c", text,
    ])
  }

  /// Waits until it has everything that the server has by now.
  public func follow(_ server: PostgresServer) throws {
    let end = try server.sql("SELECT pg_current_wal_lsn()")
    let deadline = Deadline()
    while try sql("SELECT pg_last_wal_replay_lsn() >= '\(end)'") != "t" {
      guard !deadline.isOver else { throw Failed(words: "the standby does not follow") }
    }
  }

  /// Makes it the server, as a failover does.
  public func promote() throws { try sql("SELECT pg_promote()") }
}
