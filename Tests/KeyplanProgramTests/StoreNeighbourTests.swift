import Foundation
import Testing

/// Whoever may write beside a store, as a pull request may into a store that lies in the work tree, puts something there.
@Suite("What lies beside a store and is no file")
struct StoreNeighbourTests {
  private static let commands = ["get delta", "plan", "drift", "apply --yes --allow-forget", "doctor"]

  @Test("is refused, not waited for", arguments: ["-journal", "-wal", "-shm"], commands)
  func beside(ending: String, command: String) throws {
    let sandbox = try FaultProject.changed(try FaultProject.applied())
    try #require(mkfifo(sandbox.store + ending, 0o600) == 0)
    let answer = try sandbox.start([Shell.program] + command.split(separator: " ").map(String.init)).wait()
    #expect(answer.code == 9, "\(answer.code)\(answer.out)\(answer.err)")
    let words = (answer.out + answer.err).split { $0.isWhitespace }.joined(separator: " ")
    #expect(words.contains("default.db\(ending) is not a regular file, but a named pipe"), "\(words)")
  }

  @Test("is refused in the place of its lock, too", arguments: ["pipe", "directory"])
  func lock(kind: String) throws {
    let sandbox = try FaultProject.changed(try FaultProject.applied())
    let path = sandbox.store + ".lock"
    unlink(path)
    try #require((kind == "pipe" ? mkfifo(path, 0o600) : mkdir(path, 0o700)) == 0)
    let answer = try sandbox.start([Shell.program, "apply", "--yes", "--allow-forget"]).wait()
    #expect(answer.code == 9 && answer.err.contains("default.db.lock"), "\(answer.code)\(answer.out)\(answer.err)")
  }
}
