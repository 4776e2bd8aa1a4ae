import Foundation
import PostgresForTests
import Testing

/// `keyplan backup` and `keyplan restore`.
@Suite("A backup")
struct BackupTests {
  private static let manifest = """
    version: 1
    keys:
      a: { provider: generic, source: file://a.txt, variable: A }
      given: { provider: generic, variable: GIVEN }
    targets:
      app: { type: dotenv, path: .env, keys: { A: a } }

    """

  /// Two versions of `a`, one of `given`, and a forgotten key.
  private static func sandbox(_ sandbox: ProgramSandbox? = nil) throws -> ProgramSandbox {
    let sandbox = try sandbox ?? ProgramSandbox()
    try sandbox.write(manifest, to: "keyplan.yaml")
    try #require(sandbox.keyplan("init").code == 0)
    try #require(sandbox.keyplan("keys", "set", "given", "--yes", input: .text("given-value\n")).code == 0)
    for value in ["value-1", "value-2"] { try apply(value, in: sandbox) }
    return sandbox
  }

  private static func apply(_ value: String, in sandbox: ProgramSandbox) throws {
    try sandbox.write(value + "\n", to: "a.txt")
    let applied = try sandbox.keyplan("apply", "--yes")
    try #require(applied.code == 0, "\(applied.out)\(applied.err)")
  }

  private static func backup(_ sandbox: ProgramSandbox) throws {
    let made = try sandbox.keyplan("backup", "b.age")
    try #require(made.code == 0, "\(made.out)\(made.err)")
  }

