import Foundation
import Testing

/// A power failure keeps what was synchronized: first a file's content, then its name, then the folder with that name.
@Suite("Files are kept in the order content, name, folder", needsTracer)
struct DurabilityTests {
  struct Operation: CustomTestStringConvertible, Sendable {
    let words: [String]
    let renamed: Set<String>
    var removed: Set<String> = []
    var prepare: @Sendable () throws -> ProgramSandbox
    var testDescription: String { words.joined(separator: " ") }
  }

  /// One file is alone in its folder: in another, what is written after it would keep its removal, too.
  private static let targets = """
    version: 1
    keys: { a: { provider: generic, variable: A, source: file://a.txt } }
    targets:
      dotenv: { type: dotenv, path: t.env, keys: { A: a } }
      json: { type: json, path: t.json, keys: { A: a } }
      yaml: { type: yaml, path: t.yaml, keys: { A: a } }
      plist: { type: plist, path: t.plist, keys: { A: a } }
      file: { type: file, path: alone/t.txt, keys: { content: a } }

    """

  @Sendable private static func project(_ manifest: String = targets) throws -> ProgramSandbox {
    let sandbox = try ProgramSandbox()
    try sandbox.write("value\n", to: "a.txt")
    try FileManager.default.createDirectory(
      atPath: sandbox.project + "/alone", withIntermediateDirectories: false)
    try sandbox.write(manifest, to: "keyplan.yaml")
    try #require(sandbox.keyplan("init").code == 0)
    return sandbox
  }

  @Sendable private static func applied() throws -> ProgramSandbox {
    let sandbox = try project()
    let applied = try sandbox.keyplan("apply", "--yes")
    try #require(applied.code == 0, "\(applied)")
    return sandbox
  }

  private static let state = "home/.local/state/keyplan/"
  private static let operations = [
    Operation(words: ["identity", "new"], renamed: ["home/.config/keyplan/identity.txt"]) { try ProgramSandbox() },
    Operation(
      words: ["init"],
      renamed: ["home/.config/keyplan/identity.txt", "project/keyplan.yaml", "project/keyplan.lock"]
    ) { try ProgramSandbox() },
    Operation(
      words: ["apply", "--yes"],
      renamed: Set(["t.env", "t.json", "t.yaml", "t.plist", "alone/t.txt"].map { "project/" + $0 })
    ) { try project() },
    Operation(
      words: ["apply", "--yes", "--allow-forget"],
      renamed: ["app.env", "web.json", "moved.json"].reduce(into: []) { $0.insert("project/" + $1) }
    ) { try FaultProject.changed(try FaultProject.applied()) },
    Operation(words: ["destroy", "--yes"], renamed: ["project/t.json"], removed: ["project/alone/t.txt"]) {
      try applied()
    },
    Operation(words: ["plan", "--out", "plan.kp"], renamed: ["project/plan.kp"]) { try project() },
    Operation(
      words: ["drift", "--write-baseline", "base.json", "--until", "2099-01-01"], renamed: ["project/base.json"]
    ) { try applied() },
    Operation(words: ["backup", "b.age"], renamed: ["project/b.age"]) { try applied() },
    Operation(words: ["fmt"], renamed: ["project/keyplan.yaml"]) {
      try project("version: 1\nkeys:  { a: { variable: A, source: \"file://a.txt\", provider: generic } }\n")
    },
    Operation(words: ["keys", "rename", "a", "b"], renamed: ["project/keyplan.yaml"]) { try applied() },
    Operation(words: ["store", "rekey", "--yes"], renamed: ["project/keyplan.lock"]) { try applied() },
  ]

  @Test("by", arguments: operations)
  func kept(operation: Operation) throws {
    try FaultTracer.requireTracer()
    let sandbox = try operation.prepare()
    let trace = FileTrace(try FaultTracer(sandbox, operation.words, at: []).lines(of: FileTrace.names))
    func inside(_ paths: [String]) -> Set<String> {
      Set(paths.map { $0.replacingOccurrences(of: sandbox.root + "/", with: "") })
    }
    #expect(operation.renamed.isSubset(of: inside(trace.renamed)), "\(inside(trace.renamed))")
    #expect(operation.removed.isSubset(of: inside(trace.removed)), "\(inside(trace.removed))")
    for root in [sandbox.project, sandbox.home] { #expect(trace.unkept(below: root) == []) }
  }

  @Test("which is read from a trace")
  func reading() {
    func unkept(_ lines: String...) -> Int { FileTrace(lines.map { $0[...] }).unkept(below: "/k").count }
    let write = #"7 write(5</k/a.keyplan-new>, "x\n", 2) = 2"#
    let file = "7 fsync(5</k/a.keyplan-new>) = 0"
    let name = #"7 renameat(4</k>, "a.keyplan-new", 4</k>, "a") = 0"#
    let folder = "7 fsync(4</k>) = 0"
    #expect(unkept(write, file, name, folder) == 0)
    #expect(unkept(write, name, folder) == 1)
    #expect(unkept(write, file, name) == 1)
    #expect(unkept(write, file, folder, name) == 1)
    let exchange = #"7 renameat2(4</k>, "a.keyplan-new", 4</k>, "a", RENAME_EXCHANGE) = 0"#
    let old = #"7 unlinkat(4</k>, "a.keyplan-new", 0) = 0"#
    #expect(unkept(write, file, exchange, old, folder) == 0)
    #expect(unkept(write, exchange, old, folder) == 1)
    #expect(unkept(write, file, exchange, old) == 1)
    let away = #"7 renameat2(4</k>, "a", 4</k>, "a.keyplan-new", RENAME_NOREPLACE) = 0"#
    #expect(unkept(away, old, folder) == 0)
    #expect(unkept(away, old) == 1)
    #expect(unkept(file, write, name, folder) == 1)
    #expect(unkept(write, "7 fsync(5</k/a.keyplan-new>) = -1 EIO (Input/output error)", name, folder) == 1)
    #expect(
      unkept(
        write, "7 fsync(5</k/a.keyplan-new> <unfinished ...>", "8 write(1</x>, \"\", 0) = 0",
        "7 <... fsync resumed>) = 0", name, folder) == 0)
    #expect(unkept(#"7 unlinkat(4</k>, "a", 0) = 0"#) == 1)
    #expect(unkept(#"7 unlink("/k/a") = 0"#, folder) == 0)
    #expect(unkept(#"7 unlinkat(4</k>, "a.keyplan-new", 0) = 0"#) == 0)
    #expect(unkept(#"7 mkdir("/k/folder", 0700) = 0"#) == 1)
    #expect(unkept(#"7 mkdir("/other/folder", 0700) = 0"#) == 0)
  }
}
