import Foundation
import TestTools
import Testing

/// Identities that a key management service opens, here a real OpenBao.
@Suite(
  "A sealed identity",
  .enabled(
    if: OpenBaoProgram.path != nil || ProcessInfo.processInfo.environment["CI"] != nil,
    "SKIPPED: run make setup-test: OpenBao in KEYPLAN_TEST_PYTHON"))
struct SealedIdentityTests {
  private let sandbox: ProgramSandbox
  private let server: FixtureServer
  private let scratch: Scratch
  private let key: String

  /// A store of `ada`, which the identity in `ci.txt` opens too; the server has the key, and the job may have it used.
  init() throws {
    scratch = try Scratch()
    let fixture = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../KeyplanRemoteTests/Fixtures/keyless.py").standardized.path
    server = try FixtureServer([fixture, try #require(OpenBaoProgram.path, "run make setup-test"), scratch.path])
    let greeting = try JSONDecoder().decode([String: String].self, from: server.greeting)
    key = "\(greeting["vault"] ?? "")/v1/transit/keys/keyplan"
    let sandbox = try ProgramSandbox()
    sandbox.variables["ACTIONS_ID_TOKEN_REQUEST_URL"] = greeting["token"]
    sandbox.variables["ACTIONS_ID_TOKEN_REQUEST_TOKEN"] = "job"
    self.sandbox = sandbox
    try sandbox.write("version: 1\nkeys:\n  a: { provider: generic, source: file://a.txt }\n", to: "keyplan.yaml")
    try sandbox.write("value-1\n", to: "a.txt")
    try #require(sandbox.keyplan("init").code == 0)
    let made = try Self.run(
      ["identity", "new", "--identity", "../ci.txt", "--kms", key, "--role", "ci", "--audience", "keyplan"],
      ["VAULT_TOKEN": "root"], in: sandbox)
    try #require(made.code == 0, "\(made.err)")
    let (own, other) = (try sandbox.keyplan("identity", "show", "--quiet").out, made.out)
    let recipients = "recipients:\n  ada: \(own.trimmed)\n  ci: { key: \(other.trimmed), kms: true }\n"
    try sandbox.write(
      "version: 1\nkeys:\n  a: { provider: generic, source: file://a.txt }\n" + recipients, to: "keyplan.yaml")
    let applied = try sandbox.keyplan("apply", "--yes")
    try #require(applied.code == 0, "\(applied.err)")
  }

  private var line: String {
    let text = (try? String(contentsOfFile: sandbox.root + "/ci.txt", encoding: .utf8)) ?? ""
    return text.split(separator: "\n").last.map(String.init) ?? ""
  }

  private static func run(
    _ words: [String], _ variables: [String: String], in sandbox: ProgramSandbox
  ) throws -> ProgramRun.Answer {
    let usual = sandbox.variables
    defer { sandbox.variables = usual }
    sandbox.variables.merge(variables) { $1 }
    return try sandbox.start([Shell.program] + words).wait()
  }

  /// What a job runs.
  private func job(_ identity: String, _ words: String...) throws -> ProgramRun.Answer {
    try Self.run(words, ["KEYPLAN_IDENTITY": identity], in: sandbox)
  }

  @Test("opens the store with the job's own token, as a line in the variable or as a file elsewhere")
  func opens() throws {
    #expect(line.hasPrefix(#"{"keyplan":"sealed identity 1","recipient":"age1"#))
    for identity in [line, "../ci.txt"] {
      let got = try job(identity, "get", "a")
      #expect(got.code == 0 && got.out == "value-1", "\(got.err)")
    }
    #expect(try job(line, "plan", "--detailed-exitcode").code == 0)
    // Its public key is known without asking the service.
    let shown = try job(line.replacing("127.0.0.1", with: "localhost.invalid"), "identity", "show", "--quiet")
    #expect(shown.code == 0 && line.contains(shown.out.trimmed), "\(shown.err)")
  }

  @Test("can be post-quantum, beside a classical one")
  func postQuantum() throws {
    let made = try Self.run(
      [
        "identity", "new", "--identity", "../pq.txt", "--post-quantum", "--kms", key, "--role", "ci", "--audience",
        "keyplan",
      ], ["VAULT_TOKEN": "root"], in: sandbox)
    try #require(made.code == 0 && made.out.hasPrefix("age1pq1"), "\(made.out)\(made.err)")
    let manifest = String(decoding: try #require(sandbox.content(of: "keyplan.yaml")), as: UTF8.self)
    try sandbox.write(manifest + "  later: { key: \(made.out.trimmed), kms: true }\n", to: "keyplan.yaml")
    let applied = try sandbox.keyplan("apply", "--yes")
    try #require(applied.code == 0, "\(applied.out)\(applied.err)")
    for identity in ["../pq.txt", line] {
      let got = try job(identity, "get", "a")
      #expect(got.code == 0 && got.out == "value-1", "\(identity.prefix(9)): \(got.err)")
    }
    // It opens what is sealed after it came, too.
    try sandbox.write("value-2\n", to: "a.txt")
    let job = try job("../pq.txt", "apply", "--yes")
    #expect(job.code == 0, "\(job.out)\(job.err)")
    #expect(try sandbox.keyplan("get", "a").out == "value-2")
  }

  @Test("in the work tree is refused: a pull request could name another service there")
  func workTree() throws {
    try sandbox.write(line + "\n", to: "ci.txt")
    try #require(chmod(sandbox.project + "/ci.txt", 0o600) == 0)
    try #require(symlink("../ci.txt", sandbox.project + "/link.txt") == 0)
    // By name, by a link that leads out, and from elsewhere with the manifest named.
    let elsewhere = ["sh", "-c", "cd /; exec \(Shell.program) get a -f \(sandbox.project)/keyplan.yaml"]
    let usual = sandbox.variables
    sandbox.variables["KEYPLAN_IDENTITY"] = sandbox.project + "/ci.txt"
    let answers = [
      try job("ci.txt", "get", "a"), try job("link.txt", "get", "a"), try sandbox.start(elsewhere).wait(),
    ]
    sandbox.variables = usual
    for refused in answers {
      #expect(refused.code == 9 && refused.out.isEmpty, "\(refused.err)")
    }
    #expect(answers[0].err.contains("Sealed identity in the work tree"))
    #expect(answers[2].err.contains("Sealed identity in the work tree"))
  }

  @Test("that was changed, or whose service is down, opens nothing, and the exit code says which")
  func refused() throws {
    let sealed = try #require(line.firstRange(of: "vault:v1:"))
    var broken = line
    broken.replaceSubrange(sealed.upperBound..<line.index(sealed.upperBound, offsetBy: 4), with: "AAAA")
    for (identity, code, words) in [
      (broken, 9, "it was sealed with another key"), (String(line.dropLast(2)), 9, "does not contain an identity"),
      (line.replacing("keys/keyplan", with: "keys/other"), 9, "Identity not opened"),
      (line.replacing(/127.0.0.1:\d+/, with: "127.0.0.1:1"), 8, "Identity not opened"),
    ] {
      let refused = try job(identity, "get", "a")
      #expect(refused.code == Int32(code) && refused.err.contains(words), "\(refused.code) \(refused.err)")
      #expect(refused.out.isEmpty)
    }
  }

  @Test("cannot be the only way in, and what creates one says what is missing")
  func usage() throws {
    let text = String(decoding: try #require(sandbox.content(of: "keyplan.yaml")), as: UTF8.self)
    try sandbox.write(
      text.replacing(/ada: (age1\w+)/) { "ada: { key: \($0.output.1), kms: true }" }
        .replacing("  ci:", with: "  x: \(otherRecipient)\n  ci:").replacing("  x: ", with: "  x: { can: plan, key: ")
        .replacing(otherRecipient, with: otherRecipient + " }"), to: "keyplan.yaml")
    let plan = try sandbox.keyplan("plan")
    #expect(plan.code == 7 && (plan.out + plan.err).contains("key management service"), "\(plan.out)\(plan.err)")
    for (words, expected) in [
      (["--kms", "alias/x"], "Invalid key"), (["--role", "ci"], "Missing key"),
      (["--kms", key, "--role", "ci"], "Incomplete login"), (["--kms", key, "--audience", "a"], "Incomplete login"),
      (["--kms", key, "--role", "ci", "--audience", "a", "--token-variable", "B"], "Two tokens"),
    ] {
      let refused = try sandbox.start([Shell.program, "identity", "new", "--identity", "../new.txt"] + words).wait()
      #expect(refused.code == 64 && refused.err.contains(expected), "\(refused.code) \(refused.err)")
    }
    // Without a right to the key nothing is made, and a file that is there is not replaced.
    #expect(try sandbox.keyplan("identity", "new", "--identity", "../new.txt", "--kms", key).code == 1)
    #expect(access(sandbox.root + "/new.txt", F_OK) != 0)
    let before = line
    let again = ["identity", "new", "--identity", "../ci.txt", "--kms", key]
    #expect(try Self.run(again, ["VAULT_TOKEN": "root"], in: sandbox).code == 1)
    #expect(line == before)
  }

  private let otherRecipient = "age1t7rxyev2z3rw82stdlrrepyc39nvn86l5078zqkf5uasdy86jp6svpy7pa"
}

extension String {
  fileprivate var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}
