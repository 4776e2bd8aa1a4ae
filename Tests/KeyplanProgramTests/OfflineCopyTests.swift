import Foundation
import PostgresForTests
import Testing

/// `store: { offline: … }`: what readers are given while the store's server is unreachable.
@Suite("A store whose server is down", needsServer, .serialized)
struct OfflineCopyTests {
  private let server: PostgresServer

  init() throws { server = try PostgresServer() }

  private static let keys = """
    keys:
      a: { provider: generic, source: file://a.txt, variable: A, cache: { stale: 1h } }
      b: { provider: generic, source: file://b.txt, variable: B }
    active: { main: b }
    """

  private func sandbox(offline: String = "24h") throws -> ProgramSandbox {
    let sandbox = try ProgramSandbox.shared(on: server)
    let address = try #require(sandbox.variables["KEYPLAN_STORE"])
    sandbox.variables["KEYPLAN_STORE"] = nil
    let options = offline.isEmpty ? "" : ", offline: \(offline)"
    try sandbox.write("version: 1\nstore: { url: \"\(address)\"\(options) }\n" + Self.keys, to: "keyplan.yaml")
    for name in ["a", "b"] { try sandbox.write("canary-\(name)\n", to: "\(name).txt") }
    try #require(sandbox.keyplan("init", "--store", address).code == 0)
    let applied = try sandbox.keyplan("apply", "--yes")
    try #require(applied.code == 0, "\(applied.err)")
    return sandbox
  }

