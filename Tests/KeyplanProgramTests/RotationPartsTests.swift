import Foundation
import Testing

/// A key whose parts are at two targets, as an id is often a variable and its secret a secret.
@Suite("The parts of a key at two targets", .timeLimit(.minutes(40)))
struct RotationPartsTests {
  private func project(overlap: String = "none") throws -> RotationProject {
    let project = try RotationProject("twilio")
    let pieces = project.manifest(overlap: overlap).components(
      separatedBy: "{ VALUE_SECRET: chat.secret, VALUE_SID: chat.sid }")
    try #require(pieces.count == 3)
    try project.sandbox.write(
      pieces[0] + "{ VALUE_SID: chat.sid }" + pieces[1] + "{ VALUE_SECRET: chat.secret }" + pieces[2],
      to: "keyplan.yaml")
    let applied = try project.sandbox.keyplan("apply", "--yes")
    try #require(applied.code == 0, "\(applied.out)\(applied.err)")
    return project
  }

  private func own(_ project: RotationProject) throws -> [RotationProject.Key] {
    try project.keys().filter { !project.foreign.contains($0.id) }
  }

  private func expectBoth(_ project: RotationProject, _ place: SourceLocation = #_sourceLocation) throws {
    let key = try #require(try own(project).last)
    #expect(try project.held(by: "app.json") == ["VALUE_SID": key.id], sourceLocation: place)
    #expect(try project.held(by: "web.json").keys.sorted() == ["VALUE_SECRET"], sourceLocation: place)
    #expect(try project.held(by: "web.json")["VALUE_SECRET"].map(key.value.contains) == true, sourceLocation: place)
  }

  @Test(
    "a rotation writes both and then revokes the old key, whichever name is given",
    arguments: ["chat", "chat.secret", "chat.sid"])
  func rotates(name: String) throws {
    let project = try project()
    let before = try #require(try own(project).first)
    let rotated = try project.sandbox.keyplan("keys", "rotate", name, "--yes")
    #expect(rotated.code == 0, "\(rotated.out)\(rotated.err)")
    let after = try own(project)
    #expect(after.count == 1 && after.first != before)
    try expectBoth(project)
    #expect(try project.isConverged())
  }

  @Test("the old key is valid while one of them cannot be written", arguments: ["app.json", "web.json"])
  func unwritable(file: String) throws {
    let project = try project()
    let content = try #require(project.sandbox.content(of: file))
    try project.sandbox.write("neither JSON nor empty", to: file)
    let rotated = try project.sandbox.keyplan("keys", "rotate", "chat", "--yes")
    #expect(rotated.code != 0)
    #expect(try own(project).count == 2, "\(rotated.out)\(rotated.err)")
    #expect(
      (rotated.out + rotated.err).contains("not revoked: target.\(file == "app.json" ? "app" : "web")"),
      "\(rotated.out)")
    try project.sandbox.write(String(decoding: content, as: UTF8.self), to: file)
    let applied = try project.sandbox.keyplan("apply", "--yes")
    #expect(applied.code == 0, "\(applied.out)\(applied.err)")
    #expect(try own(project).count == 1)
    try expectBoth(project)
  }

  @Test(
    "each command takes the name of the key or of a part, and means the whole key",
    arguments: ["chat", "chat.secret", "chat.sid"])
  func names(name: String) throws {
    let project = try project(overlap: "1h")
    func run(_ arguments: String...) throws -> ProgramRun.Answer {
      let answer = try project.sandbox.start([Shell.program] + arguments).wait()
      #expect(answer.code == 0, "\(arguments): \(answer.out)\(answer.err)")
      return answer
    }
    _ = try run("keys", "rotate", "chat", "--yes")
    #expect(try own(project).count == 2)
    let shown = try run("show", name).out
    #expect(shown.contains("key.chat.s") && shown.contains("made"))
    if name == "chat" {
      for part in ["secret", "sid"] {
        #expect(shown.contains("key.chat.\(part)"))
        #expect(try run("show", "key.chat", "--json").out.contains("chat.\(part)"))
        #expect(try run("keys", "history", "key.chat").out.contains("key.chat.\(part)"))
      }
      let refused = try project.sandbox.keyplan("get", "chat")
      #expect(refused.code == 1 && refused.err.contains("Key has several parts"))
    }
    // Both parts of the first key, which is still valid.
    _ = try run("keys", "rollback", name, "--to", "1", "--yes")
    _ = try run("apply", "--yes")
    let first = try #require(try own(project).first)
    #expect(try project.held(by: "app.json") == ["VALUE_SID": first.id])
    #expect(try project.held(by: "web.json")["VALUE_SECRET"].map(first.value.contains) == true)
    _ = try run("keys", "revoke", name, "--yes", "--store-only")
    for part in ["chat.secret", "chat.sid"] {
      let refused = try project.sandbox.keyplan("get", part)
      #expect(refused.code == 1 && refused.err.contains("Key is revoked"), "\(part): \(refused.err)")
    }
    _ = try run("apply", "--yes")
    try expectBoth(project)
    #expect(try !own(project).contains(first))
    // The revoked key does not come back, nor a part of it.
    for part in ["chat", "chat.secret", "chat.sid"] {
      let refused = try project.sandbox.keyplan("keys", "rollback", part, "--to", "1", "--yes")
      #expect(refused.code == 1 && refused.err.contains("Version is revoked"), "\(part): \(refused.err)")
    }
    _ = try run("keys", "purge", name, "--yes")
    _ = try run("keys", "forget", name, "--yes", "--allow-forget")
    _ = try run("keys", "rollback", name, "--yes")
    #expect(try project.isConverged())
  }

  @Test("a key is renamed by its own name: all parts keep their values, and no key is made") func renames() throws {
    let project = try project()
    let before = (try own(project), try project.held(by: "app.json"), try project.held(by: "web.json"))
    func run(_ arguments: String...) throws -> ProgramRun.Answer {
      try project.sandbox.start([Shell.program] + arguments).wait()
    }
    let part = try run("keys", "rename", "chat.secret", "talk")
    #expect(part.code == 64 && part.err.contains("keyplan keys rename chat talk"), "\(part.err)")
    let renamed = try run("keys", "rename", "chat", "talk")
    #expect(renamed.code == 0, "\(renamed.out)\(renamed.err)")
    let manifest = String(decoding: try #require(project.sandbox.content(of: "keyplan.yaml")), as: UTF8.self)
    #expect(manifest.contains("{ moved: chat, to: talk }") && !manifest.contains("chat."), "\(manifest)")
    let plan = try run("plan")
    #expect(plan.code == 0 && plan.out.contains("Plan: 2 to move."), "\(plan.out)\(plan.err)")
    let applied = try run("apply", "--yes")
    #expect(applied.code == 0, "\(applied.out)\(applied.err)")
    #expect(try own(project) == before.0)
    #expect(try project.held(by: "app.json") == before.1 && project.held(by: "web.json") == before.2)
    #expect(try run("plan").out.contains("No changes"))
    let rotated = try run("keys", "rotate", "talk", "--yes")
    #expect(rotated.code == 0, "\(rotated.out)\(rotated.err)")
    try expectBoth(project)
    // A removed key leaves the targets with its parts.
    let removed = try run("keys", "remove", "talk", "--yes")
    #expect(removed.code == 0, "\(removed.out)\(removed.err)")
    #expect(!String(decoding: project.sandbox.content(of: "keyplan.yaml") ?? [], as: UTF8.self).contains("talk."))
  }
}
