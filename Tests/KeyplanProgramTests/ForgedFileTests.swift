import Foundation
import Testing

/// A branch with files that lie beside the store, which git checks out as files of whoever checks it out.
@Suite("A branch that brings files beside the store")
struct ForgedFileTests {
  private static let commands = [
    "plan", "get key", "drift", "env", "run -- true", "apply --yes", "keys", "doctor", "watch key", "trust",
    "backup b.age", "store rekey --yes", "init",
  ]

  /// A journal without pages that names a file for SQLite to delete, or one that sets a page of the store to zeros.
  private static func journal(naming victim: String?, of store: String) throws -> [UInt8] {
    func number(_ value: Int) -> [UInt8] { withUnsafeBytes(of: UInt32(value).bigEndian) { Array($0) } }
    let magic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
    let size = try Data(contentsOf: URL(filePath: store)).count / 4096
    var bytes = magic + number(victim == nil ? 1 : 0) + number(0) + number(size) + number(512) + number(4096)
    bytes += [UInt8](repeating: 0, count: 512 - bytes.count)
    guard let victim else { return bytes + number(2) + [UInt8](repeating: 0, count: 4096) + number(0) }
    let name = Array(victim.utf8)
    return bytes + number(0x4000_0000 / 4096 + 1) + name + number(name.count) + number(name.reduce(0) { $0 + Int($1) })
      + magic
  }

  /// The store is where it is by default, in the work tree, and a branch brings a file beside it.
  private static func attacked(
    _ name: String, mask: mode_t, _ content: (ProgramSandbox) throws -> [UInt8]
  ) throws -> ProgramSandbox {
    let machine = try PullRequest().machine()
    machine.variables["KEYPLAN_CHECKOUT"] = "trusted"
    let branch = machine.root + "/streams/branch"
    let settings = "git -c user.name=t -c user.email=t@example.com"
    try content(machine).withUnsafeBytes { bytes in
      try Data(bytes).write(to: URL(filePath: machine.root + "/tmp/forged"))
    }
    // The attacker's own clone, and the checkout of their branch here.
    let script = """
      set -e; umask 022; \(settings) clone -q . "$0"; cd "$0"; mkdir -p .keyplan; cp "$1" ".keyplan/$2"
      git add -f ".keyplan/$2"; \(settings) commit -q -m x; cd - >/dev/null
      echo .keyplan/ >>.git/info/exclude; umask \(String(mask, radix: 8)); git fetch -q "$0" HEAD; git checkout -q FETCH_HEAD
      """
    let forged = machine.root + "/tmp/forged"
    let done = try machine.start(["sh", "-c", script, branch, forged, name]).wait()
    try #require(done.code == 0, "\(done.err)")
    return machine
  }

  @Test(
    "deletes no file and changes nothing by a journal",
    arguments: [true, false], [0o022, 0o077] as [mode_t])
  func journal(isDeleting: Bool, mask: mode_t) throws {
    let machine = try Self.attacked("default.db-journal", mask: mask) { machine in
      try Self.journal(naming: isDeleting ? machine.identity : nil, of: machine.store)
    }
    let (store, identity) = (machine.content(of: ".keyplan/default.db"), machine.identity)
    let forged = machine.content(of: ".keyplan/default.db-journal")
    for command in Self.commands {
      let answer = try machine.start([Shell.program] + command.split(separator: " ").map(String.init)).wait()
      #expect(
        answer.code == (command.hasPrefix("run") ? 125 : 9), "\(command): \(answer.code)\n\(answer.out)\(answer.err)")
      #expect(access(identity, F_OK) == 0, "\(command)")
      #expect(machine.content(of: ".keyplan/default.db") == store, "\(command)")
      #expect(machine.content(of: ".keyplan/default.db-journal") == forged, "\(command)")
    }
    // Without it all is as it was.
    try #require(unlink(machine.store + "-journal") == 0)
    #expect(try machine.keyplan("get", "key").out == PullRequest.secret)
  }

  @Test("is refused with files of write-ahead logging", arguments: ["-wal", "-shm"])
  func writeAhead(ending: String) throws {
    let machine = try Self.attacked("default.db" + ending, mask: 0o077) { _ in Array(repeating: 7, count: 4096) }
    let store = machine.content(of: ".keyplan/default.db")
    for command in ["plan", "get key", "apply --yes"] {
      let answer = try machine.start([Shell.program] + command.split(separator: " ").map(String.init)).wait()
      #expect(answer.code == 9 && answer.err.contains("default.db" + ending), "\(command): \(answer.err)")
      #expect(machine.content(of: ".keyplan/default.db") == store)
      #expect(machine.content(of: ".keyplan/default.db" + ending)?.count == 4096)
    }
  }

  @Test(
    "that replaces the store is told as that, with the way back", arguments: ["a store", "something", "a lock"],
    [0o022, 0o077] as [mode_t])
  func replaced(kind: String, mask: mode_t) throws {
    let other = try PullRequest(keys: "other: { provider: openai, source: env://RECORDED }")
    let machine = try Self.attacked(kind == "a lock" ? "default.db.lock" : "default.db", mask: mask) { _ in
      kind == "a store" ? try #require(other.sandbox.content(of: ".keyplan/default.db")) : Array("something".utf8)
    }
    if kind == "a lock" {
      #expect(try machine.keyplan("get", "key").out == PullRequest.secret)
      let applied = try machine.keyplan("apply", "--yes")
      #expect([0, 9].contains(applied.code), "\(applied.err)")
      return
    }
    for command in ["get key", "plan", "doctor"] {
      let answer = try machine.start([Shell.program] + command.split(separator: " ").map(String.init)).wait()
      let words = (answer.out + answer.err).split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(answer.code == 9, "\(command): \(words)")
      #expect(words.contains("git tracks .keyplan/default.db"), "\(command): \(words)")
      #expect(words.contains("keyplan restore") && words.contains("keyplan store move"), "\(command): \(words)")
    }
  }

  @Test("is what doctor warns of where the store is in its default place, and init does not")
  func place() throws {
    let sandbox = try ProgramSandbox()
    try sandbox.write(".keyplan/\n", to: ".gitignore")
    try sandbox.commitAll()
    let made = try sandbox.keyplan("init")
    #expect(made.code == 0 && !made.err.contains("replaces the store"), "\(made.err)")
    let doctor = try sandbox.keyplan("doctor")
    let words = doctor.out.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("replaces the store") && words.contains("keyplan store move --to"), "\(words)")
    try sandbox.write("version: 1\nstore: kept/own.db\n", to: "keyplan.yaml")
    unlink(sandbox.project + "/keyplan.lock")
    let chosen = try sandbox.keyplan("init")
    #expect(chosen.err.contains("replaces the store"), "\(chosen.code) \(chosen.out)\(chosen.err)")
  }
}
