public import Foundation

/// A folder of its own for one test, gone when the test is.
public final class Scratch: Sendable {
  /// Its absolute path, without links.
  public let path: String

  /// Makes the folder.
  public init() throws {
    let template = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path + "/keyplan-XXXXXX"
    var name = Array(template.utf8CString)
    guard mkdtemp(&name) != nil else { throw CocoaError(.fileWriteUnknown) }
    path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    // What a test closed to everybody is closed to whoever is not root.
    if geteuid() != 0 { _ = try? Child.run(["chmod", "-R", "u+rwx", path]) }
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The path of a name in it.
  public subscript(name: String) -> String { path + "/" + name }

  /// Writes a file, and gives back its path.
  @discardableResult
  public func write(_ text: String, to name: String, mode: mode_t = 0o600) throws -> String {
    if mode & 0o100 != 0 {
      try ProgramFile.write(text, to: self[name], mode: mode)
    } else {
      try Data(text.utf8).write(to: URL(fileURLWithPath: self[name]))
      try check(chmod(self[name], mode))
    }
    return self[name]
  }

  /// What a file holds.
  public func text(_ name: String) throws -> String { try String(contentsOfFile: self[name], encoding: .utf8) }

  /// All names in it, sorted.
  public func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }

  /// Makes a folder.
  public func folder(_ name: String) throws { try check(mkdir(self[name], 0o700)) }

  /// Makes a symbolic link.
  public func link(_ name: String, to target: String) throws { try check(symlink(target, self[name])) }

  /// Makes a named pipe.
  public func pipe(_ name: String) throws { try check(mkfifo(self[name], 0o600)) }

  private func check(_ result: Int32) throws {
    guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
  }
}
