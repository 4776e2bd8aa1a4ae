import Foundation
import Testing

/// Stores that open with SSH keys and post-quantum identities.
@Suite("Recipients of every kind")
struct RecipientKindTests {
  private static let keys = "version: 1\nkeys: { a: { provider: generic, source: file://a.txt, variable: A } }\n"

  private func sandbox() throws -> ProgramSandbox {
    let sandbox = try ProgramSandbox()
    try sandbox.write("value-1\n", to: "a.txt")
    try sandbox.write(Self.keys, to: "keyplan.yaml")
    return sandbox
  }

  private func sshKey(_ sandbox: ProgramSandbox, _ options: [String], to name: String = "key") throws -> String {
    let path = sandbox.home + "/" + name
    let made = try sandbox.start(["ssh-keygen", "-q", "-C", "ada", "-f", path] + options).wait()
    try #require(made.code == 0, "\(made.err)")
    return path
  }

  @Test(
    "an SSH key creates a store and opens it, from a file and from the environment",
    arguments: [["-t", "ed25519", "-N", ""], ["-t", "rsa", "-b", "2048", "-N", ""]])
  func ssh(options: [String]) throws {
    let sandbox = try sandbox()
    let path = try sshKey(sandbox, options)
    sandbox.variables["KEYPLAN_IDENTITY"] = path
    #expect(try sandbox.keyplan("init").code == 0)
    let applied = try sandbox.keyplan("apply", "--yes")
    #expect(applied.code == 0, "\(applied.out)\(applied.err)")
    #expect(try sandbox.keyplan("get", "a").out == "value-1")
    let line = try String(contentsOfFile: path + ".pub", encoding: .utf8)
    #expect(try sandbox.keyplan("identity", "show", "--quiet").out == line.replacingOccurrences(of: " ada", with: ""))
    sandbox.variables["KEYPLAN_IDENTITY"] = try String(contentsOfFile: path, encoding: .utf8)
    #expect(try sandbox.keyplan("get", "a").out == "value-1")
    // Debian's age opens the keyring with the same key.
    let dump =
      "import sqlite3,sys\nsys.stdout.buffer.write(sqlite3.connect(sys.argv[1]).execute('SELECT file FROM keyring').fetchone()[0])"
    let file = try sandbox.start([
      "sh", "-c", "python3 -c \"$1\" \"$2\" | age -d -i \"$3\"", "-", dump, sandbox.store, path,
    ])
    .wait()
    #expect(file.code == 0 && file.out.hasPrefix(#"{"format":"kp1","#), "\(file.err)")
  }

  @Test("an SSH key with a passphrase is refused with what to do")
  func encrypted() throws {
    let sandbox = try sandbox()
    let path = try sshKey(sandbox, ["-t", "ed25519", "-N", "words"])
    let refused = try sandbox.keyplan("init", "--identity", path)
    let said = refused.err.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(refused.code == 9 && said.contains("ssh-keygen -p -N ''"), "\(refused.err)")
  }

  @Test("an SSH key as an argument is refused as a secret on the command line, and never quoted")
  func argument() throws {
    let sandbox = try sandbox()
    let path = try sshKey(sandbox, ["-t", "ed25519", "-N", ""])
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let refused = try sandbox.keyplan("plan", "--identity", text)
    #expect(refused.code == 64 && refused.err.contains("Identity in an argument"))
    #expect(!refused.err.contains("b3BlbnNzaC1rZXk"))
  }

  @Test(
    "a post-quantum recipient joins classical ones: both open the store, and plan says that it is not post-quantum safe"
  )
  func mixed() throws {
    let sandbox = try sandbox()
    try #require(sandbox.keyplan("init").code == 0)
    let classical = try sandbox.keyplan("identity", "show", "--quiet").out
    let path = sandbox.home + "/pq.txt"
    let made = try sandbox.keyplan("identity", "new", "--post-quantum", "--identity", path, "--quiet")
    #expect(made.code == 0 && made.out.hasPrefix("age1pq1"), "\(made.err)")
    try sandbox.write(Self.keys + "recipients:\n  ada: \(classical)  eve: \(made.out)", to: "keyplan.yaml")
    let applied = try sandbox.keyplan("apply", "--yes")
    #expect(applied.code == 0, "\(applied.out)\(applied.err)")
    let plan = try sandbox.keyplan("plan")
    #expect((plan.out + plan.err).contains("not post-quantum safe"))
    #expect((plan.out + plan.err).contains("also to ada"))
    for identity in [sandbox.identity, path] {
      #expect(try sandbox.keyplan("get", "a", "--identity", identity).out == "value-1")
    }
    let backup = try sandbox.keyplan("backup", "all.age")
    #expect(backup.code != 0 && backup.err.contains("cannot share a file"), "\(backup.err)")
    #expect(try sandbox.keyplan("backup", "pq.age", "--recipient", String(made.out.dropLast())).code == 0)
    #expect(try sandbox.keyplan("restore", "pq.age", "--check", "--identity", path).code == 0)
    // Without the classical one there is nothing to say.
    try sandbox.write(Self.keys + "recipients:\n  eve: \(made.out)", to: "keyplan.yaml")
    #expect(try sandbox.keyplan("apply", "--yes", "--identity", path).code == 0)
    #expect(try !sandbox.keyplan("plan", "--identity", path).out.contains("post-quantum"))
    #expect(try sandbox.keyplan("get", "a").code == 9)
  }
}
