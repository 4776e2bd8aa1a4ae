import Testing

/// A job that is run once more, after it did its work.
@Suite("The id of a plan that was applied")
struct RepeatedApplyTests {
  @Test("is nothing to do, whatever has changed since; any other id is stale")
  func again() throws {
    let sandbox = try ProgramSandbox()
    try sandbox.write("A=one\n", to: ".env")
    try sandbox.write("version: 1\nkeys:\n  a: { provider: generic, source: dotenv://.env#A }\n", to: "keyplan.yaml")
    try #require(sandbox.keyplan("init").code == 0)
    let id = try Self.id(sandbox)
    try #require(sandbox.keyplan("apply", "--expect", id).code == 0)
    let again = try sandbox.keyplan("apply", "--expect", id)
    #expect(again.code == 0 && again.out.contains("Nothing to do: \(id) was applied at 20"), "\(again.out)\(again.err)")
    let json = try sandbox.keyplan("apply", "--expect", id, "--json")
    #expect(json.code == 0 && json.out.contains(#""id":"\#(id)""#), "\(json.out)\(json.err)")

    try sandbox.write("A=two\n", to: ".env")
    let changed = try Self.id(sandbox)
    #expect(try sandbox.keyplan("apply", "--expect", id).code == 0)
    #expect(try Self.id(sandbox) == changed, "nothing was applied")
    try sandbox.write("A=three\n", to: ".env")
    #expect(try sandbox.keyplan("apply", "--expect", changed).code == 4)
  }

  @Test("is nothing to do for its plan file, too")
  func file() throws {
    let sandbox = try ProgramSandbox()
    try sandbox.write("A=one\n", to: ".env")
    try sandbox.write("version: 1\nkeys:\n  a: { provider: generic, source: dotenv://.env#A }\n", to: "keyplan.yaml")
    try #require(sandbox.keyplan("init").code == 0)
    try #require(sandbox.keyplan("plan", "--out", "plan.kp").code == 0)
    try #require(sandbox.keyplan("apply", "plan.kp").code == 0)
    let again = try sandbox.keyplan("apply", "plan.kp")
    #expect(again.code == 0 && again.out.contains("Nothing to do: kp1-"), "\(again.out)\(again.err)")
    // A plan for the same thing that somebody else carried out in the meantime is another one.
    try sandbox.write("A=two\n", to: ".env")
    try #require(sandbox.keyplan("plan", "--out", "plan.kp").code == 0)
    try sandbox.write("A=three\n", to: ".env")
    try #require(sandbox.keyplan("apply", "--yes").code == 0)
    #expect(try sandbox.keyplan("apply", "plan.kp").code == 4)
  }

  @Test("is not remembered where a step failed")
  func failed() throws {
    let sandbox = try ProgramSandbox()
    try sandbox.write("A=one\n", to: ".env")
    try sandbox.write("not json", to: "app.json")
    try sandbox.write(
      """
      version: 1
      keys:
        a: { provider: generic, source: dotenv://.env#A }
      targets:
        app: { type: json, path: app.json, keys: { A: a } }

      """, to: "keyplan.yaml")
    try #require(sandbox.keyplan("init").code == 0)
    let id = try Self.id(sandbox)
    #expect(try sandbox.keyplan("apply", "--expect", id).code != 0)
    #expect(try sandbox.keyplan("apply", "--expect", id).code == 4)
  }

  private static func id(_ sandbox: ProgramSandbox) throws -> String {
    let plan = try sandbox.keyplan("plan").out
    return String(try #require(plan.firstMatch(of: /kp1-[0-9a-z]{26}/)).output)
  }
}