  private static func words(_ answer: ProgramRun.Answer) -> String {
    (answer.out + answer.err).split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  @Test("brings everything back where the store is lost, with its history, above every serial seen")
  func lost() throws {
    let sandbox = try Self.sandbox()
    let history = try sandbox.keyplan("keys", "history", "a").out
    try Self.backup(sandbox)
    var status = stat()
    try #require(stat(sandbox.project + "/b.age", &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
    try Self.apply("value-3", in: sandbox)
    let lock = sandbox.content(of: "keyplan.lock")
    try #require(unlink(sandbox.store) == 0)

    let check = try sandbox.keyplan("restore", "--check", "b.age")
    #expect(check.code == 0 && check.out.contains("Nothing was changed"), "\(check.out)\(check.err)")
    #expect(access(sandbox.store, F_OK) != 0 && sandbox.content(of: "keyplan.lock") == lock)
    #expect(try sandbox.keyplan("restore", "b.age").code == 64, "nobody can be asked")

    let restored = try sandbox.keyplan("restore", "b.age", "--yes")
    #expect(restored.code == 0, "\(restored.out)\(restored.err)")
    #expect(try sandbox.keyplan("get", "a").out == "value-2")
    #expect(try sandbox.keyplan("get", "given").out == "given-value")
    let after = try sandbox.keyplan("keys", "history", "a").out
    #expect(after.split(separator: "\n").count == history.split(separator: "\n").count, "\(history)\n\(after)")
    let rolled = try sandbox.keyplan("keys", "rollback", "a", "--yes")
    #expect(rolled.code == 0, "\(rolled.out)\(rolled.err)")
    #expect(try sandbox.keyplan("get", "a").out == "value-1")
    #expect(sandbox.content(of: "keyplan.lock") != lock)
  }

  private static let damages: [(name: String, content: @Sendable ([UInt8]) -> [UInt8])] = [
    ("overwritten", { _ in Array("no store".utf8) }), ("cut in the middle", { Array($0.prefix($0.count / 2)) }),
    ("cut in its first page", { Array($0.prefix(1000)) }),
    // The end of the third page is that of the store's header: most of the last page is free, and means nothing.
    ("with another byte", { bytes in bytes.indices.map { $0 == 3 * 4096 - 1 ? bytes[$0] ^ 1 : bytes[$0] } }),
    ("zeroed", { Array(repeating: 0, count: $0.count) }),
  ]

  @Test("replaces a damaged store, which is kept beside it", arguments: damages.indices)
  func damaged(index: Int) throws {
    let (name, damage) = Self.damages[index]
    let sandbox = try Self.sandbox()
    try Self.backup(sandbox)
    let bytes = damage(Array(try Data(contentsOf: URL(filePath: sandbox.store))))
    try Data(bytes).write(to: URL(filePath: sandbox.store))
    chmod(sandbox.store, 0o600)
    let refused = try sandbox.keyplan("plan")
    try #require(refused.code == 9, "\(name): \(refused)")
    #expect(refused.err.contains("hint: keyplan restore FILE"), "\(name): \(refused)")
    let check = try sandbox.keyplan("restore", "b.age", "--check")
    #expect(check.code == 0, "\(name): \(check)")
    #expect(Self.words(check).contains("is moved to .keyplan/default.db.damaged"), "\(name): \(check)")
    #expect(Array(try Data(contentsOf: URL(filePath: sandbox.store))) == bytes, "nothing was changed")
    let restored = try sandbox.keyplan("restore", "b.age", "--yes")
    #expect(restored.code == 0, "\(name): \(restored)")
    #expect(try sandbox.keyplan("get", "a").out == "value-2")
    #expect(Array(try Data(contentsOf: URL(filePath: sandbox.store + ".damaged"))) == bytes)
    // Once more: the first one is not replaced.
    #expect(try sandbox.keyplan("backup", "c.age").code == 0)
    try sandbox.write("again", to: ".keyplan/default.db")
    let again = try sandbox.keyplan("restore", "c.age", "--yes")
    #expect(again.code == 0, "\(name): \(again)")
    #expect(Array(try Data(contentsOf: URL(filePath: sandbox.store + ".damaged"))) == bytes)
    #expect(sandbox.content(of: ".keyplan/default.db.damaged-2") == Array("again".utf8))
  }

  @Test("replaces the content of a store with one damaged value, which only its use shows")
  func damagedValue() throws {
    let sandbox = try Self.sandbox()
    try Self.backup(sandbox)
    var bytes = Array(try Data(contentsOf: URL(filePath: sandbox.store)))
    // The first value, as SQLite fills a page from its end.
    bytes[5 * 4096 - 1] ^= 1
    try Data(bytes).write(to: URL(filePath: sandbox.store))
    chmod(sandbox.store, 0o600)
    let refused = try sandbox.keyplan("get", "given")
    #expect(refused.code == 9 && refused.err.contains("hint: keyplan restore FILE"), "\(refused)")
    let restored = try sandbox.keyplan("restore", "b.age", "--yes")
    #expect(restored.code == 0, "\(restored)")
    #expect(try sandbox.keyplan("get", "given").out == "given-value")
  }

  @Test("moves the journal of a damaged store with it")
  func damagedWithJournal() throws {
    let sandbox = try Self.sandbox()
    try Self.backup(sandbox)
    try sandbox.write("no store", to: ".keyplan/default.db")
    try sandbox.write("no journal", to: ".keyplan/default.db-journal")
    chmod(sandbox.store + "-journal", 0o600)
    let restored = try sandbox.keyplan("restore", "b.age", "--yes")
    #expect(restored.code == 0, "\(restored)")
    #expect(try sandbox.keyplan("get", "a").out == "value-2")
    #expect(sandbox.content(of: ".keyplan/default.db-journal") == nil)
    #expect(sandbox.content(of: ".keyplan/default.db.damaged-journal") == Array("no journal".utf8))
  }

  @Test("does not take the place of a damaged store that it was not made from")
  func damagedOther() throws {
    let (sandbox, other) = (try Self.sandbox(), try Self.sandbox())
    try Self.backup(other)
    try sandbox.write(try #require(other.content(of: "b.age")), to: "b.age")
    try sandbox.write("no store", to: ".keyplan/default.db")
    let identity = ["--identity", other.identity]
    let refused = try sandbox.start([Shell.program, "restore", "b.age", "--yes"] + identity).wait()
    #expect(refused.code == 9 && refused.err.contains("Backup of another store"), "\(refused)")
    try #require(unlink(sandbox.project + "/keyplan.lock") == 0)
    let unproven = try sandbox.start([Shell.program, "restore", "b.age", "--yes"] + identity).wait()
    #expect(unproven.code == 9 && unproven.err.contains("--root"), "\(unproven)")
    #expect(sandbox.content(of: ".keyplan/default.db") == Array("no store".utf8))
  }

  @Test("is named where the store is not there, or empty", arguments: [true, false])
  func missing(isEmpty: Bool) throws {
    let sandbox = try Self.sandbox()
    try Self.backup(sandbox)
    if isEmpty { try sandbox.write("", to: ".keyplan/default.db") } else { unlink(sandbox.store) }
    for command in ["plan", "get a", "drift", "init"] {
      let answer = try sandbox.start([Shell.program] + command.split(separator: " ").map(String.init)).wait()
      #expect(answer.code == 9 && Self.words(answer).contains("keyplan restore FILE"), "\(command): \(answer)")
      #expect(Self.words(answer).contains(".keyplan/default.db is empty") == isEmpty, "\(command): \(answer)")
    }
    #expect(try sandbox.keyplan("restore", "b.age", "--yes").code == 0)
    #expect(try sandbox.keyplan("get", "a").out == "value-2")
  }

  @Test("replaces the content of the store there is, which stays above its serial, and its copy from before is refused")
  func replaced() throws {
    let sandbox = try Self.sandbox()
    try Self.backup(sandbox)
    try Self.apply("value-3", in: sandbox)
    try sandbox.write(Self.manifest + "rules: {}\n", to: "keyplan.yaml")
    let newest = try Data(contentsOf: URL(filePath: sandbox.store))
    let check = try sandbox.keyplan("restore", "--check", "b.age")
    #expect(check.out.contains("key.a") && !check.out.contains("key.given"), "\(check.out)\(check.err)")
    #expect(try Data(contentsOf: URL(filePath: sandbox.store)) == newest)
    let restored = try sandbox.keyplan("restore", "b.age", "--yes")
    #expect(restored.code == 0, "\(restored.out)\(restored.err)")
    #expect(try sandbox.keyplan("get", "a").out == "value-2")
    try newest.write(to: URL(filePath: sandbox.store))
    #expect(try sandbox.keyplan("get", "a").code == 9)
  }

  @Test("keeps what was revoked since, and marks its values as exposed to who has left")
  func later() throws {
    let sandbox = try Self.sandbox()
    let carol = try ProgramSandbox()
    try #require(try carol.keyplan("identity", "new").code == 0)
    let recipient = try carol.keyplan("identity", "show").out.split(separator: "\n")[0]
    let ada = try sandbox.keyplan("identity", "show").out.split(separator: "\n")[0]
    func manifest(_ recipients: String) throws {
      try sandbox.write(Self.manifest + "recipients: {\(recipients)}\n", to: "keyplan.yaml")
      let applied = try sandbox.keyplan("apply", "--yes")
      try #require(applied.code == 0, "\(applied.out)\(applied.err)")
    }
    try manifest("ada: \(ada), carol: \(recipient)")
    try Self.backup(sandbox)

    let revoked = try sandbox.keyplan("keys", "revoke", "a", "--reason", "leaked", "--yes", "--store-only")
    try #require(revoked.code == 0, "\(revoked.out)\(revoked.err)")
    // Its value leaves the history, too, and both are under another root key.
    for number in 3...9 { try Self.apply("value-\(number)", in: sandbox) }
    try manifest("ada: \(ada)")
    let check = Self.words(try sandbox.keyplan("restore", "--check", "b.age"))
    #expect(check.contains("carol could open the store when the backup was made"), "\(check)")

    // The root key is another one since carol was removed.
    let refused = try sandbox.keyplan("restore", "b.age", "--yes")
    let root = try #require(refused.err.firstMatch(of: /--root\s+([0-9a-f]{32})/)?.1)
    let restored = try sandbox.keyplan("restore", "b.age", "--yes", "--root", String(root))
    #expect(restored.code == 0, "\(restored.out)\(restored.err)")
    let shown = Self.words(try sandbox.keyplan("show", "key.given"))
    #expect(shown.contains("carol"), "\(shown)")
  }

  @Test("does not bring a revoked value back into use, neither from itself nor from its source")
  func revoked() throws {
    let sandbox = try Self.sandbox()
    try Self.backup(sandbox)
    let revoke = try sandbox.keyplan("keys", "revoke", "a", "--reason", "leaked", "--yes", "--store-only")
    try #require(revoke.code == 0, "\(revoke.out)\(revoke.err)")
    try Self.apply("value-3", in: sandbox)
    let other = try sandbox.keyplan("keys", "revoke", "a", "--yes", "--store-only")
    try #require(other.code == 0, "\(other.out)\(other.err)")

    let check = Self.words(try sandbox.keyplan("restore", "--check", "b.age"))
    #expect(check.contains("revoked since: key.a. They stay revoked."), "\(check)")
    let restored = try sandbox.keyplan("restore", "b.age", "--yes")
    #expect(restored.code == 0, "\(restored.out)\(restored.err)")
    #expect(try sandbox.keyplan("get", "a").code != 0)
    #expect(try sandbox.keyplan("get", "given").out == "given-value")
    // The source still has the other revoked value, which the backup never had.
    let kept = try sandbox.keyplan("apply", "--yes")
    #expect(Self.words(kept).contains("which was revoked on"), "\(kept.out)\(kept.err)")
    #expect(try sandbox.keyplan("get", "a").code != 0)
    try sandbox.write("value-4\n", to: "a.txt")
    // What is at the target was written after the backup.
    let applied = try sandbox.keyplan("apply", "--yes", "--allow-overwrite")
    #expect(applied.code == 0, "\(applied.out)\(applied.err)")
    #expect(try sandbox.keyplan("get", "a").out == "value-4")
  }

  @Test("is refused if it is of another store, was changed, or comes from somebody who only knows the recipients")
  func refused() throws {
    let sandbox = try Self.sandbox()
    try Self.backup(sandbox)
    let bytes = try #require(sandbox.content(of: "b.age"))
    for index in [0, 60, bytes.count / 2, bytes.count - 1] {
      var changed = bytes
      changed[index] ^= 1
      try sandbox.write(changed, to: "changed.age")
      let answer = try sandbox.keyplan("restore", "changed.age", "--yes")
      #expect(answer.code != 0, "\(index)")
    }
    try sandbox.write(Array(bytes.dropLast(40)), to: "cut.age")
    #expect(try sandbox.keyplan("restore", "cut.age", "--yes").code != 0)

    // Another store for the same recipient, with a backup that is complete.
    let other = try ProgramSandbox(copying: sandbox)
    let fresh = try other.keyplan("init", "--new-store", "--yes")
    _ = fresh
    try #require(unlink(other.store) == 0)
    try #require(unlink(other.project + "/keyplan.lock") == 0)
    try #require(other.keyplan("init").code == 0)
    try #require(other.keyplan("backup", "other.age").code == 0)
    try sandbox.write(try #require(other.content(of: "other.age")), to: "other.age")
    let another = try sandbox.keyplan("restore", "other.age", "--yes")
    #expect(another.code == 9 && Self.words(another).contains("Backup of another store"), "\(another.err)")

    // Without a store and without keyplan.lock nothing confirms it.
    try #require(unlink(sandbox.store) == 0)
    try #require(unlink(sandbox.project + "/keyplan.lock") == 0)
    let unverified = try sandbox.keyplan("restore", "b.age", "--yes")
    #expect(unverified.code == 9 && Self.words(unverified).contains("Unverified backup"), "\(unverified.err)")
    let root = try #require(unverified.err.firstMatch(of: /--root\s+([0-9a-f]{32})/)?.1)
    let named = try sandbox.keyplan("restore", "b.age", "--yes", "--root", String(root))
    #expect(named.code == 0, "\(named.out)\(named.err)")
    #expect(try sandbox.keyplan("get", "a").out == "value-2")
  }

  @Test("that was restored already is not restored again, until something was committed since")
  func again() throws {
    let sandbox = try Self.sandbox()
    try Self.backup(sandbox)
    try Self.apply("value-3", in: sandbox)
    try #require(sandbox.keyplan("restore", "b.age", "--yes").code == 0)
    let (store, lock) = (sandbox.content(of: ".keyplan/default.db"), sandbox.content(of: "keyplan.lock"))
    for words in [["--yes"], [], ["--yes", "--json"]] {
      let answer = try sandbox.start([Shell.program, "restore", "b.age"] + words).wait()
      #expect(answer.code == 0 && (words.contains("--json") || answer.out.contains("Already restored")), "\(answer)")
      #expect(sandbox.content(of: ".keyplan/default.db") == store && sandbox.content(of: "keyplan.lock") == lock)
    }
    // Not another backup, which nothing confirms.
    try #require(sandbox.keyplan("backup", "c.age").code == 0)
    let other = try sandbox.keyplan("restore", "c.age", "--yes")
    #expect(other.code == 0 && !other.out.contains("Already restored"), "\(other.out)\(other.err)")
    #expect(try sandbox.keyplan("restore", "b.age", "--yes").code == 9)
    try Self.apply("value-4", in: sandbox)
    let changed = try sandbox.keyplan("restore", "c.age", "--yes")
    #expect(changed.code == 9 && Self.words(changed).contains("Unverified backup"), "\(changed.err)")
    #expect(try sandbox.keyplan("get", "a").out == "value-4")
  }

  @Test("replaces no file, and none of the project's")
  func files() throws {
    let sandbox = try Self.sandbox()
    try sandbox.write("mine\n", to: "notes.txt")
    for name in ["notes.txt", "keyplan.yaml", ".env", ".keyplan/default.db", "a.txt", "keyplan.lock"] {
      let before = sandbox.content(of: name)
      #expect(try sandbox.keyplan("backup", name).code == 64, "\(name)")
      #expect(sandbox.content(of: name) == before)
    }
  }

  @Test("is read with age and the documentation alone")
  func script() throws {
    let sandbox = try Self.sandbox()
    try Self.backup(sandbox)
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../scripts/read-backup.py")
      .path
    let read = try sandbox.start(["python3", script, "b.age", sandbox.identity]).wait()
    #expect(read.code == 0, "\(read.err)")
    let values = try JSONDecoder().decode([String: String].self, from: Data(read.out.utf8))
    #expect(values == ["a": "value-2", "given": "given-value"])
  }

  @Test("of a store on a server is restored there, and the lock is held meanwhile", needsServer)
  func shared() throws {
    let server = try PostgresServer.shared.get()
    let sandbox = try Self.sandbox(ProgramSandbox.shared(on: server))
    try Self.backup(sandbox)
    try Self.apply("value-3", in: sandbox)
    let restored = try sandbox.keyplan("restore", "b.age", "--yes")
    #expect(restored.code == 0, "\(restored.out)\(restored.err)")
    #expect(try sandbox.keyplan("get", "a").out == "value-2")
  }

  @Test("of a store on a server that is damaged is restored to another schema, as the error says", needsServer)
  func damagedOnServer() throws {
    let server = try PostgresServer.shared.get()
    let sandbox = try Self.sandbox(ProgramSandbox.shared(on: server))
    try Self.backup(sandbox)
    try server.sql(
      "UPDATE keyplan.records SET sealed = '\\x00' WHERE store = (SELECT id FROM keyplan.stores WHERE project = '\(sandbox.projectName)')"
    )
    let refused = try sandbox.keyplan("restore", "b.age", "--yes")
    #expect(refused.code == 9, "\(refused)")
    #expect(Self.words(refused).contains("--store 'postgres://HOST/DATABASE?schema=NAME'"), "\(refused)")
    let schema = "restored_\(sandbox.projectName.lowercased())"
    let address = server.address("project=\(sandbox.projectName)&schema=\(schema)")
    let restored = try sandbox.keyplan("restore", "b.age", "--yes", "--store", address)
    #expect(restored.code == 0, "\(restored)")
    #expect(try sandbox.keyplan("get", "a", "--store", address).out == "value-2")
  }

  @Test("is not restored with an identity that could not open the store then, which a rehearsal says")
  func lockout() throws {
    let sandbox = try Self.sandbox()
    let file = sandbox.root + "/other.txt"
    let made = try sandbox.keyplan("identity", "new", "--quiet", "--identity", file)
    try #require(made.code == 0, "\(made)")
    let recipient = String(made.out.dropLast())
    try #require(sandbox.keyplan("backup", "b.age", "--recipient", recipient).code == 0)
    try #require(unlink(sandbox.store) == 0)
    func restore(_ option: String) throws -> ProgramRun.Answer {
      try sandbox.start([Shell.program, "restore", "b.age", option, "--identity", file]).wait()
    }
    let rehearsed = try restore("--check")
    #expect(rehearsed.code == 0 && rehearsed.err.contains("warning: Missing recipient"), "\(rehearsed)")
    let refused = try restore("--yes")
    #expect(refused.code == 7 && refused.err.contains("error: Missing recipient"), "\(refused)")
    #expect(Self.words(refused).contains("recipients: { NAME: \(recipient) }"), "\(refused)")
    #expect(access(sandbox.store, F_OK) != 0)
    try sandbox.write("recipients: { other: \(recipient) }\n" + Self.manifest, to: "keyplan.yaml")
    let restored = try restore("--yes")
    #expect(restored.code == 0 && restored.err == "", "\(restored)")
    #expect(try sandbox.start([Shell.program, "get", "a", "--identity", file]).wait().out == "value-2")
  }
}
