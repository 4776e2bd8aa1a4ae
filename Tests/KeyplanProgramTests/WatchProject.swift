import Foundation
import PostgresForTests
import Testing

/// A project with two keys and a slot, and a program that runs beside it.
struct WatchProject {
  let sandbox: ProgramSandbox

  init(_ sandbox: ProgramSandbox? = nil) throws {
    self.sandbox = try sandbox ?? ProgramSandbox()
    let made = try self.sandbox.keyplan("init")
    try #require(made.code == 0, "\(made)")
    try set("one", to: "canary-one")
    try set("two", to: "canary-two")
    let manifest = String(decoding: try #require(self.sandbox.content(of: "keyplan.yaml")), as: UTF8.self)
    let keys = ["one", "two"].map {
      "  \($0): { provider: generic, variable: \($0.uppercased()), source: file://\($0) }\n"
    }
    let at = try #require(manifest.range(of: "keys: {}"))
    try self.sandbox.write(
      manifest[..<at.lowerBound] + "keys:\n\(keys.joined())active:\n  main: [one, two]\n", to: "keyplan.yaml")
    try apply()
  }

  /// What a key's source has.
  func set(_ key: String, to value: String) throws { try sandbox.write(value + "\n", to: key) }

  func apply() throws { try must("apply", "--yes") }

  func must(_ words: String...) throws {
    let answer = try sandbox.start([Shell.program] + words).wait()
    try #require(answer.code == 0, "\(words): \(answer)")
  }

  /// Starts `keyplan watch`.
  func watch(_ words: String..., every interval: String = "1s") throws -> ProgramRun {
    try sandbox.start([Shell.program, "watch", "--every", interval] + words)
  }

  /// A script for `sh -c` that writes to the file `log` and goes on until it is ended.
  static func script(_ beginning: String) -> String {
    "\(beginning); echo \"start $ONE $TWO\" >>log; while :; do sleep 0.05; done"
  }

  /// Without blanks at the ends, which a variable that is not set leaves.
  var log: [String] {
    String(decoding: sandbox.content(of: "log") ?? [], as: UTF8.self).split(separator: "\n").map {
      $0.trimmingCharacters(in: .whitespaces)
    }
  }

  /// Waits until something holds.
  func waits(_ what: String, for run: ProgramRun, _ holds: () throws -> Bool) throws {
    let deadline = Deadline()
    while try !holds() {
      try #require(!deadline.isOver && !run.hasEnded, "\(what): \(log) \(run.out) \(run.err)")
      usleep(2000)
    }
  }

  /// The same for lines of the log.
  func logs(_ lines: [String], for run: ProgramRun) throws { try waits("\(lines)", for: run) { log == lines } }

  static func isAlive(_ process: pid_t) -> Bool { kill(process, 0) == 0 }
}
