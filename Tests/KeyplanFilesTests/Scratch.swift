import Foundation
import Testing

@testable import KeyplanFiles

/// A directory of its own for one test, gone when the test is.
final class Scratch {
  let path: String

  init() throws {
    let template = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path + "/keyplan-files-XXXXXX"
    var name = Array(template.utf8CString)
    path = try #require(mkdtemp(&name).map { String(cString: $0) })
  }

  deinit {
    _ = try? Child.run(["chmod", "-R", "u+rwx", path])
    try? FileManager.default.removeItem(atPath: path)
  }

  subscript(name: String) -> String { path + "/" + name }

  @discardableResult
  func write(_ text: String, to name: String, mode: mode_t = 0o600) throws -> String {
    try Data(text.utf8).write(to: URL(fileURLWithPath: self[name]))
    try #require(chmod(self[name], mode) == 0)
    return self[name]
  }

  func text(_ name: String) throws -> String { try String(contentsOfFile: self[name], encoding: .utf8) }

  func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }

  func link(_ name: String, to target: String) throws {
    try #require(symlink(target, self[name]) == 0)
  }
}

/// The permission bits of the name itself.
func mode(_ path: String) throws -> UInt32 {
  try #require(try Status.ofName(path, path: path)).mode
}

/// Another process, run to its end or to be killed.
enum Child {
  @discardableResult
  static func run(_ words: [String]) throws -> Int32 {
    let process = process(words)
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }

  static func process(_ words: [String]) -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    process.standardInput = FileHandle.nullDevice
    return process
  }
}

/// Gives up root for good, for what root is always allowed. For a child process only.
func becomeNobody() {
  guard geteuid() == 0 else { return }
  precondition(setgroups(0, nil) == 0 && setgid(65534) == 0 && setuid(65534) == 0, "cannot become nobody")
}
