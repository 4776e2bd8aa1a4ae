public import Foundation

/// Another process, run to its end or to be killed.
public enum Child {
  /// What it answered.
  public struct Answer: Sendable {
    /// Its exit code.
    public let status: Int32
    /// What it wrote to standard output.
    public let bytes: [UInt8]
    /// The same as text.
    public var text: String { String(decoding: bytes, as: UTF8.self) }
  }

  /// Runs a program to its end.
  /// - Parameter words: its name, to be found in `PATH`, and its arguments.
  @discardableResult
  public static func run(_ words: [String]) throws -> Int32 {
    let process = process(words)
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Runs a program to its end, and takes what it writes.
  /// - Parameter errors: whether what it writes to standard error is among that, instead of nowhere.
  public static func answer(_ words: [String], errors: Bool = false) throws -> Answer {
    let (process, output) = (process(words), Pipe())
    process.standardOutput = output
    process.standardError = errors ? output as Any : FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Answer(status: process.terminationStatus, bytes: Array(data))
  }

  /// A program that is still to be started, with nothing on its standard input.
  public static func process(_ words: [String]) -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    process.standardInput = FileHandle.nullDevice
    return process
  }

  /// Gives up root for good, for what root is always allowed. For a child process only.
  public static func becomeNobody() {
    guard geteuid() == 0 else { return }
    precondition(setgroups(0, nil) == 0 && setgid(65534) == 0 && setuid(65534) == 0, "cannot become nobody")
  }
}
