internal import Dispatch
internal import KeyplanSecrets

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Asks the person at the terminal; never standard input, which may be a pipe.
enum Prompt {
  /// Asks a question to be answered with `yes`. False without a terminal.
  static func confirms(_ question: String) -> Bool {
    guard let answer = line(question, hidden: false) else { return false }
    return answer.withBytes { $0.elementsEqual("yes".utf8) }
  }

  /// Asks for a secret without showing it. Nil without a terminal, or when nothing was typed.
  static func secret(_ question: String) -> SharedSecret? {
    guard let answer = line(question, hidden: true), answer.count > 0 else { return nil }
    return answer
  }

  private static func line(_ question: String, hidden: Bool) -> SharedSecret? {
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard terminal >= 0 else { return nil }
    defer { close(terminal) }
    // First silence, then the question: what is typed quickly must not show, nor be thrown away.
    let silence = hidden ? Silence(of: terminal) : nil
    Output(descriptor: terminal).write(question)
    let answer = readLine(terminal)
    silence?.end()
    // Without a newline of its own, as after Ctrl-D, what is said next would go on in the question's line.
    if hidden || answer == nil { Output(descriptor: terminal).write("\n") }
    return answer
  }

  private static func readLine(_ descriptor: Int32) -> SharedSecret? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(65536)
    var byte: UInt8 = 0
    while bytes.count < 65536 {
      let count = read(descriptor, &byte, 1)
      if count < 0, errno == EINTR { continue }
      guard count == 1 else { break }
      if byte == UInt8(ascii: "\n") { return SharedSecret(bytes) }
      bytes.append(byte)
    }
    return nil
  }
}

/// A terminal that does not show what is typed, until it ends or Ctrl-C does: a shell would be left without echo.
private struct Silence {
  private let terminal: Int32
  private let before: termios
  private let interrupts: any DispatchSourceSignal

  /// Nil where the terminal cannot be silenced.
  init?(of terminal: Int32) {
    var before = termios()
    guard tcgetattr(terminal, &before) == 0 else { return nil }
    var silent = before
    silent.c_lflag &= ~tcflag_t(ECHO)
    self.terminal = terminal
    self.before = before
    signal(SIGINT, SIG_IGN)
    interrupts = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
    interrupts.setEventHandler { [before] in
      var before = before
      tcsetattr(terminal, TCSANOW, &before)
      signal(SIGINT, SIG_DFL)
      kill(getpid(), SIGINT)
    }
    // Asked only when somebody listens for Ctrl-C: one that came before would be lost, and the person would wait.
    let listening = DispatchSemaphore(value: 0)
    interrupts.setRegistrationHandler { listening.signal() }
    interrupts.resume()
    listening.wait()
    tcsetattr(terminal, TCSAFLUSH, &silent)
  }

  func end() {
    var before = before
    tcsetattr(terminal, TCSAFLUSH, &before)
    interrupts.cancel()
    signal(SIGINT, SIG_DFL)
  }
}

/// Reads all of standard input, for values that are piped in.
enum StandardInput {
  /// Nil beyond the limit. One newline at the end is dropped.
  static func secret(limit: Int = 65536) -> SharedSecret? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(limit + 1)
    var chunk = [UInt8](repeating: 0, count: 4096)
    while bytes.count <= limit {
      let count = chunk.withUnsafeMutableBytes { read(STDIN_FILENO, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      bytes.append(contentsOf: chunk[..<count])
    }
    chunk.withUnsafeMutableBytes { zero($0) }
    guard bytes.count <= limit else { return nil }
    if bytes.last == UInt8(ascii: "\n") {
      bytes.removeLast()
      if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
    }
    return SharedSecret(bytes)
  }
}
