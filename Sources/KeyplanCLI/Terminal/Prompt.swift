internal import KeyplanReporting
internal import KeyplanSecrets

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Prompts on the terminal; never on standard input, which may be a pipe.
enum Prompt {
  /// Asks a question that only `yes` confirms. False without a terminal.
  /// - Throws: `interrupted` after Ctrl-C, SIGTERM or SIGHUP.
  static func confirms(_ question: String) throws(Failure) -> Bool {
    var asked = question + (question.hasSuffix("\n") ? "" : " ") + "Type `yes` to confirm: "
    for _ in 0..<3 {
      guard let answer = try line(asked, hidden: false) else { return false }
      let text = answer.withBytes { String(decoding: $0.prefix(8), as: UTF8.self) }
      if text == "yes" { return true }
      // Meant as yes, but possibly typed ahead for another question.
      guard ["y", "yes", "yes."].contains(text.filter({ !$0.isWhitespace }).lowercased()) else { return false }
      asked = "Type the whole word `yes` to confirm: "
    }
    return false
  }

  /// Asks for a secret without showing it. Nil without a terminal, or when nothing was typed.
  /// - Throws: `interrupted` after Ctrl-C, SIGTERM or SIGHUP.
  static func secret(_ question: String) throws(Failure) -> SecretBox? {
    guard let answer = try line(question, hidden: true), answer.count > 0 else { return nil }
    return answer
  }

  /// Asks for a text that is shown while it is typed. Nil without a terminal, or when nothing was typed.
  /// - Throws: `interrupted` after Ctrl-C, SIGTERM or SIGHUP.
  static func text(_ question: String) throws(Failure) -> SecretBox? {
    guard let answer = try line(question, hidden: false), answer.count > 0 else { return nil }
    return answer
  }

  /// Whether there is a terminal.
  static var isPossible: Bool {
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    if terminal >= 0 { close(terminal) }
    return terminal >= 0
  }

  private static func line(_ question: String, hidden: Bool) throws(Failure) -> SecretBox? {
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard terminal >= 0 else { return nil }
    defer { close(terminal) }
    // Install signal handlers first: a signal after echo is disabled would leave the shell without echo.
    return try Interrupts.watching { () throws(Failure) in
      // Then disable echo, then prompt: type-ahead must neither be shown nor discarded.
      let silence = hidden ? Silence(of: terminal) : nil
      let output = Output(descriptor: terminal)
      output.write(question)
      do throws(Failure) {
        let answer = try readLine(terminal)
        silence?.end()
        // Ends the prompt's line, e.g. after Ctrl-D; otherwise the next message would continue on it.
        if hidden || answer == nil { output.write("\n") }
        return answer
      } catch {
        silence?.end()
        output.write("\n")
        throw error
      }
    }
  }

  private static func readLine(_ descriptor: Int32) throws(Failure) -> SecretBox? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(65536)
    var byte: UInt8 = 0
    while bytes.count < 65536 {
      guard Interrupts.waitToRead(descriptor) else {
        bytes.withUnsafeMutableBytes { zero($0) }
        throw Failure(.interrupted, "Interrupted", "Nothing was done.")
      }
      let count = read(descriptor, &byte, 1)
      if count < 0, errno == EINTR { continue }
      guard count == 1 else { break }
      if byte == UInt8(ascii: "\n") { return SecretBox(bytes) }
      bytes.append(byte)
    }
    return nil
  }
}

/// A terminal with echo disabled for the lifetime of this value.
private struct Silence {
  private let terminal: Int32
  private let before: termios

  /// Nil if echo cannot be disabled.
  init?(of terminal: Int32) {
    var before = termios()
    guard tcgetattr(terminal, &before) == 0 else { return nil }
    var silent = before
    silent.c_lflag &= ~tcflag_t(ECHO)
    self.terminal = terminal
    self.before = before
    tcsetattr(terminal, TCSADRAIN, &silent)
  }

  func end() {
    var before = before
    tcsetattr(terminal, TCSADRAIN, &before)
  }
}

/// Reads all of standard input, for values that are piped in.
enum StandardInput {
  /// Nil beyond the limit. The line break at the end of a single line is dropped.
  static func secret(limit: Int = 65536) -> SecretBox? {
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
    return SecretBox(lineOrLines: bytes)
  }
}
