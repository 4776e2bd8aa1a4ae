import Foundation
import Testing

/// Commands that change a key and write it to its targets.
@Suite("A change of a key that its targets follow")
struct OneCommandTests {
  /// A target whose program kills the run that calls it, or fails, when the file of that name is there.
  private static let program = """
    import json, os, signal, sys
    place = os.environ["PLACE"]
    values = json.load(open(place + "/values.json")) if os.path.exists(place + "/values.json") else {}
    if sys.argv[1] == "read":
        print(json.dumps(values))
    else:
        if os.path.exists(place + "/armed"):
            os.unlink(place + "/armed")
            os.kill(int(open(place + "/pid").read()), signal.SIGKILL)
            sys.exit(1)
        changes = json.load(sys.stdin)
        values.update(changes["set"])
        for name in changes["remove"]:
            values.pop(name, None)
        json.dump(values, open(place + "/values.json", "w"))

    """

  private static let manifest = """
    version: 1
    keys: { payments: { provider: generic, variable: PAYMENTS } }
    targets:
      there:
        type: command
        command: [python3, ./program.py, write]
        read: [python3, ./program.py, read]
        variables: [PLACE]
        keys: { A: payments }

    """

  private func sandbox() throws -> ProgramSandbox {
    let sandbox = try ProgramSandbox()
    sandbox.variables["PLACE"] = sandbox.root
    try sandbox.write(Self.program, to: "program.py")
    try sandbox.write(Self.manifest, to: "keyplan.yaml")
    try #require(try sandbox.keyplan("identity", "new").code == 0)
    try #require(try sandbox.keyplan("init").code == 0)
    try #require(try sandbox.keyplan("keys", "set", "payments", "--yes", input: .text("kp-first")).code == 0)
    try #require(try sandbox.keyplan("keys", "set", "payments", "--yes", input: .text("kp-second")).code == 0)
    try #require(try sandbox.keyplan("apply", "--yes").code == 0)
    try #require(try values(in: sandbox) == ["A": "kp-second"])
    return sandbox
  }

  private func values(in sandbox: ProgramSandbox) throws -> [String: String] {
    let data = try Data(contentsOf: URL(filePath: sandbox.root + "/values.json"))
    return try JSONDecoder().decode([String: String].self, from: data)
  }

  static let changes: [(name: String, command: [String], ends: String?)] = [
    ("set", ["keys", "set", "payments", "--from-file", "value", "--yes"], "kp-third"),
    ("rolled back", ["keys", "rollback", "payments", "--yes"], "kp-first"),
    ("revoked", ["keys", "revoke", "payments", "--yes", "--leave-without"], nil),
  ]

  @Test(
    "that is killed before the target has it is recorded, pending, and completed by the next apply", arguments: changes)
  func killed(change: (name: String, command: [String], ends: String?)) throws {
    let sandbox = try sandbox()
    try sandbox.write("kp-third", to: "value")
    try Data().write(to: URL(filePath: sandbox.root + "/armed"))
    let words = change.command.joined(separator: " ")
    let killed = try sandbox.start([
      "sh", "-c", "echo $$ >'\(sandbox.root)/pid'; exec '\(Shell.program)' \(words)",
    ]).wait()
    #expect(killed.code == 137, "\(killed.out)\(killed.err)")
    #expect(try values(in: sandbox) == ["A": "kp-second"])
    let got = try sandbox.keyplan("get", "payments")
    if let value = change.ends { #expect(got.out == value) } else { #expect(got.err.contains("Key is revoked")) }
    #expect(try sandbox.keyplan("drift").code == 2)
    _ = try sandbox.keyplan("apply", "--yes")
    #expect(try values(in: sandbox) == (change.ends.map { ["A": $0] } ?? [:]))
  }

  @Test("that was killed is completed by the same command, too", arguments: [changes[0], changes[2]])
  func repeated(change: (name: String, command: [String], ends: String?)) throws {
    let sandbox = try sandbox()
    try sandbox.write("kp-third", to: "value")
    try Data().write(to: URL(filePath: sandbox.root + "/armed"))
    let words = change.command.joined(separator: " ")
    _ = try sandbox.start(["sh", "-c", "echo $$ >'\(sandbox.root)/pid'; exec '\(Shell.program)' \(words)"]).wait()
    let again = try sandbox.start([Shell.program] + change.command).wait()
    #expect(again.code == 0, "\(again.out)\(again.err)")
    #expect(try values(in: sandbox) == (change.ends.map { ["A": $0] } ?? [:]))
  }

  @Test("runs no program that the last apply was not allowed to run, and says that the target waits")
  func editedProgram() throws {
    let sandbox = try sandbox()
    try sandbox.write(
      Self.manifest.replacingOccurrences(of: "[python3, ./program.py, write]", with: "[python3, ./other.py, write]"),
      to: "keyplan.yaml")
    try sandbox.write("open('ran', 'w')", to: "other.py")
    let answer = try sandbox.keyplan("keys", "set", "payments", "--yes", input: .text("kp-third"))
    #expect(answer.code == 3, "\(answer.out)\(answer.err)")
    #expect(answer.out.contains("Target keeps an earlier value"))
    #expect(sandbox.content(of: "ran") == nil)
    #expect(try values(in: sandbox) == ["A": "kp-second"])
    #expect(try sandbox.keyplan("get", "payments").out == "kp-third")
  }

  @Test("names other environments that have the value which is revoked")
  func environments() throws {
    let sandbox = try ProgramSandbox()
    try sandbox.write(
      "version: 1\nkeys: { shared: { provider: generic, variable: SHARED } }\n", to: "keyplan.yaml")
    try sandbox.write("version: 1\n", to: "keyplan.staging.yaml")
    try #require(try sandbox.keyplan("identity", "new").code == 0)
    for (environment, value) in [("default", "kp-shared"), ("staging", "kp-shared")] {
      let made = try sandbox.keyplan("init", "--environment", environment)
      try #require(made.code == 0, "\(made.out)\(made.err)")
      let set = try sandbox.keyplan(
        "keys", "set", "shared", "--yes", "--environment", environment, input: .text(value))
      try #require(set.code == 0, "\(set.out)\(set.err)")
    }
    let revoked = try sandbox.keyplan("keys", "revoke", "shared", "--yes", "--environment", "default", "--json")
    #expect(revoked.code == 0, "\(revoked.out)\(revoked.err)")
    #expect(revoked.out.contains(#""code":"valueElsewhere""#))
    #expect(revoked.out.contains("staging"))
    let other = try sandbox.keyplan("keys", "revoke", "shared", "--yes", "--environment", "staging", "--json")
    #expect(other.code == 0 && other.out.contains(#""revoke""#), "\(other.out)\(other.err)")
    #expect(!other.out.contains("valueElsewhere"), "it is revoked there")
  }
}
