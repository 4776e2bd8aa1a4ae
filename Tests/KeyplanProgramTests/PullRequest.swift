import Foundation
import Testing

/// A project in a git work tree that was applied once, and the CI jobs that plan changes of it.
struct PullRequest {
  /// A made-up value.
  static let secret = "made-up-value-4711-of-the-job"

  let sandbox: ProgramSandbox
  /// The public key to which the store is sealed, which everybody can read.
  let recipient: String
  /// A file that an attacker's program makes.
  var marker: String { sandbox.root + "/was-run" }
  var wasRun: Bool { access(marker, F_OK) == 0 }

  /// - Parameters:
  ///   - keys: what is declared, indented by two.
  ///   - prepare: writes files before the first apply.
  ///   - sealedTo: the recipient in the manifest, made of the sandbox's own.
  init(
    keys: String = "key: { provider: openai, source: env://RECORDED }", more: String = "",
    _ prepare: (ProgramSandbox) throws -> Void = { _ in }, recipient sealedTo: ((String) -> String)? = nil
  ) throws {
    sandbox = try ProgramSandbox()
    sandbox.variables["RECORDED"] = Self.secret
    try prepare(sandbox)
    try #require(sandbox.keyplan("init").code == 0)
    let shown = try sandbox.keyplan("identity", "show").out
    let own = String(try #require(shown.firstMatch(of: /age1[0-9a-z]+/)).output)
    recipient = own
    let others = sealedTo.map { "  victim: \($0(own))\n" } ?? ""
    try sandbox.write(
      "version: 1\nkeys:\n  \(keys)\n\(more)recipients:\n  ada: \(own)\n\(others)", to: "keyplan.yaml")
    try sandbox.commitAll()
    let applied = try sandbox.keyplan("apply", "--yes")
    try #require(applied.code == 0, "\(applied.out)\(applied.err)")
  }

  /// A job on a machine that keeps its home directory: nothing but what that machine remembers says which store is meant.
  func machine() -> ProgramSandbox {
    sandbox.variables["KEYPLAN_CHECKOUT"] = nil
    sandbox.variables["CI"] = "true"
    return sandbox
  }

  /// A job on a fresh machine: the same files and store, its environment that of CI.
  func runner() throws -> ProgramSandbox {
    let runner = try ProgramSandbox(copying: sandbox)
    runner.variables["KEYPLAN_CHECKOUT"] = nil
    runner.variables["CI"] = "true"
    // The job keeps its store outside of the checkout, and its settings name it.
    let outside = runner.root + "/store"
    try FileManager.default.moveItem(atPath: runner.project + "/.keyplan", toPath: outside)
    try FileManager.default.removeItem(atPath: runner.home + "/.local")
    runner.variables["KEYPLAN_STORE"] = outside + "/default.db"
    return runner
  }
}

extension ProgramSandbox {
  /// Changes a file of the project.
  func edit(_ name: String, _ change: (String) -> String) throws {
    let text = String(decoding: try #require(content(of: name)), as: UTF8.self)
    try write(change(text), to: name)
  }

  /// Commits everything in the project that is not ignored, in a repository that is made where there is none.
  func commitAll() throws {
    let settings = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main"]
    if access(project + "/.git", F_OK) != 0 { try git(settings + ["init", "-q"]) }
    try git(settings + ["add", "-A", "-f", "--", ".", ":!.keyplan"])
    try git(settings + ["commit", "-q", "--allow-empty", "-m", "x"])
  }

  private func git(_ arguments: [String]) throws {
    let answer = try start(["git"] + arguments).wait()
    try #require(answer.code == 0, "git \(arguments): \(answer.err)")
  }
}
