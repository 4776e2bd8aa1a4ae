import FoundationEssentials

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The working directory of a command: one that the manifest declares, or a private empty one, so that no file of the
/// checkout can configure the program.
struct WorkingDirectory {
  let path: String
  private var isPrivate = false

  init(path: String) { self.path = path }

  /// Creates an empty directory with mode 0700; nil if that fails.
  init?(in variables: [String: String]) {
    let parent = variables["TMPDIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
    var template = Array((parent + "/keyplan-command-XXXXXX").utf8CString)
    guard let made = mkdtemp(&template) else { return nil }
    path = String(cString: made)
    isPrivate = true
  }

  /// Removes the private directory and anything that the program left in it.
  func remove() {
    guard isPrivate, rmdir(path) != 0 else { return }
    try? FileManager.default.removeItem(atPath: path)
  }
}
