import Foundation
import Testing

/// A folder of its own for one test, gone when the test is.
final class Scratch: Sendable {
  let path: String

  init() throws {
    let template = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path + "/keyplan-XXXXXX"
    var name = Array(template.utf8CString)
    path = try #require(mkdtemp(&name).map { String(cString: $0) })
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  subscript(name: String) -> String { path + "/" + name }

  func write(_ text: String, to name: String, mode: mode_t = 0o600) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: self[name]))
    try #require(chmod(self[name], mode) == 0)
  }

  func text(_ name: String) throws -> String { try String(contentsOfFile: self[name], encoding: .utf8) }

  func folder(_ name: String) throws { try #require(mkdir(self[name], 0o700) == 0) }

  func link(_ name: String, to target: String) throws { try #require(symlink(target, self[name]) == 0) }

  func pipe(_ name: String) throws { try #require(mkfifo(self[name], 0o600) == 0) }
}

/// Gives up root for good, for what root is always allowed. For a child process only.
func becomeNobody() {
  guard geteuid() == 0 else { return }
  precondition(setgroups(0, nil) == 0 && setgid(65534) == 0 && setuid(65534) == 0, "cannot become nobody")
}
