import Foundation
import TestTools
import Testing

/// Stores that age plugins open and encrypt to, with a plugin of the tests' own.
@Suite("age plugins")
struct PluginTests {
  private static let keys = "version: 1\nkeys: { a: { provider: generic, source: file://a.txt, variable: A } }\n"
  private let sandbox: ProgramSandbox
  private let toy: ToyPlugin

  init() throws {
    sandbox = try ProgramSandbox()
    toy = try ToyPlugin(in: sandbox.root + "/bin")
    sandbox.variables["PATH"] = "\(sandbox.root)/bin:/usr/local/bin:/usr/bin:/bin"
    try sandbox.write("value-1\n", to: "a.txt")
    try sandbox.write(Self.keys, to: "keyplan.yaml")
  }

  /// The machines that the plugin was run for since the last question.
  private func runs() -> [String] {
    let path = sandbox.home + "/toy.log"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let log = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    return log.split(separator: "\n").compactMap { $0.split(separator: " ").dropFirst().first.map(String.init) }
  }

  private func identity(_ key: String, named name: String = "identity.txt", comment: Bool = true) throws -> String {
    let (recipient, line) = try toy.key(key)
    let path = "\(sandbox.home)/\(name)"
    try Data(((comment ? "#    Recipient: \(recipient)\n" : "") + line + "\n").utf8).write(
      to: URL(fileURLWithPath: path))
    chmod(path, 0o600)
    return path
  }

  /// A project of a classical identity.
  private func initialized() throws {
    try #require(sandbox.keyplan("init").code == 0)
    let applied = try sandbox.keyplan("apply", "--yes")
    try #require(applied.code == 0, "\(applied.err)")
  }

  private func write(recipients: [String: String], keys: String = PluginTests.keys) throws {
    let lines = recipients.sorted { $0.key < $1.key }.map { "\n  \($0.key): \($0.value)" }.joined()
    try sandbox.write(keys + "recipients:\(lines)\n", to: "keyplan.yaml")
  }

