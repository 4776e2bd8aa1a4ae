public import Foundation

/// A Python program among a test's fixtures that serves on this machine. It says on its first line where.
public final class FixtureServer: Sendable {
  private let process: Process
  /// It ends at the end of its standard input, and so with this process, however that ends.
  private let input = Pipe()
  /// What it said first, without the line feed.
  public let greeting: Data

  /// It ended before it said anything.
  public struct NotStarted: Error {}

  /// - Parameter words: the script's path and its arguments.
  public init(_ words: [String]) throws {
    let output = Pipe()
    process = Child.process(["python3"] + words)
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    var line = Data()
    while line.last != UInt8(ascii: "\n") {
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { throw NotStarted() }
      line.append(more)
    }
    greeting = line.dropLast()
  }

  deinit {
    // Not SIGTERM: Swift's threads block it, and what they start inherits that.
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
