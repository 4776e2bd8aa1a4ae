public import Foundation

/// A Python program among a test's fixtures that serves on this machine. It says on its first line where.
public final class FixtureServer: Sendable {
  private let process: Process
  /// It ends at the end of its standard input, and so with this process, however that ends.
  private let input = Pipe()
  /// What it said first, without the line feed.
  public let greeting: Data

  /// It ended before it said anything, or said nothing for minutes.
  public struct NotStarted: Error { let words: [String] }

  /// - Parameter words: the script's path and its arguments.
  public init(_ words: [String]) throws {
    let output = Pipe()
    process = Child.process(["python3"] + words)
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    var line = Data()
    while line.last != UInt8(ascii: "\n") {
      guard let more = output.waitedFor, !more.isEmpty else {
        kill(process.processIdentifier, SIGKILL)
        throw NotStarted(words: words)
      }
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

extension Pipe {
  /// The next bytes, none at the end; nil after five minutes without any, so that a server that hangs fails its tests and no others.
  var waitedFor: Data? {
    var waiting = pollfd(fd: fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&waiting, 1, 300_000) == 1 else { return nil }
    return fileHandleForReading.availableData
  }
}
