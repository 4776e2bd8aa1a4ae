import Foundation
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

  @Test("removes what an earlier one left beside a file in which nothing is to be written")
  func leftovers() throws {
    let sandbox = try ProgramSandbox()
    try sandbox.write("A=one\n", to: ".env")
    try sandbox.write("A=one\n", to: "app.env")
    try sandbox.write("A=old\n", to: "app.env.keyplan-new")
    try sandbox.write(
      """
      version: 1
      keys:
        a: { provider: generic, source: dotenv://.env#A }
      targets:
        app: { type: dotenv, path: app.env, keys: { A: a } }

      """, to: "keyplan.yaml")
    try #require(sandbox.keyplan("init").code == 0)
    let applied = try sandbox.keyplan("apply", "--yes")
    #expect(applied.code == 0, "\(applied.out)\(applied.err)")
    #expect(sandbox.content(of: "app.env.keyplan-new") == nil)
    #expect(sandbox.content(of: "app.env") == Array("A=one\n".utf8))
  }

  @Test("is not remembered where a step failed that others followed")
  func failedBefore() throws {
    let sandbox = try ProgramSandbox()
    try sandbox.write("A=one\n", to: ".env")
    try sandbox.write(
      """
      version: 1
      keys:
        a: { provider: generic, source: dotenv://.env#A }
      targets:
        app: { type: command, command: ["false"], takeOver: true, keys: { A: a } }
        web: { type: dotenv, path: web.env, keys: { A: a }, after: { command: [touch, done] } }

      """, to: "keyplan.yaml")
    try #require(sandbox.keyplan("init").code == 0)
    let id = try Self.id(sandbox)
    let applied = try sandbox.keyplan("apply", "--expect", id)
    #expect(applied.code == 3, "\(applied.out)\(applied.err)")
    #expect(sandbox.content(of: "web.env") != nil)
    let again = try sandbox.keyplan("apply", "--expect", id)
    #expect(again.code == 4 && !again.out.contains("Nothing to do"), "\(again.out)\(again.err)")
  }

  @Test("that an identity saved which can only plan is refused as a file, and applied by its id")
  func plannedByOthers() throws {
    let sandbox = try ProgramSandbox()
    func run(_ arguments: String...) throws -> ProgramRun.Answer {
      try sandbox.start([Shell.program] + arguments).wait()
    }
    var keys: [String] = []
    for who in ["ada", "ci"] {
      keys.append(try run("identity", "new", "--identity", who, "--quiet").out.trimmingCharacters(in: .newlines))
    }
    try sandbox.write("value\n", to: "a.txt")
    try sandbox.write(
      """
      version: 1
      recipients: { ada: \(keys[0]), ci: { key: \(keys[1]), can: plan } }
      keys:
        a: { provider: generic, source: file://a.txt }
      targets:
        app: { type: dotenv, path: app.env, keys: { A: a } }

      """, to: "keyplan.yaml")
    #expect(try run("init", "--identity", "ada").code == 0)
    try #require(run("apply", "--only", "recipients", "--yes", "--identity", "ada").code == 0)
    let saved = try run("plan", "--out", "plan.kp", "--identity", "ci")
    #expect(saved.code == 0, "\(saved.out)\(saved.err)")
    let refused = try run("apply", "plan.kp", "--identity", "ada")
    #expect(refused.code == 7 && refused.err.contains("Plan cannot be applied"), "\(refused.out)\(refused.err)")
    #expect(sandbox.content(of: "app.env") == nil)
    let id = String(try #require(refused.err.firstMatch(of: /kp1-[0-9a-z]{26}/)).output)
    let applied = try run("apply", "--expect", id, "--identity", "ada")
    #expect(applied.code == 0, "\(applied.out)\(applied.err)")
    #expect(sandbox.content(of: "app.env") != nil)
  }

  private static func id(_ sandbox: ProgramSandbox) throws -> String {
    let plan = try sandbox.keyplan("plan").out
    return String(try #require(plan.firstMatch(of: /kp1-[0-9a-z]{26}/)).output)
  }
}
