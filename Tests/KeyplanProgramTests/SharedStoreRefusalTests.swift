import Foundation
import PostgresForTests
import Testing

/// Each says what happened, why, and what to do, with 8 for a server that cannot be reached and 9 for one that refuses.
@Suite("A shared store that cannot be used", needsServer)
struct SharedStoreRefusalTests {
  private let server: PostgresServer
  private let sandbox: ProgramSandbox

  init() throws {
    server = try PostgresServer.shared.get()
    sandbox = try ProgramSandbox.shared(on: server)
    try sandbox.write(
      "version: 1\nkeys: { a: { provider: generic, source: file://a.txt, variable: A } }\n", to: "keyplan.yaml")
    try sandbox.write("value\n", to: "a.txt")
    try #require(sandbox.keyplan("init").code == 0)
  }

  /// Over TCP, as somebody.
  private func address(
    _ user: String = "keyplan", host: String = "127.0.0.1", database: String = "keyplan", _ options: String = ""
  ) -> String {
    "postgres://\(user)@\(host):\(server.port)/\(database)?project=\(sandbox.projectName)" + options
  }

  private func expect(
    _ code: Int32, _ words: String..., from address: String, _ command: String = "plan",
    at place: SourceLocation = #_sourceLocation
  ) throws {
    sandbox.variables["KEYPLAN_STORE"] = address
    let answer = try sandbox.start([Shell.program] + command.split(separator: " ").map(String.init)).wait()
    let said = answer.err.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(answer.code == code, "\(answer.out)\(answer.err)", sourceLocation: place)
    for word in words { #expect(said.contains(word), "\(answer.err)", sourceLocation: place) }
    #expect(!answer.err.contains("canary") && !answer.out.contains("canary"), sourceLocation: place)
  }

  @Test("because nothing listens there, or nothing has that name")
  func unreachable() throws {
    let nobody = "postgres://keyplan@127.0.0.1:1/keyplan?project=\(sandbox.projectName)"
    try expect(8, "is unreachable", "refused", from: nobody)
    try expect(
      8, "is unreachable", from: "postgres://keyplan@nowhere.invalid/keyplan?project=\(sandbox.projectName)")
  }

  @Test("because the password is wrong or missing")
  func password() throws {
    try server.sql(
      "DO $$BEGIN CREATE ROLE locked LOGIN PASSWORD 'right'; EXCEPTION WHEN duplicate_object THEN NULL; END$$")
    try server.sql("GRANT USAGE ON SCHEMA keyplan TO locked; GRANT SELECT ON ALL TABLES IN SCHEMA keyplan TO locked")
    try expect(9, "\"locked\"", "wrong password", ".pgpass", from: address("locked:canary", "&sslmode=disable"))
    try expect(9, ".pgpass", from: address("locked", "&sslmode=disable"))
    sandbox.variables["PGPASSWORD"] = "right"
    try expect(0, from: address("locked", "&sslmode=disable"))
    sandbox.variables["PGPASSWORD"] = nil
    let file = sandbox.home + "/.pgpass"
    try Data("127.0.0.1:*:*:locked:right\n".utf8).write(to: URL(filePath: file))
    chmod(file, 0o600)
    try expect(0, from: address("locked", "&sslmode=disable"))
    try expect(0, from: address("locked:right", "&sslmode=disable"))

    // By a reference beside the address.
    unlink(file)
    sandbox.variables["KEYPLAN_STORE"] = nil
    let keys = "keys: { a: { provider: generic, source: file://a.txt, variable: A } }\n"
    func named(_ reference: String) throws {
      try sandbox.write(
        "version: 1\nstore: { url: \"\(address("locked", "&sslmode=disable"))\", password: \(reference) }\n" + keys,
        to: "keyplan.yaml")
    }
    for (reference, words) in [("env://DB_PASSWORD", "has no value"), ("dotenv://db.env#PASSWORD", "db.env")] {
      try named(reference)
      let missing = try sandbox.keyplan("plan")
      #expect(missing.code == 9 && missing.err.contains("No password for the store"), "\(missing.err)")
      #expect(missing.err.contains(words), "\(missing.err)")
    }
    try sandbox.write("PASSWORD=right\n", to: "db.env")
    let other = try sandbox.keyplan("plan")
    #expect(other.code == 9 && other.err.contains("keyplan trust"), "another address is not contacted: \(other.err)")
    let pin = String(decoding: try #require(sandbox.content(of: "keyplan.lock")), as: UTF8.self).split(separator: "\n")
    let words = try #require(pin.last).split(separator: " ").map(String.init)
    let unasked = try sandbox.keyplan("trust", "--store-id", words[1], "--root", words[2])
    #expect(unasked.code == 9 && unasked.err.contains("Set KEYPLAN_STORE"), "nobody can be asked: \(unasked.err)")
    for (root, code) in [(String(words[2].reversed()), 9), (words[2], 0)] as [(String, Int32)] {
      let terminal = try Terminal()
      let trust = [Shell.program, "trust", "--store-id", words[1], "--root", root]
      let asking = try sandbox.start(["setsid", "--ctty", "--wait"] + trust, input: .file(terminal.path))
      try terminal.type("yes\n")
      let asked = asking.wait()
      #expect(asked.code == code && asked.err.contains("  credential  "), "\(asked.err)")
    }
    #expect(try sandbox.keyplan("plan").code == 0)
    try named("env://DB_PASSWORD")
    sandbox.variables["DB_PASSWORD"] = "canary"
    let wrong = try sandbox.keyplan("plan")
    #expect(wrong.code == 9 && wrong.err.contains("wrong password") && !wrong.err.contains("canary"), "\(wrong.err)")
    sandbox.variables["DB_PASSWORD"] = "right"
    #expect(try sandbox.keyplan("plan").code == 0)
    sandbox.variables["DB_PASSWORD"] = nil
  }

  @Test(
    "because its certificate is of another authority, for another name, or of none; and weaker words are warned about")
  func certificates() throws {
    // A name that is not this machine's, at an address that is: so the server has to prove itself.
    let remote = "&hostaddr=127.0.0.1"
    try expect(9, "not trusted", "sslrootcert=FILE", from: address(host: "db.test", remote))
    try expect(9, "not trusted", from: address(host: "db.test", remote + "&sslrootcert=\(server.directory)/other.crt"))
    try expect(9, "not trusted", from: address(host: "else.test", remote + "&sslrootcert=\(server.directory)/ca.crt"))
    try expect(0, from: address(host: "db.test", remote + "&sslrootcert=\(server.directory)/ca.crt"))
    sandbox.variables["PGSSLMODE"] = "disable"
    try expect(9, "not trusted", from: address(host: "db.test", remote))
    sandbox.variables["PGSSLMODE"] = nil
    sandbox.variables["PGSSLROOTCERT"] = server.directory + "/ca.crt"
    try expect(0, from: address(host: "db.test", remote))
    sandbox.variables["PGSSLROOTCERT"] = nil
    try expect(
      0, "warning: ", "sslmode=require does not verify the server",
      from: address(host: "db.test", remote + "&sslmode=require"))
  }

  @Test("because a right is missing, and the GRANT that is named is the one that helps")
  func rights() throws {
    let role = "reader_" + sandbox.projectName.lowercased()
    try server.sql("CREATE ROLE \(role) LOGIN")
    func grant(from error: String) throws -> String {
      let line = try #require(error.firstMatch(of: /hint: (grant .*;)/)?.1)
      return String(line)
    }
    let mine = address(role, "&sslmode=require")
    try expect(9, "lacks permissions", from: mine)
    sandbox.variables["KEYPLAN_STORE"] = mine
    try server.sql(try grant(from: sandbox.keyplan("plan").err))
    try expect(0, from: mine)
    try expect(9, "lacks permissions", from: mine, "apply --yes")
    try server.sql(try grant(from: sandbox.keyplan("apply", "--yes").err))
    try expect(0, from: mine, "apply --yes")
    try FileManager.default.removeItem(atPath: sandbox.project + "/keyplan.lock")
    let other = address(role, "&sslmode=require&schema=other")
    try expect(9, "lacks permissions", from: other, "init")
  }

  @Test("because it takes no writes, or has no such database")
  func others() throws {
    let role = "standby_" + sandbox.projectName.lowercased()
    try server.sql("CREATE ROLE \(role) LOGIN SUPERUSER; ALTER ROLE \(role) SET default_transaction_read_only = on")
    try expect(0, from: address(role))
    try expect(9, "is read-only", "primary", from: address(role), "apply --yes")
    try expect(9, "has no database \"nosuch\"", from: address(database: "nosuch"))
    try expect(9, "address is invalid", from: "postgres://keyplan:canary@127.0.0.1:canary/x")
  }

  @Test("because keyplan.lock names another one, or one that is not there any more")
  func pinned() throws {
    let there = try #require(sandbox.variables["KEYPLAN_STORE"])
    try expect(9, "keyplan.lock names a store", from: there.replacingOccurrences(of: "project=", with: "project=x"))
    try expect(9, "keyplan.lock names a store", from: there + "&schema=nosuch")
    try server.sql("UPDATE keyplan.stores SET environment = 'gone' WHERE project = '\(sandbox.projectName)'")
    try expect(9, "keyplan.lock names a store", from: there)
  }
}
