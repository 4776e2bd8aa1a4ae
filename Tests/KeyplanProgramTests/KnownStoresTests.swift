import Foundation
import Testing

/// The list of stores that a machine knows, as a person or a fault may leave it.
@Suite("Known stores")
struct KnownStoresTests {
  private func project() throws -> (sandbox: ProgramSandbox, list: URL, line: String) {
    let sandbox = try ProgramSandbox()
    try sandbox.write("value-1\n", to: "a.txt")
    try sandbox.write(
      "version: 1\nkeys: { a: { provider: generic, source: file://a.txt, variable: A } }\n", to: "keyplan.yaml")
    try #require(sandbox.keyplan("init").code == 0)
    try #require(sandbox.keyplan("apply", "--yes").code == 0)
    let list = URL(filePath: sandbox.home + "/.local/state/keyplan/known_stores")
    let lines = try String(contentsOf: list, encoding: .utf8).split(separator: "\n")
    return (sandbox, list, String(try #require(lines.first { !$0.hasPrefix("#") })))
  }

  @Test("a damaged line is an error for a project that no other line names, and for no other project")
  func damaged() throws {
    let (sandbox, list, line) = try project()
    try Data("/elsewhere default\n\(line)\n".utf8).write(to: list)
    #expect(try sandbox.keyplan("plan").code == 0)
    try Data("/elsewhere default\n".utf8).write(to: list)
    let refused = try sandbox.keyplan("plan")
    #expect(refused.code == 9 && refused.err.contains("Known stores are damaged"), "\(refused.err)")
  }

  @Test("a line that encodes the folder in another way names the same project")
  func encoded() throws {
    let (sandbox, list, line) = try project()
    let other = line.last == "0" ? "1" : "0"
    for (written, code) in [(line, 0), (line.dropLast() + other, 9)] as [(String, Int32)] {
      try Data("%2F\(written.dropFirst())\n".utf8).write(to: list)
      let answer = try sandbox.keyplan("plan")
      #expect(answer.code == code, "\(written): \(answer.err)")
    }
  }
}
