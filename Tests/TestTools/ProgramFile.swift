public import Foundation

/// Writes programs that tests start at once.
public enum ProgramFile {
  /// Writes a program, for its owner or for everybody to run.
  ///
  /// Another process installs it. If this one wrote it, a child that another test starts at the same moment could still have
  /// it open for writing, and the system refuses to run such a file (`ETXTBSY`).
  public static func write(_ text: String, to path: String, mode: mode_t = 0o755) throws {
    let draft = path + ".draft"
    try Data(text.utf8).write(to: URL(fileURLWithPath: draft))
    defer { unlink(draft) }
    let code = try Child.run(["install", "-m", String(mode, radix: 8), draft, path])
    guard code == 0 else { throw CocoaError(.fileWriteUnknown) }
  }
}
