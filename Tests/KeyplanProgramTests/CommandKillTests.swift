import Foundation
import Testing

/// An apply that is killed when a target's program has done its work: nobody has recorded it.
@Suite("A command target's write that a killed apply did not record")
struct CommandKillTests {
  /// Keeps the values in `values.json` beside the project, and kills who started it if the file `armed` is there.
  private static let program = """
    import json, os, signal, sys
    place = os.environ["PLACE"]
    values = json.load(open(place + "/values.json")) if os.path.exists(place + "/values.json") else {}
    if sys.argv[1] == "read":
        print(json.dumps(values))
    else:
        changes = json.load(sys.stdin)
        values.update(changes["set"])
        for name in changes["remove"]:
            values.pop(name, None)
        json.dump(values, open(place + "/values.json", "w"))
        with open(place + "/writes", "a") as writes:
            writes.write("x")
        if os.path.exists(place + "/armed"):
            os.unlink(place + "/armed")
            os.kill(int(open(place + "/pid").read()), signal.SIGKILL)

    """

  @Test("is found by the next apply, which ends as if nothing had happened: set, replaced and removed")
  func killed() throws {
    let sandbox = try ProgramSandbox()
    sandbox.variables["PLACE"] = sandbox.root
    try sandbox.write(Self.program, to: "program.py")
    func manifest(_ names: String) -> String {
      """
      version: 1
      keys: { payments: { provider: generic, variable: PAYMENTS, source: env://PAYMENTS_VALUE } }
      targets:
        there:
          type: command
          command: [python3, ./program.py, write]
          read: [python3, ./program.py, read]
          variables: [PLACE]
          keys: \(names)

      """
    }
    try sandbox.write(manifest("{ A: payments, B: payments }"), to: "keyplan.yaml")
    try #require(try sandbox.keyplan("identity", "new").code == 0)
    try #require(try sandbox.keyplan("init").code == 0)
    for (value, names, expected) in [
      ("kp-first", "{ A: payments, B: payments }", ["A": "kp-first", "B": "kp-first"]),
      ("kp-second", "{ A: payments, B: payments }", ["A": "kp-second", "B": "kp-second"]),
      ("kp-second", "{ A: payments }", ["A": "kp-second"]),
    ] {
      sandbox.variables["PAYMENTS_VALUE"] = value
      try sandbox.write(manifest(names), to: "keyplan.yaml")
      try Data().write(to: URL(filePath: sandbox.root + "/armed"))
      let killed = try sandbox.start([
        "sh", "-c", "echo $$ >'\(sandbox.root)/pid'; exec '\(Shell.program)' apply --yes",
      ]).wait()
      try #require(killed.code != 0, "was not killed: \(killed.out)\(killed.err)")
      #expect(access(sandbox.root + "/armed", F_OK) != 0, "no write came: \(killed.out)\(killed.err)")
      let applied = try sandbox.keyplan("apply", "--yes")
      #expect(applied.code == 0, "\(applied.out)\(applied.err)")
      #expect(try sandbox.keyplan("plan").out.contains("No changes"))
      #expect(try sandbox.keyplan("drift").code == 0)
      let values = try Data(contentsOf: URL(filePath: sandbox.root + "/values.json"))
      #expect(try JSONDecoder().decode([String: String].self, from: values) == expected)
    }
  }
}
