import Foundation
import PostgresForTests
import Testing

/// `keyplan watch` without a command.
@Suite("keyplan watch writes changes")
struct WatchStreamTests {
  private struct Line: Decodable, Equatable {
    let item: String
    let kind: String
    let key: String
    let provider: String
    let version: Int
    let formatVersion: Int

    init(_ item: String, _ kind: String, _ key: String, _ version: Int) {
      (self.item, self.kind, self.key, self.version) = (item, kind, key, version)
      (provider, formatVersion) = ("generic", 1)
    }
  }

  private func lines(_ run: ProgramRun) throws -> [Line] {
    try run.out.split(separator: "\n").map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
  }

  private func sees(_ expected: [Line], _ run: ProgramRun, _ project: WatchProject) throws {
    try project.waits("\(expected)", for: run) { run.out.split(separator: "\n").count >= expected.count }
    #expect(try lines(run) == expected)
  }

  /// All kinds of changes, one after the other.
  private func follow(_ project: WatchProject, every interval: String = "1s") throws {
    let run = try project.watch("--initial", "active.main", "key.one", "two", every: interval)
    var expected = [
      Line("active.main", "present", "one", 1), Line("key.one", "present", "one", 1),
      Line("key.two", "present", "two", 1),
    ]
    try sees(expected, run, project)
    try project.set("one", to: "canary-one-again")
    try project.apply()
    expected += [Line("active.main", "changed", "one", 2), Line("key.one", "changed", "one", 2)]
    try sees(expected, run, project)
    try project.must("keys", "activate", "two", "main")
    try project.apply()
    expected.append(Line("active.main", "switched", "two", 1))
    try sees(expected, run, project)
    try project.must("keys", "revoke", "one", "--yes")
    expected.append(Line("key.one", "revoked", "one", 2))
    try sees(expected, run, project)
    try project.set("one", to: "canary-one-at-last")
    try project.apply()
    expected.append(Line("key.one", "changed", "one", 3))
    try sees(expected, run, project)
    try project.must("keys", "forget", "one", "--yes")
    expected.append(Line("key.one", "removed", "one", 3))
    try sees(expected, run, project)
    kill(run.process, SIGTERM)
    let answer = run.wait()
    #expect(answer.code == 0 && answer.err == "" && !answer.out.contains("canary"), "\(answer)")
  }

  @Test("of every kind, each as a line at once, without values, and ends with 0 by a signal")
  func file() throws { try follow(try WatchProject()) }

  @Test("of a store on a server as soon as that announces them, however long the interval is", needsServer)
  func server() throws {
    try follow(try WatchProject(try ProgramSandbox.shared(on: try PostgresServer.shared.get())), every: "1h")
  }

  @Test("of everything, and nothing at first, without names")
  func all() throws {
    let project = try WatchProject()
    let run = try project.watch()
    // It has begun when it notices the first change.
    var count = 1
    while try lines(run).isEmpty, count < 200 {
      count += 1
      try project.set("two", to: "canary-\(count)")
      try project.apply()
      usleep(300_000)
    }
    let first = try #require(try lines(run).first)
    #expect(first == Line("key.two", "changed", "two", first.version))
    kill(run.process, SIGINT)
    #expect(run.wait().code == 0)
  }

  @Test("until nobody reads them, which it notices without a change, and says nothing about")
  func closed() throws {
    let project = try WatchProject()
    let pipe = "{ \(Shell.program) watch --initial; echo \"code $?\" >&2; } | head -1"
    let answer = try project.sandbox.start(["/bin/sh", "-c", pipe]).wait()
    #expect(answer.code == 0 && answer.err == "code 0\n", "\(answer)")
    #expect(answer.out.hasPrefix("{\"at\":"))
  }

  @Test("again after an outage, of which it warns once")
  func outage() throws {
    let project = try WatchProject()
    let run = try project.watch("one", "--initial")
    try project.waits("the present state", for: run) { run.out.contains("present") }
    let (store, away) = (project.sandbox.store, project.sandbox.store + ".away")
    #expect(rename(store, away) == 0)
    try project.waits("a warning", for: run) { run.err.contains("warning: Store not readable") }
    // Twice more it finds nothing.
    usleep(2_500_000)
    #expect(rename(away, store) == 0)
    try project.set("one", to: "canary-afterwards")
    try project.apply()
    try project.waits("the change", for: run) { run.out.contains("changed") }
    kill(run.process, SIGTERM)
    let answer = run.wait()
    #expect(answer.code == 0 && answer.err.components(separatedBy: "warning:").count == 2, "\(answer)")
  }
}
