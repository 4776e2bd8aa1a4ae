import Foundation
import Testing

/// `keyplan identity replace`: another key for the same recipient.
@Suite("Replacing an identity")
struct IdentityReplacementTests {
  private static let keys = "keys: { a: { provider: generic, source: file://a.txt, variable: A } }\n"

  /// An applied project of ada, whose identity is in her file, and of ci, which can only plan.
  private func sandbox(ci: String = "can: plan") throws -> ProgramSandbox {
    let sandbox = try ProgramSandbox()
    try sandbox.write("value-1\n", to: "a.txt")
    let ada = try sandbox.keyplan("identity", "new", "--quiet").out
    let job = try sandbox.keyplan("identity", "new", "--quiet", "--identity", sandbox.home + "/ci.txt").out
    try sandbox.write(
      "version: 1\nrecipients:\n  ada: \(ada)  ci: { key: \(job.trimmingCharacters(in: .newlines)), \(ci) }\n"
        + Self.keys, to: "keyplan.yaml")
    try #require(sandbox.keyplan("init").code == 0)
    try #require(sandbox.keyplan("apply", "--yes").code == 0)
    return sandbox
  }

  private func lines(of path: String) throws -> [String] {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
      .filter { $0.hasPrefix("AGE-SECRET-KEY-") }
  }

  private func opens(_ identity: String, in sandbox: ProgramSandbox) throws -> Int32 {
    let old = sandbox.variables["KEYPLAN_IDENTITY"]
    sandbox.variables["KEYPLAN_IDENTITY"] = identity
    defer { sandbox.variables["KEYPLAN_IDENTITY"] = old }
    return try sandbox.keyplan("keys").code
  }

  @Test("one's own: both open the store until the change is applied, then only the new one; nothing counts as exposed")
  func own() throws {
    let sandbox = try sandbox()
    let old = try lines(of: sandbox.identity)
    let replaced = try sandbox.keyplan("identity", "replace")
    #expect(replaced.code == 0, "\(replaced.err)")
    let both = try lines(of: sandbox.identity)
    try #require(both.count == 2 && both[0] == old[0])
    #expect(!replaced.out.contains(both[1]) && !replaced.err.contains(both[1]))
    // Before the change is applied, the new one is needed as well: nothing is removed.
    let early = try sandbox.keyplan("identity", "replace", "--finish", "--yes")
    #expect(early.code == 0 && early.out.hasPrefix("Nothing to remove"), "\(early.out)\(early.err)")
    #expect(try opens(both[1], in: sandbox) == 9)
    let applied = try sandbox.keyplan("apply", "--yes")
    #expect(applied.code == 0 && applied.out.contains("fresh root key"), "\(applied.out)\(applied.err)")
    #expect(try opens(old[0], in: sandbox) == 9)
    #expect(try opens(both[1], in: sandbox) == 0)
    let finished = try sandbox.keyplan("identity", "replace", "--finish", "--yes")
    #expect(finished.code == 0 && finished.out.hasPrefix("Removed from"), "\(finished.out)\(finished.err)")
    #expect(try lines(of: sandbox.identity) == [both[1]])
    #expect(try sandbox.keyplan("get", "a").out == "value-1")
    let drift = try sandbox.keyplan("drift")
    #expect(drift.code == 0 && drift.out.hasPrefix("No drift."), "\(drift.out)")
  }

  @Test("a recipient's own file is created, its role stays, and a job with both lines works before and after")
  func ofAJob() throws {
    let sandbox = try sandbox()
    let replaced = try sandbox.keyplan("identity", "replace", "ci", "--new", sandbox.home + "/new.txt")
    #expect(replaced.code == 0 && replaced.out.contains("can: plan"), "\(replaced.out)\(replaced.err)")
    let (old, new) = (try lines(of: sandbox.home + "/ci.txt")[0], try lines(of: sandbox.home + "/new.txt")[0])
    #expect(try opens(old + "\n" + new, in: sandbox) == 0)
    #expect(try sandbox.keyplan("apply", "--yes").code == 0)
    #expect(try opens(old, in: sandbox) == 9)
    #expect(try opens(new, in: sandbox) == 0)
    #expect(try opens(old + "\n" + new, in: sandbox) == 0)
    sandbox.variables["KEYPLAN_IDENTITY"] = new
    #expect(try sandbox.keyplan("get", "a").code == 9)
  }

