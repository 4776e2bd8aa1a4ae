import Foundation
import PostgresForTests
import Testing

/// Files that keyplan writes under a fixed name, as links that a branch has put there.
@Suite("A link in the place of a file that keyplan writes by itself")
struct OwnFileLinkTests {
  /// What a link may lead to, from `.keyplan`.
  static let destinations = ["default.db", "../.env", "../.git/config", "../keyplan.lock"]

  private func project() throws -> ProgramSandbox {
    let sandbox = try ProgramSandbox()
    try #require(sandbox.start(["git", "init", "-q", "."]).wait().code == 0)
    try sandbox.write("ONE=canary-one\n", to: ".env")
    try sandbox.write(
      """
      version: 1
      keys: { one: { provider: generic, source: "dotenv://.env#ONE" } }
      targets: { app: { type: dotenv, path: app.env, keys: { ONE: one } } }

      """, to: "keyplan.yaml")
    try #require(sandbox.keyplan("init").code == 0)
    try #require(sandbox.keyplan("apply", "--yes").code == 0)
    return sandbox
  }

  private func link(_ path: String, to destination: String) throws {
    try? FileManager.default.removeItem(atPath: path)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: destination)
  }

  @Test("changes nothing where it leads: the editor's schema", arguments: destinations)
  func schema(destination: String) throws {
    let sandbox = try project()
    try link(sandbox.project + "/.keyplan/keyplan.schema.json", to: destination)
    let path = sandbox.project + "/.keyplan/" + destination
    let before = try #require(FileManager.default.contents(atPath: path))
    for command in [["fmt"], ["init"]] {
      let answer = try sandbox.start([Shell.program] + command).wait()
      #expect(answer.code == 0 && answer.err.contains("Editor schema not written"), "\(answer.code) \(answer.err)")
      #expect(FileManager.default.contents(atPath: path) == before, "\(command)")
    }
    #expect(try sandbox.keyplan("get", "one").out == "canary-one")
  }

  @Test("changes nothing where it leads: a folder that the checkout made readable for others")
  func openFolder() throws {
    let sandbox = try ProgramSandbox()
    try sandbox.write("version: 1\nkeys: { one: { provider: generic, source: env://ONE } }\n", to: "keyplan.yaml")
    try sandbox.write("ONE=canary-one\n", to: ".env")
    let folder = sandbox.project + "/.keyplan"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    #expect(chmod(folder, 0o755) == 0)
    try sandbox.write("*\n", to: ".keyplan/.gitignore")
    let answer = try sandbox.keyplan("fmt")
    #expect(answer.code == 0 && answer.err.contains("Editor schema not written"), "\(answer.code) \(answer.err)")
    #expect(sandbox.content(of: ".keyplan/keyplan.schema.json") == nil)
  }

  @Test(
    "changes nothing where it leads: .gitignore", arguments: ["keyplan.lock", ".git/config", ".git/hooks/pre-commit"])
  func ignored(destination: String) throws {
    let sandbox = try project()
    if sandbox.content(of: destination) == nil { try sandbox.write("#!/bin/sh\nexit 0 &\n", to: destination) }
    let before = sandbox.content(of: destination)
    try link(sandbox.project + "/.gitignore", to: destination)
    let terminal = try Terminal()
    let run = try sandbox.start(
      ["setsid", "--ctty", "--wait", Shell.program, "init"], input: .file(terminal.path))
    let deadline = Deadline()
    while !run.err.contains("Add th"), !run.hasEnded, !deadline.isOver { usleep(1000) }
    try terminal.type("yes\n")
    let answer = run.wait()
    #expect(sandbox.content(of: destination) == before, "\(answer.out)\(answer.err)")
    #expect(!(answer.out + answer.err).contains("added"), "\(answer.out)\(answer.err)")
  }
}