  private func ada() throws -> String {
    try sandbox.keyplan("identity", "show", "--quiet").out.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// The files of the keyring, opened by Debian's age.
  private func opened(_ slot: String, with identity: String) throws -> String {
    let dump =
      "import sqlite3,sys\nsys.stdout.buffer.write(sqlite3.connect(sys.argv[1]).execute('SELECT file FROM keyring WHERE slot = ?', (sys.argv[2],)).fetchone()[0])"
    return try sandbox.start([
      "sh", "-c", "python3 -c \"$1\" \"$2\" \"$3\" | age -d -i \"$4\"", "-", dump, sandbox.store, slot, identity,
    ])
    .wait().out
  }

  @Test(
    "an identity of a plugin creates a store, applies and reads, from a file and from the environment; age opens the keyring"
  )
  func identities() throws {
    let path = try identity("plain:ada")
    sandbox.variables["KEYPLAN_IDENTITY"] = path
    let made = try sandbox.keyplan("init")
    #expect(made.code == 0, "\(made.err)")
    #expect(runs() == ["recipient-v1"])
    let applied = try sandbox.keyplan("apply", "--yes")
    #expect(applied.code == 0 && applied.out.contains("age-plugin-toy"), "\(applied.out)\(applied.err)")
    #expect(Set(runs()) == ["identity-v1"])
    #expect(try sandbox.keyplan("get", "a").out == "value-1")
    // One file, one question.
    #expect(runs() == ["identity-v1"])
    #expect(try opened("full", with: path).hasPrefix(#"{"format":"kp1","#))
    sandbox.variables["KEYPLAN_IDENTITY"] = try toy.key("plain:ada").identity
    #expect(try sandbox.keyplan("get", "a").out == "value-1")
    sandbox.variables["KEYPLAN_IDENTITY"] = try toy.key("plain:eve").identity
    let wrong = try sandbox.keyplan("get", "a")
    #expect(wrong.code == 9 && wrong.err.contains("Wrong identity"), "\(wrong.err)")
    #expect(!wrong.err.contains("canary"))
  }

  @Test("identity show names the recipient that is written beside the identity, and otherwise says what to do")
  func show() throws {
    let recipient = try toy.key("plain:ada").recipient
    let known = try sandbox.keyplan("identity", "show", "--quiet", "--identity", try identity("plain:ada"))
    #expect(known.out == recipient + "\n", "\(known.err)")
    let bare = try identity("plain:ada", named: "bare.txt", comment: false)
    let unknown = try sandbox.keyplan("identity", "show", "--identity", bare)
    #expect(unknown.code == 9 && unknown.err.contains("# recipient: age1"), "\(unknown.err)")
    #expect(!unknown.err.contains("AGE-PLUGIN"))
    #expect(runs().isEmpty)
    let made = try sandbox.keyplan("init", "--identity", bare)
    #expect(made.code == 9 && made.err.contains("Unknown recipient"), "\(made.err)")
  }

  @Test("an identity in the work tree is refused: a pull request could replace it, and the program with it")
  func workTree() throws {
    try #require(sandbox.start(["git", "init", "-q"]).wait().code == 0)
    try sandbox.write(try toy.key("plain:ada").identity + "\n", to: "key.txt")
    try #require(sandbox.start(["chmod", "600", "key.txt"]).wait().code == 0)
    let refused = try sandbox.keyplan("identity", "show", "--identity", "key.txt")
    #expect(refused.code == 9 && refused.err.contains("Plugin identity in the work tree"), "\(refused.err)")
    #expect(runs().isEmpty)
  }

  @Test(
    "a recipient of a plugin is allowed by a step of its own: planning, drifting and checking run nothing, the apply does"
  )
  func recipients() throws {
    try initialized()
    let recipient = try toy.key("plain:token").recipient
    try write(recipients: ["ada": try ada(), "token": recipient])
    for command in [
      ["plan"], ["plan", "--json"], ["plan", "--out", "p.kp"], ["drift"], ["validate"], ["doctor"],
      ["show", "recipients"],
    ] {
      _ = try sandbox.start([Shell.program] + command).wait()
    }
    sandbox.variables["KEYPLAN_CHECKOUT"] = "untrusted"
    #expect(try sandbox.keyplan("plan").out.contains("surface.plugin"))
    sandbox.variables["KEYPLAN_CHECKOUT"] = "trusted"
    let plan = try sandbox.keyplan("plan")
    #expect(plan.out.contains("surface.plugin") && plan.out.contains("age-plugin-toy"), "\(plan.out)")
    #expect(runs().isEmpty)
    let applied = try sandbox.keyplan("apply", "--yes")
    #expect(applied.code == 0, "\(applied.out)\(applied.err)")
    #expect(runs() == ["recipient-v1"])
    #expect(try sandbox.keyplan("plan").code == 0)
    let path = try identity("plain:token")
    #expect(try sandbox.keyplan("get", "a", "--identity", path).out == "value-1")
    #expect(try opened("full", with: path).hasPrefix(#"{"format":"kp1","#))
    #expect(try sandbox.keyplan("get", "a").out == "value-1")

    // Whatever encrypts the keyring again runs it again.
    _ = runs()
    let rekeyed = try sandbox.keyplan("store", "rekey", "--yes")
    #expect(rekeyed.code == 0, "\(rekeyed.err)")
    #expect(runs() == ["recipient-v1"])
    #expect(try sandbox.keyplan("get", "a", "--identity", path).out == "value-1")
    _ = runs()
    let backup = try sandbox.keyplan("backup", "all.age")
    #expect(backup.code == 0, "\(backup.err)")
    #expect(runs() == ["recipient-v1"])
    #expect(try sandbox.keyplan("restore", "all.age", "--check", "--identity", path).code == 0)

    // And its end is the end of the permission.
    try write(recipients: ["ada": try ada()])
    let removed = try sandbox.keyplan("apply", "--yes")
    #expect(removed.code == 0 && removed.out.contains("no longer allowed"), "\(removed.out)\(removed.err)")
    #expect(try sandbox.keyplan("get", "a", "--identity", path).code == 9)
    #expect(try sandbox.keyplan("plan").code == 0)
  }

  @Test("a recipient of a plugin can be one that only plans, and one of those that a value is for")
  func roles() throws {
    try initialized()
    let (token, planner) = (try toy.key("plain:token").recipient, try toy.key("plain:ci").recipient)
    try write(recipients: ["ada": try ada(), "token": token, "ci": "{ key: \(planner), can: plan }"])
    let applied = try sandbox.keyplan("apply", "--yes")
    #expect(applied.code == 0, "\(applied.out)\(applied.err)")
    let ci = try identity("plain:ci", named: "ci.txt")
    let plan = try sandbox.keyplan("plan", "--identity", ci)
    #expect(plan.code == 0, "\(plan.out)\(plan.err)")
    #expect(try sandbox.keyplan("get", "a", "--identity", ci).code == 9)

    try write(
      recipients: ["ada": try ada(), "token": token, "ci": "{ key: \(planner), can: plan }"],
      keys: Self.keys.replacingOccurrences(of: "variable: A", with: "variable: A, recipients: [token]"))
    // Who is not among them cannot write it.
    #expect(try sandbox.keyplan("apply", "--yes").code != 0)
    let path = try identity("plain:token")
    let limited = try sandbox.keyplan("apply", "--yes", "--identity", path)
    #expect(limited.code == 0, "\(limited.out)\(limited.err)")
    #expect(try sandbox.keyplan("get", "a", "--identity", path).out == "value-1")
    #expect(try sandbox.keyplan("get", "a").code == 9)
  }

  @Test("post-quantum labels put a plugin's recipient into the file of its class, and the store opens with each")
  func labels() throws {
    try initialized()
    try write(recipients: ["ada": try ada(), "token": try toy.key("pq:token").recipient])
    let applied = try sandbox.keyplan("apply", "--yes")
    #expect(applied.code == 0, "\(applied.out)\(applied.err)")
    let path = try identity("pq:token")
    #expect(try opened("full-pq", with: path).hasPrefix(#"{"format":"kp1","#))
    #expect(try sandbox.keyplan("get", "a", "--identity", path).out == "value-1")
    #expect(try sandbox.keyplan("get", "a").out == "value-1")
  }

  @Test("a plugin that is missing or fails leaves the store as it was, and the apply says why")
  func failing() throws {
    try initialized()
    for (key, reason) in [
      ("seal-crash:x", "ended before it had answered"), ("seal-error:x", "no [31mtoken here"), ("odd:x", "labels"),
    ] {
      try write(recipients: ["ada": try ada(), "token": try toy.key(key).recipient])
      let applied = try sandbox.keyplan("apply", "--yes")
      let said =
        applied.err.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        + applied.out.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(applied.code != 0 && said.contains(reason), "\(key): \(applied.out)\(applied.err)")
      #expect(!(applied.out + applied.err).contains("canary"))
      #expect(try sandbox.keyplan("get", "a").out == "value-1")
    }
    try write(recipients: ["ada": try ada(), "token": try toy.key("plain:x").recipient])
    try FileManager.default.removeItem(atPath: toy.program)
    let doctor = try sandbox.keyplan("doctor")
    #expect(doctor.out.contains("age-plugin-toy"), "\(doctor.out)")
    let applied = try sandbox.keyplan("apply", "--yes")
    #expect(applied.code != 0 && (applied.out + applied.err).contains("Install age-plugin-toy"), "\(applied.err)")
    #expect(try sandbox.keyplan("get", "a").out == "value-1")
  }

  @Test("init runs no program that only the manifest names: its recipient is added by the first apply")
  func cloned() throws {
    try #require(sandbox.keyplan("identity", "new").code == 0)
    try write(recipients: ["ada": try ada(), "token": try toy.key("plain:token").recipient])
    let made = try sandbox.keyplan("init")
    #expect(made.code == 0 && made.out.contains("age-plugin-toy"), "\(made.out)\(made.err)")
    #expect(runs().isEmpty)
    #expect(try sandbox.keyplan("plan").out.contains("surface.plugin"))
    #expect(runs().isEmpty)
    let applied = try sandbox.keyplan("apply", "--yes")
    #expect(applied.code == 0, "\(applied.out)\(applied.err)")
    #expect(try sandbox.keyplan("get", "a", "--identity", try identity("plain:token")).out == "value-1")
  }

  @Test("the PIN of a token is asked for at the terminal, and is nowhere without one")
  func pin() throws {
    let typist = """
      import os, pty, sys
      pid, terminal = pty.fork()
      if pid == 0:
          os.execvp("sh", ["sh", "-c", sys.argv[2]])
      text = b""
      while True:
          try:
              more = os.read(terminal, 4096)
          except OSError:
              break
          if not more:
              break
          sys.stdout.buffer.write(more)
          text += more
          if text.endswith(b": "):
              text = b""
              os.write(terminal, sys.argv[1].encode() + b"\\n")
      sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
      """
    func typing(_ answer: String, _ command: String) throws -> ProgramRun.Answer {
      try sandbox.start(["python3", "-c", typist, answer, "'\(Shell.program)' \(command)"]).wait()
    }
    let path = try identity("pin:ada")
    sandbox.variables["KEYPLAN_IDENTITY"] = path
    try #require(sandbox.keyplan("init").code == 0)
    let applied = try typing("1234", "apply --yes")
    #expect(applied.code == 0 && applied.out.contains("age-plugin-toy: PIN of the token: "), "\(applied.out)")
    #expect(!applied.out.contains("1234"))
    #expect(try typing("1234", "get --reveal a").out.contains("value-1"))
    let wrong = try typing("12", "get --reveal a")
    #expect(wrong.code == 9 && wrong.out.contains("wrong PIN"), "\(wrong.out)")
    let nobody = try sandbox.start(["setsid", "-w", "sh", "-c", "echo 1234 | '\(Shell.program)' get a"]).wait()
    #expect(nobody.code == 9 && nobody.err.contains("no PIN"), "\(nobody.err)")
    let forbidden = try typing("1234", "get --reveal a --no-input")
    #expect(forbidden.code == 9 && forbidden.out.contains("no PIN"), "\(forbidden.out)")
    sandbox.variables["KEYPLAN_IDENTITY"] = try identity("confirm:ada", named: "confirm.txt")
    // The stanza names the key, not the behaviour.
    #expect(try typing("yes", "get --reveal a").out.contains("value-1"))
    let declined = try typing("no", "get --reveal a")
    #expect(declined.code == 9 && declined.out.contains("declined: ok no"), "\(declined.out)")
  }
}
