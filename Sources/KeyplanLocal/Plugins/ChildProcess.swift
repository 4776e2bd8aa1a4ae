import CSpawn
import KeyplanAge
import KeyplanSecrets

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A program with a connection to it. Its standard error is dropped.
final class ChildProcess {
  private let program: StartedProgram
  /// Sockets, as a pipe without a reader would raise SIGPIPE.
  private let input: Int32
  private let output: Int32
  private var buffer = [UInt8](repeating: 0, count: 4096)
  private var filled = 0..<0
  private var isOpen = true

  /// The maximum duration of one wait in milliseconds, after which a cancellation is noticed.
  private static let waiting: Int32 = 100
  /// The number of 5 ms waits for a program to clean up after SIGINT.
  private static let cleaningUp = 400

  init(
    _ path: String, _ arguments: [String], environment: [String: String], directory: String
  ) throws(PluginFault) {
    guard let (input, theirInput) = Self.connection() else { throw Self.failed }
    guard let (output, theirOutput) = Self.connection() else {
      close(input)
      close(theirInput)
      throw Self.failed
    }
    defer {
      close(theirInput)
      close(theirOutput)
    }
    do throws(StartedProgram.Refusal) {
      program = try StartedProgram(
        path, arguments, environment: environment, directory: directory,
        keyplan_streams(input: theirInput, output: theirOutput, error: -1))
    } catch {
      close(input)
      close(output)
      throw .notRun("the system cannot start it: \(error.reason)")
    }
    (self.input, self.output) = (input, output)
  }

  private static let failed = PluginFault.notRun("the system cannot start it")

  // MARK: Talking

  enum Read {
    case byte(UInt8)
    /// There is nothing yet.
    case nothing
    /// The program has closed its output.
    case ended
  }

  func readByte() -> Read {
    if filled.isEmpty {
      let count = buffer.withUnsafeMutableBytes { bytes in retrying { recv(output, bytes.baseAddress, bytes.count, 0) }
      }
      guard count != 0 else { return .ended }
      guard count > 0 else { return errno == EAGAIN || errno == EWOULDBLOCK ? .nothing : .ended }
      filled = 0..<count
    }
    defer {
      // It may be part of a file key.
      buffer[filled.lowerBound] = 0
      filled = filled.dropFirst()
    }
    return .byte(buffer[filled.lowerBound])
  }

  /// The number of bytes that the program's connection took; nil if the program has closed it.
  func write(_ bytes: ArraySlice<UInt8>) -> Int? {
    let count = bytes.withUnsafeBytes { bytes in
      retrying { send(input, bytes.baseAddress, bytes.count, Self.withoutSignal) }
    }
    if count < 0 { return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : nil }
    return count
  }

  /// Waits a moment until there is something to read or room to write.
  func wait(forInput: Bool) -> Bool {
    var entry = pollfd(fd: forInput ? output : input, events: Int16(forInput ? POLLIN : POLLOUT), revents: 0)
    return poll(&entry, 1, Self.waiting) > 0
  }

  // MARK: Ending

  /// Closes the connection, lets the program clean up, and ends the rest of it and its child processes.
  func end() {
    guard isOpen else { return }
    isOpen = false
    close(input)
    close(output)
    kill(program.number, SIGINT)
    for _ in 0..<Self.cleaningUp where !program.hasEnded { _ = poll(nil, 0, 5) }
    _ = program.end()
    buffer.withUnsafeMutableBytes { zero($0) }
  }

  deinit { end() }

  // MARK: Starting

  /// Our end, which does not block, and theirs.
  private static func connection() -> (ours: Int32, theirs: Int32)? {
    var ends: [Int32] = [-1, -1]
    #if canImport(Glibc)
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else { return nil }
    #else
    guard socketpair(AF_UNIX, SOCK_STREAM, 0, &ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var yes: Int32 = 1
    setsockopt(ends[0], SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
    #endif
    _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
    return (ends[0], ends[1])
  }

  #if canImport(Glibc)
  private static let withoutSignal = Int32(MSG_NOSIGNAL)
  #else
  private static let withoutSignal: Int32 = 0
  #endif
}