  @Test("an identity that another store on this machine needs stays in the file")
  func otherStores() throws {
    let sandbox = try sandbox()
    let other = sandbox.root + "/other"
    try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
    try Data("version: 1\nkeys: {}\n".utf8).write(to: URL(filePath: other + "/keyplan.yaml"))
    try #require(sandbox.keyplan("init", "--manifest", other + "/keyplan.yaml").code == 0)
    try #require(sandbox.keyplan("identity", "replace").code == 0)
    try #require(sandbox.keyplan("apply", "--yes").code == 0)
    let finished = try sandbox.keyplan("identity", "replace", "--finish", "--yes")
    #expect(finished.code == 0 && finished.out.hasPrefix("Nothing to remove"), "\(finished.out)\(finished.err)")
    #expect(try lines(of: sandbox.identity).count == 2)
  }

  @Test("an identity in a variable, with a passphrase, or an SSH key needs a file of its own for the new one")
  func separateFile() throws {
    let sandbox = try sandbox(ci: "can: full")
    sandbox.variables["KEYPLAN_IDENTITY"] = try lines(of: sandbox.identity)[0]
    let variable = try sandbox.keyplan("identity", "replace")
    #expect(variable.code == 64 && variable.err.contains("Separate file required"), "\(variable.err)")
    sandbox.variables["KEYPLAN_IDENTITY"] = nil
    let manifest = sandbox.content(of: "keyplan.yaml")
    let protected = try sandbox.keyplan("identity", "replace", "--passphrase")
    #expect(protected.code == 64 && protected.err.contains("File required"), "\(protected.err)")
    // Created in its own file, it is not in use: the plan that would lock out the one who applies it is refused.
    let created = try sandbox.keyplan("identity", "replace", "--new", sandbox.home + "/new.txt", "--quiet")
    #expect(created.code == 0 && sandbox.content(of: "keyplan.yaml") != manifest, "\(created.err)")
    let refused = try sandbox.keyplan("apply", "--yes")
    let said = (refused.out + refused.err).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(refused.code == 7 && said.contains("would lose access"), "\(said)")
    let byOther = try sandbox.keyplan("apply", "--yes", "--identity", sandbox.home + "/ci.txt")
    #expect(byOther.code == 0, "\(byOther.err)")
  }

  @Test("a name that is not a recipient, or a key that differs between environments, changes nothing")
  func refused() throws {
    let sandbox = try sandbox()
    let manifest = sandbox.content(of: "keyplan.yaml")
    let unknown = try sandbox.keyplan("identity", "replace", "ca", "--new", sandbox.home + "/new.txt")
    #expect(unknown.code == 1 && unknown.err.contains("Did you mean ci?"), "\(unknown.err)")
    let other = try sandbox.keyplan("identity", "new", "--quiet", "--identity", sandbox.home + "/other.txt").out
    try sandbox.write(
      "recipients: { ci: { key: \(other.trimmingCharacters(in: .newlines)) } }\n", to: "keyplan.blue.yaml")
    let several = try sandbox.keyplan("identity", "replace", "ci", "--new", sandbox.home + "/new.txt")
    #expect(several.code == 1 && several.err.contains("another environment"), "\(several.err)")
    let marked = try sandbox.keyplan(
      "identity", "replace", "ada", "--new", sandbox.home + "/new.txt", "--kms",
      "arn:aws:kms:eu-central-1:123456789012:key/1234abcd")
    #expect(marked.code == 64 && marked.err.contains("Not marked as sealed"), "\(marked.err)")
    #expect(sandbox.content(of: "keyplan.yaml") == manifest)
    #expect(!FileManager.default.fileExists(atPath: sandbox.home + "/new.txt"))
  }
}
