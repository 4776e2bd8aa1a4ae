import Foundation
import PostgresForTests
import Testing

/// What a machine that has seen later commits says of a store that lacks them: exit 9.
@Suite("An older copy of the store")
struct OlderStoreTests {
  private static func sandbox(_ sandbox: ProgramSandbox? = nil) throws -> ProgramSandbox {
    let sandbox = try sandbox ?? ProgramSandbox()
    try manifest(of: sandbox)
    try sandbox.write("value-0\n", to: "a.txt")
    try #require(sandbox.keyplan("init").code == 0)
    return sandbox
  }

  private static func manifest(of sandbox: ProgramSandbox, _ store: String = "") throws {
    try sandbox.write(
      "version: 1\n\(store)keys: { a: { provider: generic, source: file://a.txt, variable: A } }\n", to: "keyplan.yaml")
  }

  private static func apply(_ value: String, in sandbox: ProgramSandbox) throws {
    try sandbox.write(value + "\n", to: "a.txt")
    let applied = try sandbox.keyplan("apply", "--yes")
    try #require(applied.code == 0, "\(applied.out)\(applied.err)")
  }

  private static func copy(_ from: String, to: String) throws {
    try Data(contentsOf: URL(filePath: from)).write(to: URL(filePath: to))
    chmod(to, 0o600)
  }

  private static func seen(in sandbox: ProgramSandbox) -> String { sandbox.home + "/.local/state/keyplan/seen_commits" }

