import Foundation
import PostgresForTests
import Testing

/// Whether tests that need a server can run; in CI they must.
let needsServer: ConditionTrait = .enabled(
  if: PostgresServer.missing == nil, Comment(rawValue: "SKIPPED: \(PostgresServer.missing ?? "")"))

extension ProgramSandbox {
  /// A sandbox whose store is a project of its own on a server.
  static func shared(on server: PostgresServer, _ options: String = "") throws -> ProgramSandbox {
    let sandbox = try ProgramSandbox()
    let name = sandbox.root.split(separator: "-").last.map(String.init) ?? ""
    let more = options.isEmpty ? "" : "&" + options
    sandbox.variables["KEYPLAN_STORE"] = server.address("project=\(name)&application_name=\(name)\(more)")
    return sandbox
  }

  /// What the store is called on the server, and its connections.
  var projectName: String { root.split(separator: "-").last.map(String.init) ?? "" }

  /// Has the lock end as if nothing had been heard of its holder for long.
  func expireLock(on server: PostgresServer) throws {
    try server.sql("UPDATE keyplan.stores SET ends = now() - interval '1 s' WHERE project = '\(projectName)'")
  }

  /// Waits until the store's lock is held; false if the program ended first.
  func waitsForLock(_ run: ProgramRun, on server: PostgresServer) throws -> Bool {
    let query = "SELECT count(*) FROM keyplan.stores WHERE project = '\(projectName)' AND ends > now()"
    let deadline = Deadline()
    while try server.sql(query) == "0" {
      try #require(!deadline.isOver, "nobody takes the lock: \(run.err)")
      if run.hasEnded { return false }
    }
    return true
  }
}
