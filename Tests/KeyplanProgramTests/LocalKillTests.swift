import Foundation
import TestTools
import Testing

/// The same as `RemoteKillTests` at places of this machine that are not files of their own: an apply that is killed when the
/// place holds the value, and nobody has recorded it.
@Suite("A write on this machine that a killed apply did not record")
struct LocalKillTests {
  /// A value, the entries of the target, and what they come to: the first write, a replaced value, a removed name.
  private typealias Round = (value: String, entries: [String], expected: [String: String])

  private static func rounds(_ one: String, _ two: String) -> [Round] {
    [
      ("kp-first", [one, two], [one: "kp-first", two: "kp-first"]),
      ("kp-second", [one, two], [one: "kp-second", two: "kp-second"]), ("kp-second", [one], [one: "kp-second"]),
    ]
  }

  private func set(_ round: Round, target: String, in sandbox: ProgramSandbox) throws {
    sandbox.variables["PAYMENTS_VALUE"] = round.value
    try sandbox.write(
      """
      version: 1
      keys: { payments: { provider: generic, variable: PAYMENTS, source: env://PAYMENTS_VALUE } }
      targets: { there: { \(target), keys: { \(round.entries.map { "\"\($0)\": payments" }.joined(separator: ", ")) } } }

      """, to: "keyplan.yaml")
  }

  private func sandbox(_ round: Round, target: String) throws -> ProgramSandbox {
    let sandbox = try ProgramSandbox()
    try set(round, target: target, in: sandbox)
    try #require(try sandbox.keyplan("identity", "new").code == 0)
    try #require(try sandbox.keyplan("init").code == 0)
    return sandbox
  }

  private func complete(_ sandbox: ProgramSandbox) throws {
    let applied = try sandbox.keyplan("apply", "--yes")
    #expect(applied.code == 0, "\(applied.out)\(applied.err)")
    let plan = try sandbox.keyplan("plan")
    #expect(plan.out.contains("No changes"), "\(plan.out)\(plan.err)")
    #expect(try sandbox.keyplan("drift").code == 0)
  }

  @Test(
    "is found by the next apply: in a file of sops, killed before and after the file is renamed",
    needsTracer, .enabled(if: SOPSProgram.path != nil || SOPSProgram.isCI, "\(SOPSProgram.missing)"),
    arguments: [("renameat2", false), ("fsync", true)])
  func sops(call: String, isWritten: Bool) throws {
    try FaultTracer.requireTracer()
    let scratch = try Scratch()
    let sops = try SOPSProgram(scratch)
    try scratch.write("{\"other\": \"kept\"}", to: "secrets.json")
    try sops.encrypt("secrets.json")
    let rounds = Self.rounds("/db/payments", "TOP")
    let target = "type: sops, path: secrets.json"
    let sandbox = try sandbox(rounds[0], target: target)
    sandbox.variables["SOPS_AGE_KEY_FILE"] = scratch["keys.txt"]
    try sandbox.write(Array(try Data(contentsOf: URL(filePath: scratch["secrets.json"]))), to: "secrets.json")

    func values() throws -> [String: String] {
      struct File: Decodable {
        let other: String
        let TOP: String?
        let db: [String: String]?
      }
      let text = try #require(try sops.decrypt(path: sandbox.project + "/secrets.json"), "sops refuses the file")
      let file = try JSONDecoder().decode(File.self, from: Data(text.utf8))
      #expect(file.other == "kept")
      return ["/db/payments": file.db?["payments"], "TOP": file.TOP].compactMapValues { $0 }
    }
    var before: [String: String] = [:]
    for round in rounds {
      try set(round, target: target, in: sandbox)
      let tracer = FaultTracer(sandbox, ["apply", "--yes"], at: [sandbox.project])
      let killed = try tracer.apply(breaking: call, "signal=SIGKILL", at: 1).answer
      try #require(killed.code == 137, "was not killed: \(killed.out)\(killed.err)")
      #expect(try values() == (isWritten ? round.expected : before))
      try complete(sandbox)
      #expect(try values() == round.expected)
      #expect(!sandbox.files().contains { $0.hasSuffix(".keyplan-new") })
      before = round.expected
    }
  }

  @Test(
    "is found by the next apply: in a real GNOME Keyring, killed before the reply",
    .enabled(if: KeyringServer.isHere, "\(KeyringServer.missing)"))
  func keyring() throws {
    let server = try KeyringServer()
    let scratch = try Scratch()
    let proxy = try FixtureServer([
      URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/killing_bus.py").path,
      server.scratch["run/bus"], scratch.path,
    ])
    defer { withExtendedLifetime(proxy) {} }
    let rounds = Self.rounds("ada", "bob")
    let target = "type: secret-service, service: my-app"
    let sandbox = try sandbox(rounds[0], target: target)
    sandbox.variables["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=\(scratch["bus"])"
    try server.store("kept", "service my-app username other")
    for round in rounds {
      try set(round, target: target, in: sandbox)
      try scratch.write("CreateItem SetSecret Delete", to: "armed")
      let killed = try sandbox.start([
        "sh", "-c", "echo $$ >'\(scratch["pid"])'; exec '\(Shell.program)' apply --yes",
      ]).wait()
      try #require(killed.code == 137, "was not killed: \(killed.out)\(killed.err)")
      #expect(access(scratch["armed"], F_OK) != 0, "no write came: \(killed.out)\(killed.err)")
      try complete(sandbox)
      var found: [String: String] = [:]
      for name in ["ada", "bob", "other"] {
        let answer = try server.run("secret-tool lookup service my-app username \(name)")
        if answer.status == 0 { found[name] = answer.text }
      }
      #expect(found == round.expected.merging(["other": "kept"]) { first, _ in first })
      // One item for each name, whatever was written twice.
      let items = try server.run("secret-tool search --all service my-app 2>/dev/null | grep -c '^label'").text
      #expect(items == "\(found.count)\n")
    }
  }
}
