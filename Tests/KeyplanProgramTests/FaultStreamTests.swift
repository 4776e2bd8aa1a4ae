import Foundation
import Testing

/// Streams that nobody reads, that are closed or full: the work goes on.
@Suite("A program whose streams are gone")
struct FaultStreamTests {
  @Test(
    "does its work all the same, and writes into nothing else",
    arguments: [
      "| head -1", "| true", ">&-", "2>&-", "<&-", ">&- 2>&-", "<&- >&-", "<&- >&- 2>&-", ">/dev/full", "2>/dev/full",
      ">/dev/full 2>&1",
    ])
  func applies(ending: String) throws {
    let applied = try FaultProject.applied()
    let unbroken = try FaultProject.changed(applied)
    try #require(unbroken.keyplan("apply", "--yes", "--allow-forget").code == 0)
    let reference = try FaultOutcome(of: unbroken)
    for command in ["plan", "drift", "show", "keys", "apply --yes --allow-forget"] {
      let sandbox = try FaultProject.changed(applied)
      let before = try Self.contents(of: sandbox)
      let code = sandbox.root + "/code"
      let ran = try sandbox.start([
        "/bin/sh", "-c", "{ \"$0\" \(command); echo $? > \"$1\"; } \(ending)", Shell.program, code,
      ]).wait()
      // `2>/dev/full` and the like are the shell's business too: only the program's own code counts.
      let found = try String(contentsOfFile: code, encoding: .utf8)
      // A reader that has seen enough is no error; a result that cannot be written is one, also where there is no stream at all.
      let isLost = ending.split(separator: " ").contains { $0 == ">/dev/full" || $0 == ">&-" }
      let wanted = isLost ? "1\n" : command == "drift" ? "2\n" : "0\n"
      #expect(found == wanted, "\(command) \(ending): \(found)\(ran.out)\(ran.err)")
      if command.hasPrefix("apply") {
        try reference.expectSame(sandbox)
        #expect(sandbox.content(of: ".keyplan/default.db.lock") == [], "\(ending): something was written to the lock")
      } else {
        #expect(try Self.contents(of: sandbox) == before, "\(command) \(ending)")
      }
    }
  }

  @Test(
    "fails where its result cannot be written, whatever the result is",
    arguments: [
      "plan --json", "plan --format markdown", "drift --json", "keys", "keys list --json", "show --json", "schema plan",
      "completions bash", "env --format json", "identity show", "validate", "--help", "--version", "plan --help",
      "doctor", "providers", "backends", "backends --json",
      "frobnicate --json",
    ])
  func resultLost(command: String) throws {
    let sandbox = try FaultProject.applied()
    let run = try sandbox.start(["/bin/sh", "-c", "\"$0\" \(command) >/dev/full", Shell.program]).wait()
    #expect(run.code == (command.hasPrefix("frob") ? 64 : 1), "\(run.code) \(run.err)")
    #expect(run.err.contains("No space left on device"), "\(run.err)")
    let read = try sandbox.start([
      "/bin/sh", "-c", "\"$0\" \(command) 2>\"$1\" | true; cat \"$1\"", Shell.program, sandbox.root + "/err",
    ])
    #expect(!read.wait().out.contains("not written") || command.hasPrefix("env"), "a reader that is gone is no error")
  }

  @Test(
    "gives no value away in part: get, env and helpers fail when they cannot be written whole",
    arguments: ["get gamma", "env", "helper headers gamma --host h.example --manifest \"$PWD/keyplan.yaml\""])
  func failsWhole(command: String) throws {
    let sandbox = try FaultProject.applied()
    for ending in [">/dev/full", ">&-"] {
      let ran = try sandbox.start(["/bin/sh", "-c", "\"$0\" \(command) \(ending)", Shell.program]).wait()
      #expect(ran.code == 1, "\(command) \(ending): \(ran.code) \(ran.err)")
    }
  }

  private static func contents(of sandbox: ProgramSandbox) throws -> [String: Data] {
    Dictionary(
      uniqueKeysWithValues: sandbox.files(in: ["project", "home"]).compactMap { name in
        (try? Data(contentsOf: URL(filePath: sandbox.root + "/" + name))).map { (name, $0) }
      })
  }
}
