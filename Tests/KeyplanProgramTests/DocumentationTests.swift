import Foundation
import PostgresForTests
import Testing

/// The pages of `docs/` say what the program does: what they show is run, what they list is compared with the program.
/// `KEYPLAN_TEST_RECORD=docs/NAME.md` puts what is shown now into the page, and fails.
@Suite("The documentation")
struct DocumentationTests {
  static let pages = ["docs", "docs/backends"].flatMap { folder in
    ((try? FileManager.default.contentsOfDirectory(atPath: ReadmeTests.root.appending(path: folder).path)) ?? [])
      .filter { $0.hasSuffix(".md") }.sorted().map { "\(folder)/\($0)" }
  }
  /// Those whose store is on a server.
  static let shared = ["docs/shared-store.md"]

  static func text(_ page: String) throws -> String {
    try String(contentsOf: ReadmeTests.root.appending(path: page), encoding: .utf8)
  }

  @Test("gives what its console blocks show", arguments: pages.filter { !shared.contains($0) })
  func walk(page: String) throws { try walk(page, on: nil) }

  @Test("gives what its console blocks show, on a server", needsServer, arguments: shared)
  func walkShared(page: String) throws {
    let server = try PostgresServer.shared.get()
    try server.sql("CREATE DATABASE secrets OWNER keyplan")
    try walk(page, on: server)
  }

  private func walk(_ page: String, on server: PostgresServer?) throws {
    let written = Walkthrough(try Self.text(page))
    guard written.commands > 0 else { return }
    var run = try WalkthroughRun(written, copying: nil, on: server)
    let found = try run.run(written)
    guard ProcessInfo.processInfo.environment["KEYPLAN_TEST_RECORD"] == page else { return }
    try Data(found.text.utf8).write(to: ReadmeTests.root.appending(path: page))
    Issue.record("\(page) was recorded: read it, and run again without KEYPLAN_TEST_RECORD")
  }

  @Test("has manifests that are valid", arguments: ["README.md"] + pages)
  func manifests(page: String) throws {
    for block in try Self.text(page).matches(of: /```yaml\n(version: 1\n(?s).*?)```/) {
      let shell = try Shell()
      try shell.write([String(block.1)], to: "keyplan.yaml")
      let answer = try shell.run("keyplan validate")
      #expect(answer.code == 0, "\(block.1)\(answer.err.joined(separator: "\n"))")
    }
  }

  @Test(
    "links only to files and headings that exist", arguments: ["README.md", "CONTRIBUTING.md", "SECURITY.md"] + pages)
  func links(page: String) throws {
    let folder = ReadmeTests.root.appending(path: page).deletingLastPathComponent()
    for link in try Self.text(page).matches(of: /\]\(([^)#:]*)(#[^)]*)?\)/) {
      let file = link.1.isEmpty ? ReadmeTests.root.appending(path: page) : folder.appending(path: String(link.1))
      #expect(FileManager.default.fileExists(atPath: file.path), "\(page): \(link.0)")
      guard let anchor = link.2 else { continue }
      let headings = try String(contentsOf: file, encoding: .utf8).matches(of: /\n#+ (.+)/).map { heading in
        "#"
          + heading.1.lowercased().filter { $0.isLetter || $0.isNumber || " -_".contains($0) }.replacing(" ", with: "-")
      }
      #expect(headings.contains(String(anchor)), "\(page): \(link.0)")
    }
  }

  @Test("names only tests that exist, as proofs of what it promises", arguments: ["SECURITY.md", "ARCHITECTURE.md"])
  func proofs(page: String) throws {
    let tests = ReadmeTests.root.appending(path: "Tests")
    let files = FileManager.default.enumerator(atPath: tests.path)?.compactMap { $0 as? String } ?? []
    let named = try Self.text(page).matches(of: /`((?:Keyplan\w+\/)?\w+Tests)`/).map { String($0.1) }
    #expect(named.count > 5)
    for name in named where !files.contains(where: { "/\($0)".hasSuffix("/\(name).swift") }) {
      let isModule = FileManager.default.fileExists(atPath: tests.appending(path: name).path)
      #expect(isModule, "\(page): \(name)")
    }
  }

  @Test("the README is short enough to be read") func length() throws {
    #expect(try Self.text("README.md").split(separator: "\n", omittingEmptySubsequences: false).count <= 151)
  }
}
