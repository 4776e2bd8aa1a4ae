import Foundation
import PostgresForTests
import Testing

/// The examples say what the program does, because they are run. `KEYPLAN_TEST_RECORD=examples/NAME` puts what is shown
/// now into the README, and fails.
@Suite("A recipe")
struct RecipeTests {
  static let folder = ReadmeTests.root.appending(path: "examples")
  static let names =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter {
      !["quickstart", "library", "server", "tool"].contains($0)
    }
    .sorted()

  /// Those whose store is on a server.
  static let shared = ["team"]

  @Test("gives what its README shows", arguments: names.filter { !shared.contains($0) })
  func walk(name: String) throws { try walk(name, on: nil) }

  @Test("gives what its README shows, on a server", needsServer, arguments: shared)
  func walkShared(name: String) throws {
    let server = try PostgresServer.shared.get()
    try server.sql("CREATE ROLE dba SUPERUSER LOGIN")
    try walk(name, on: server)
  }

  private func walk(_ name: String, on server: PostgresServer?) throws {
    let file = Self.folder.appending(path: name).appending(path: "README.md")
    let written = Walkthrough(try String(contentsOf: file, encoding: .utf8))
    #expect(written.day != nil, "say on which day it was written: Dates are as on 2026-11-21")
    #expect(written.commands >= 3)
    var run = try WalkthroughRun(
      written, copying: Self.folder.appending(path: name), on: server,
      with: RecipeServices.start(for: name))
    let found = try run.run(written)
    guard ProcessInfo.processInfo.environment["KEYPLAN_TEST_RECORD"] == "examples/\(name)" else { return }
    try Data(found.text.utf8).write(to: file)
    Issue.record("\(name) was recorded: read it, and run again without KEYPLAN_TEST_RECORD")
  }

  @Test("says what each of its files is for, and is linked from the README", arguments: names)
  func complete(name: String) throws {
    let folder = Self.folder.appending(path: name)
    let readme = try String(contentsOf: folder.appending(path: "README.md"), encoding: .utf8)
    let files = FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? []
    for file in files where file != "README.md" {
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: folder.appending(path: file).path, isDirectory: &isFolder)
      if !isFolder.boolValue { #expect(readme.contains("`\(file)`"), "\(name)/\(file)") }
    }
    let root = try String(contentsOf: ReadmeTests.root.appending(path: "README.md"), encoding: .utf8)
    #expect(root.contains("(examples/\(name))"))
  }

  /// `migrate` makes its own.
  @Test("has manifests in canonical form", arguments: names.filter { $0 != "migrate" } + ["quickstart"])
  func canonical(name: String) throws {
    let folder = Self.folder.appending(path: name)
    try #require(FileManager.default.fileExists(atPath: folder.appending(path: "keyplan.yaml").path))
    let answer = try Shell().run("cd '\(folder.path)' && keyplan fmt --check")
    #expect(answer.code == 0, "\(answer.out.joined(separator: "\n"))")
  }
}
