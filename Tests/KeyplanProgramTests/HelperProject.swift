import Foundation
import Testing

/// A project with a store, and beside it a folder of a stranger in which programs run helpers.
struct HelperProject {
  let sandbox: ProgramSandbox
  /// The stranger's folder: it has a manifest, a store and a keyplan.lock of its own.
  var hostile: String { sandbox.root + "/hostile" }
  var manifest: String { sandbox.project + "/keyplan.yaml" }

  static let values = ["token": "tok_Zq4vKt81xRbW0mYcJ7nHdL2p", "two-lines": "line-one\nline-two\n"]

  init(_ more: String = "") throws {
    sandbox = try ProgramSandbox()
    try #require(mkdir(hostile, 0o755) == 0 && mkdir(sandbox.root + "/bin", 0o755) == 0)
    try #require(symlink(Shell.program, sandbox.root + "/bin/keyplan") == 0)
    sandbox.variables["PATH"] = "\(sandbox.root)/bin:" + (sandbox.variables["PATH"] ?? "")
    for (name, value) in Self.values { try sandbox.write(value, to: name) }
    try sandbox.write("AKIAMADEUP\n", to: "id")
    try sandbox.write(
      """
      version: 1
      keys:
        token: { provider: generic, source: file://token }
        two-lines: { provider: generic, source: file://two-lines }
        aws-id: { provider: generic, source: file://id }
      active: { current: token }
      \(more)
      """, to: "keyplan.yaml")
    try #require(sandbox.keyplan("init").code == 0)
    let applied = try sandbox.keyplan("apply", "--yes")
    try #require(applied.code == 0, "\(applied.out)\(applied.err)")
    try settle()
  }

  /// What a stranger can put into a repository: a project in which the same names have other values.
  private func settle() throws {
    let script = """
      mkdir -p "$0"; cd "$0"
      sed s/tok_/stranger_/ '\(sandbox.project)/token' > token; cp '\(sandbox.project)/'{two-lines,id} .
      cp '\(manifest)' keyplan.yaml; mkdir home
      HOME=$0/home keyplan init && HOME=$0/home keyplan apply --yes
      """
    let made = try sandbox.start(["bash", "-ec", script, hostile]).wait()
    try #require(made.code == 0, "\(made.out)\(made.err)")
  }

  /// Runs the program in the stranger's folder.
  func helper(_ words: String..., input: String = "", variables: [String: String] = [:]) throws -> ProgramRun.Answer {
    try run(["keyplan", "helper"] + words + ["--manifest", manifest], input: input, variables: variables)
  }

  /// Runs any program there.
  func run(
    _ words: [String], input: String = "", variables: [String: String] = [:]
  ) throws -> ProgramRun.Answer {
    let settings = variables.map { "\($0.key)=\($0.value)" }
    return try sandbox.start(
      ["sh", "-c", "cd \"$0\" && exec env \"$@\"", hostile] + settings + words, input: .text(input)
    ).wait()
  }

  /// What a helper prints for a program's configuration.
  func setup(_ words: String...) throws -> String {
    let answer = try run(["keyplan", "helper"] + words + ["--manifest", manifest, "--setup"])
    try #require(answer.code == 0, "\(answer.err)")
    return answer.out
  }

  /// The lines of a setup between a comment with these words and the next empty line.
  func part(after words: String, of setup: String) throws -> String {
    let lines = setup.components(separatedBy: "\n")
    let start = try #require(lines.firstIndex { $0.hasPrefix("# ") && $0.contains(words) })
    return lines[(start + 1)...].prefix { !$0.isEmpty }.joined(separator: "\n") + "\n"
  }

  func write(_ text: String, to path: String, executable: Bool = false) throws {
    let file = URL(filePath: path)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
    if executable { chmod(path, 0o755) }
  }
}