  private func folder(_ sandbox: ProgramSandbox) throws -> String {
    let offline = sandbox.home + "/.local/state/keyplan/offline"
    return offline + "/" + (try #require(FileManager.default.contentsOfDirectory(atPath: offline).first))
  }

  /// Changes the words of the note: name, serial, digest, start, since start, wall, latest.
  private func note(_ sandbox: ProgramSandbox, _ change: (inout [String]) throws -> Void) throws {
    let path = try folder(sandbox) + "/current"
    var words = try String(contentsOfFile: path, encoding: .utf8).split(separator: " ")
      .map { $0.trimmingCharacters(in: .newlines) }
    try change(&words)
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    try file.truncate(atOffset: 0)
    try file.write(contentsOf: Data((words.joined(separator: " ") + "\n").utf8))
    try file.close()
  }

  private func age(_ sandbox: ProgramSandbox, hours: Int64) throws {
    try note(sandbox) { words in
      words[4] = String(try #require(Int64(words[4])) - hours * 3_600_000_000_000)
      words[5] = String(try #require(Int64(words[5])) - hours * 3_600_000)
    }
  }

  @Test("get, env and run serve the copy within the time that the manifest allows, and say so")
  func serves() throws {
    let sandbox = try sandbox()
    #expect(try sandbox.keyplan("get", "a").out == "canary-a")
    try server.stop()
    for (words, out) in [
      (["get", "a"], "canary-a"), (["get", "active.main"], "canary-b"),
      (["env", "--only", "B"], "export B=canary-b\n"),
      (["run", "--", "sh", "-c", "echo $A $B"], "canary-a canary-b\n"),
    ] {
      let answer = try sandbox.start([Shell.program] + words).wait()
      #expect(answer.code == 0 && answer.out.replacing("'", with: "") == out, "\(words): \(answer)")
      #expect(answer.err.contains("Store is unreachable"), "\(answer.err)")
    }
    // Whoever plans or writes is given no copy.
    #expect(try sandbox.keyplan("plan").code == 8)
    #expect(try sandbox.keyplan("apply", "--yes").code == 8)
    try age(sandbox, hours: 2)
    let old = try sandbox.keyplan("get", "a")
    #expect(old.code == 8 && old.err.contains("may be kept for 60 minutes"), "\(old.err)")
    #expect(try sandbox.keyplan("get", "b").out == "canary-b")
    try age(sandbox, hours: 23)
    let over = try sandbox.keyplan("get", "b")
    #expect(over.code == 8 && over.out.isEmpty, "\(over)")
  }

  @Test("without the option, or in an untrusted checkout, no copy is made")
  func off() throws {
    let sandbox = try sandbox(offline: "")
    #expect(try sandbox.keyplan("get", "a").code == 0)
    let offline = sandbox.home + "/.local/state/keyplan/offline"
    #expect(!FileManager.default.fileExists(atPath: offline))
    let other = try self.sandbox()
    try? FileManager.default.removeItem(atPath: other.home + "/.local/state/keyplan/offline")
    other.variables["KEYPLAN_CHECKOUT"] = "untrusted"
    let address = other.content(of: "keyplan.yaml").map { String(decoding: $0, as: UTF8.self) } ?? ""
    other.variables["KEYPLAN_STORE"] = address.split(separator: "\"").first { $0.hasPrefix("postgres") }.map(
      String.init)
    let got = try other.keyplan("get", "a")
    #expect(got.code == 0, "\(got.err)")
    #expect(!FileManager.default.fileExists(atPath: other.home + "/.local/state/keyplan/offline"))
    try server.stop()
    #expect(try sandbox.keyplan("get", "a").code == 8)
    #expect(try other.keyplan("get", "a").code == 8)
  }

  @Test("the copy is sealed as the store is, and private")
  func sealed() throws {
    let sandbox = try sandbox()
    #expect(try sandbox.keyplan("get", "a").code == 0)
    let folder = try folder(sandbox)
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      let path = folder + "/" + name
      let bytes = try Data(contentsOf: URL(filePath: path))
      #expect(bytes.range(of: Data("canary".utf8)) == nil, "\(name)")
      let mode = try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
      #expect(mode & 0o077 == 0, "\(name)")
    }
    try server.stop()
    let stranger = try sandbox.keyplan("identity", "new", "--identity", sandbox.home + "/stranger.txt")
    #expect(stranger.code == 0)
    let refused = try sandbox.keyplan("get", "a", "--identity", sandbox.home + "/stranger.txt")
    #expect(refused.code == 8 && refused.out.isEmpty, "\(refused)")
  }

  @Test("a change is in the next copy, and who may not open the store any more loses the copy")
  func follows() throws {
    let sandbox = try sandbox()
    #expect(try sandbox.keyplan("get", "a").code == 0)
    try sandbox.write("canary-new\n", to: "a.txt")
    #expect(try sandbox.keyplan("apply", "--yes").code == 0)
    #expect(try sandbox.keyplan("get", "b").code == 0)
    let copies = try FileManager.default.contentsOfDirectory(atPath: try folder(sandbox)).filter { $0.hasSuffix(".db") }
    #expect(copies.count == 1, "\(copies)")
    try server.stop()
    #expect(try sandbox.keyplan("get", "a").out == "canary-new")
    try server.start()
    // Another recipient takes this one's place.
    let other = try sandbox.keyplan("identity", "new", "--quiet", "--identity", sandbox.home + "/other.txt").out
    let own = try sandbox.keyplan("identity", "show", "--quiet").out
    let manifest = String(decoding: try #require(sandbox.content(of: "keyplan.yaml")), as: UTF8.self)
    try sandbox.write(manifest + "\nrecipients:\n  ada: \(own)  eve: \(other)", to: "keyplan.yaml")
    #expect(try sandbox.keyplan("apply", "--yes").code == 0)
    try sandbox.write(manifest + "\nrecipients:\n  eve: \(other)", to: "keyplan.yaml")
    #expect(try sandbox.keyplan("apply", "--yes", "--identity", sandbox.home + "/other.txt").code == 0)
    #expect(try sandbox.keyplan("get", "a").code == 9)
    try server.stop()
    #expect(try sandbox.keyplan("get", "a").code == 8)
  }

  /// The same project on another machine.
  private func colleague(of sandbox: ProgramSandbox) throws -> ProgramSandbox {
    let other = try ProgramSandbox(copying: sandbox)
    try? FileManager.default.removeItem(atPath: other.home + "/.local/state/keyplan/offline")
    return other
  }

  @Test(
    "a key that was revoked or removed is not served, once this machine was told", arguments: ["revoked", "removed"])
  func told(how: String) throws {
    let sandbox = try sandbox()
    #expect(try sandbox.keyplan("get", "b").out == "canary-b")
    let other = try colleague(of: sandbox)
    if how == "revoked" {
      try #require(other.keyplan("keys", "revoke", "b", "--yes").code == 0)
    } else {
      let manifest = String(decoding: try #require(other.content(of: "keyplan.yaml")), as: UTF8.self)
      let kept = manifest.split(separator: "\n").filter { !$0.contains("  b:") && !$0.contains("active:") }
      try other.write(kept.joined(separator: "\n") + "\n", to: "keyplan.yaml")
      let applied = try other.keyplan("apply", "--yes", "--allow-forget")
      try #require(applied.code == 0, "\(applied.out)\(applied.err)")
    }
    let told = try sandbox.keyplan("get", "b")
    #expect(told.code != 0 && told.out.isEmpty, "\(told)")
    try server.stop()
    for words in [["get", "b"], ["run", "--only", "B", "--", "sh", "-c", "echo $B"], ["env", "--only", "B"]] {
      let answer = try sandbox.start([Shell.program] + words).wait()
      #expect(answer.code != 0 && !answer.out.contains("canary-b"), "\(words): \(answer)")
    }
    #expect(try sandbox.keyplan("get", "a").out == "canary-a", "the copy is up to date")
  }

  @Test("a copy that could not be brought up to date is gone, as is one that lacks what this machine did itself")
  func behind() throws {
    let sandbox = try sandbox()
    #expect(try sandbox.keyplan("get", "b").out == "canary-b")
    let other = try colleague(of: sandbox)
    try #require(other.keyplan("keys", "revoke", "b", "--yes").code == 0)
    // A directory in the place of the note that is written.
    let folder = try folder(sandbox)
    try #require(mkdir("\(folder)/current.keyplan-new", 0o700) == 0)
    let told = try sandbox.keyplan("get", "b")
    #expect(told.code != 0 && told.err.contains("No local copy"), "\(told)")
    try server.stop()
    #expect(try sandbox.keyplan("get", "b").out.isEmpty)
    try server.start()
    try? FileManager.default.removeItem(atPath: "\(folder)/current.keyplan-new")

    #expect(try sandbox.keyplan("get", "a").out == "canary-a")
    try #require(sandbox.keyplan("keys", "revoke", "a", "--yes").code == 0)
    try server.stop()
    let own = try sandbox.keyplan("get", "a")
    #expect(own.code != 0 && own.out.isEmpty, "\(own)")
  }

  @Test("a calendar that was set back does not make the copy younger")
  func clocks() throws {
    let sandbox = try sandbox()
    #expect(try sandbox.keyplan("get", "a").code == 0)
    try server.stop()
    // Another start of the machine, with a calendar that is earlier than it was seen.
    try note(sandbox) { words in
      words[3] = "another-start"
      words[6] = String(try #require(Int64(words[6])) + 3_600_000)
    }
    #expect(try sandbox.keyplan("get", "a").code == 8)
    // In the same start, the clock that nobody can set counts.
    try note(sandbox) { words in
      words[3] = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        .trimmingCharacters(in: .newlines)
      words[4] = String(try #require(Int64(words[4])) - 25 * 3_600_000_000_000)
      words[5] = String(try #require(Int64(words[5])) + 3_600_000)
    }
    #expect(try sandbox.keyplan("get", "b").code == 8)
  }
}