  private static func words(_ answer: ProgramRun.Answer) -> String {
    (answer.out + answer.err).split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  private static func ids(in sandbox: ProgramSandbox) throws -> (store: String, root: String) {
    let lock = String(decoding: try #require(sandbox.content(of: "keyplan.lock")), as: UTF8.self)
    let words = try #require(lock.split(separator: "\n").last).split(separator: " ").map(String.init)
    return (words[1], words[2])
  }

  private static func expectRefused(
    _ sandbox: ProgramSandbox, _ expected: String...,
    commands: [String] = ["get a", "env", "plan", "drift", "apply --yes"],
    at place: SourceLocation = #_sourceLocation
  ) throws {
    for command in commands {
      let answer = try sandbox.start([Shell.program] + command.split(separator: " ").map(String.init)).wait()
      #expect(answer.code == 9, "\(command): \(answer.out)\(answer.err)", sourceLocation: place)
      for word in expected { #expect(words(answer).contains(word), "\(answer.err)", sourceLocation: place) }
      #expect(!answer.out.contains("value"), sourceLocation: place)
    }
  }

  @Test("is refused by every command until it is accepted, and nothing of it is changed")
  func older() throws {
    let sandbox = try Self.sandbox()
    try Self.apply("value-1", in: sandbox)
    let old = sandbox.root + "/old.db"
    try Self.copy(sandbox.store, to: old)
    try Self.apply("value-2", in: sandbox)
    let newest = sandbox.root + "/newest.db"
    try Self.copy(sandbox.store, to: newest)
    try Self.copy(old, to: sandbox.store)
    try Self.expectRefused(
      sandbox, "Store is older than expected", "is at serial 2", "saw serial 3", "1 commit is missing")
    #expect(try Data(contentsOf: URL(filePath: sandbox.store)) == Data(contentsOf: URL(filePath: old)))

    try Self.copy(newest, to: sandbox.store)
    #expect(try sandbox.keyplan("get", "a").out == "value-2")
    try Self.copy(old, to: sandbox.store)

    let (store, root) = try Self.ids(in: sandbox)
    let asked = try sandbox.keyplan("trust")
    #expect(asked.code == 64 && Self.words(asked).contains("--serial 2"), "\(asked.out)\(asked.err)")
    #expect(asked.out.contains("serial      2") && asked.out.contains("serial 3"), "\(asked.out)")
    let unnamed = try sandbox.keyplan("trust", "--store-id", store, "--root", root)
    #expect(unnamed.code == 9 && Self.words(unnamed).contains("--serial 2"), "\(unnamed.out)\(unnamed.err)")
    #expect(try sandbox.keyplan("trust", "--store-id", store, "--root", root, "--serial", "3").code == 9)
    #expect(try sandbox.keyplan("trust", "--serial", "2").code == 64)
    try Self.expectRefused(sandbox, "is at serial 2", commands: ["get a"])
    #expect(try sandbox.keyplan("trust", "--store-id", store, "--root", root, "--serial", "2").code == 0)
    #expect(try sandbox.keyplan("get", "a").out == "value-1")
  }

  @Test("that was changed independently is told apart from one that lacks commits")
  func forked() throws {
    let sandbox = try Self.sandbox()
    let other = try ProgramSandbox(copying: sandbox)
    try Self.apply("value-1", in: sandbox)
    try Self.apply("value-2", in: other)
    try Self.copy(other.store, to: sandbox.store)
    try Self.expectRefused(sandbox, "Two versions of the store", "at serial 2", "changed independently")
    let (store, root) = try Self.ids(in: sandbox)
    #expect(try sandbox.keyplan("trust", "--store-id", store, "--root", root, "--serial", "2").code == 0)
    #expect(try sandbox.keyplan("get", "a").out == "value-2")
  }

  @Test(
    "is not noticed by a machine that has seen none, and what it has seen is private, and is not written by reading")
  func lost() throws {
    let sandbox = try Self.sandbox()
    let old = sandbox.root + "/old.db"
    try Self.apply("value-1", in: sandbox)
    try Self.copy(sandbox.store, to: old)
    try Self.apply("value-2", in: sandbox)
    let path = Self.seen(in: sandbox)
    var status = stat()
    try #require(stat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
    let inode = status.st_ino
    #expect(try sandbox.keyplan("get", "a").code == 0)
    try #require(stat(path, &status) == 0)
    #expect(status.st_ino == inode, "reading the same store again writes nothing")

    try #require(unlink(path) == 0)
    try Self.copy(old, to: sandbox.store)
    #expect(try sandbox.keyplan("get", "a").out == "value-1")
    #expect(access(path, F_OK) == 0, "first sight pins")
    try Data("damaged\n".utf8).write(to: URL(filePath: path))
    chmod(path, 0o600)
    try Self.expectRefused(sandbox, "Seen commits are damaged", commands: ["get a"])
  }

  @Test("is refused in CI by the serial in KEYPLAN_PIN, which also keyplan.lock can have")
  func pinned() throws {
    let sandbox = try Self.sandbox()
    try Self.manifest(of: sandbox, "store: { pin: serial }\n")
    try Self.apply("value-1", in: sandbox)
    let lock = String(decoding: try #require(sandbox.content(of: "keyplan.lock")), as: UTF8.self)
    let line = try #require(lock.split(separator: "\n").last)
    #expect(line.hasSuffix(" serial 2"), "\(line)")
    let old = sandbox.root + "/old.db"
    try Self.copy(sandbox.store, to: old)
    try Self.apply("value-2", in: sandbox)
    try Self.copy(old, to: sandbox.store)
    try #require(unlink(Self.seen(in: sandbox)) == 0)
    try Self.expectRefused(
      sandbox, "keyplan.lock requires serial 3", "1 commit is missing", commands: ["get a", "plan"])
    let (store, root) = try Self.ids(in: sandbox)
    #expect(try sandbox.keyplan("trust", "--store-id", store, "--root", root, "--serial", "2").code == 0)
    #expect(try sandbox.keyplan("get", "a").out == "value-1")

    sandbox.variables["KEYPLAN_PIN"] = "default \(store) \(root) serial 3"
    try Self.expectRefused(sandbox, "KEYPLAN_PIN requires serial 3", commands: ["get a", "plan"])
    sandbox.variables["KEYPLAN_PIN"] = String(line)
    #expect(try sandbox.keyplan("get", "a").code == 0)
    for text in ["serial", "serial 0", "serial -1", "serial x", "3"] {
      sandbox.variables["KEYPLAN_PIN"] = "default \(store) \(root) \(text)"
      #expect(try sandbox.keyplan("get", "a").code == 64, "\(text)")
    }
    sandbox.variables["KEYPLAN_PIN"] = nil

    try sandbox.write("value-3\n", to: "a.txt")
    let plan = try sandbox.keyplan("plan")
    let id = try #require(plan.out.firstMatch(of: /kp1-[a-z0-9]+/).map { String($0.0) }, "\(plan.out)")
    let expected = try sandbox.keyplan("apply", "--expect", id)
    #expect(expected.code == 64 && Self.words(expected).contains("changes keyplan.lock"), "\(expected.err)")
  }

  @Test("does not come from commits of several processes at once: the highest serial stays")
  func concurrent() throws {
    let sandbox = try Self.sandbox()
    try Self.apply("value-1", in: sandbox)
    var runs: [ProgramRun] = []
    for round in 0..<4 {
      runs.append(
        try sandbox.start(
          [Shell.program, "keys", "set", "a\(round)", "--yes", "--lock-timeout", "60s"], input: .text("x\n")))
      runs.append(try sandbox.start([Shell.program, "get", "a"]))
    }
    for run in runs {
      let answer = run.wait()
      #expect(answer.code != 9, "\(answer.out)\(answer.err)")
    }
    #expect(try sandbox.keyplan("get", "a").code == 0)
  }

  @Test(
    "is a standby that was promoted without the last commits; one that only lags is readable if it is declared",
    needsServer)
  func standby() throws {
    let server = try PostgresServer()
    let sandbox = try Self.sandbox(ProgramSandbox.shared(on: server))
    try Self.apply("value-1", in: sandbox)
    let standby = try server.standby()
    try standby.follow(server)
    // From here on it misses what is committed.
    try standby.sql("ALTER SYSTEM SET primary_conninfo = ''")
    try standby.sql("SELECT pg_reload_conf()")
    let deadline = Deadline()
    while try standby.sql("SELECT count(*) FROM pg_stat_wal_receiver") != "0" { try #require(!deadline.isOver) }
    try Self.apply("value-2", in: sandbox)
    let address = try #require(sandbox.variables["KEYPLAN_STORE"])
    let there = address.replacingOccurrences(of: ":\(server.port)/", with: ":\(standby.port)/")
    sandbox.variables["KEYPLAN_STORE"] = there
    try Self.expectRefused(
      sandbox, "is at serial 2", "saw serial 3", "1 commit is missing", commands: ["get a", "plan"])
    sandbox.variables["KEYPLAN_STORE"] = there + "&replica=true"
    let get = try sandbox.keyplan("get", "a")
    #expect(get.code == 0 && get.out == "value-1" && Self.words(get).contains("Replica is behind"), "\(get.err)")
    let plan = try sandbox.keyplan("plan")
    #expect(plan.code == 0 && Self.words(plan).contains("Replica is behind"), "\(plan.out)\(plan.err)")

    #expect(try sandbox.keyplan("apply", "--yes").code == 9, "a replica that is behind is not written")

    try server.stop(immediately: true)
    try standby.promote()
    sandbox.variables["KEYPLAN_STORE"] = there
    try Self.expectRefused(sandbox, "is at serial 2", "a standby was promoted that had missed commits")
    let (store, root) = try Self.ids(in: sandbox)
    #expect(try sandbox.keyplan("trust", "--store-id", store, "--root", root, "--serial", "2").code == 0)
    let applied = try sandbox.keyplan("apply", "--yes")
    #expect(applied.code == 0, "\(applied.out)\(applied.err)")
    #expect(try sandbox.keyplan("get", "a").out == "value-2")
    withExtendedLifetime((server, standby)) {}
  }
}
