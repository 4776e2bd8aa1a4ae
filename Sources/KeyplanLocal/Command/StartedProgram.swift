import CSpawn

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A program in its own session, so that it cannot prompt on the terminal and can be ended with all its child processes. They end with
/// keyplan, too, even if that is killed. It inherits no descriptors but its standard streams.
struct StartedProgram {
  let number: pid_t
  private let program: keyplan_program

  enum End: Equatable {
    case code(Int32)
    case signal(Int32)
  }

  /// The reason that it was not started: it did nothing.
  struct Refusal: Error {
    let step: keyplan_step
    /// The `errno`.
    let number: Int32

    /// The reason as the text after a colon.
    var reason: String {
      switch number {
      case EAGAIN: "the limit of processes is reached (ulimit -u, or that of a container)"
      case EMFILE, ENFILE: "too many files are open"
      default: String(cString: strerror(number))
      }
    }
  }

  /// - Parameter streams: its standard streams; -1 for none.
  init(
    _ path: String, _ arguments: [String], environment: [String: String], directory: String, _ streams: keyplan_streams
  ) throws(Refusal) {
    var program = keyplan_program()
    let refusal = Self.withStrings([path] + arguments) { arguments in
      Self.withStrings(environment.map { "\($0)=\($1)" }) { variables in
        keyplan_spawn(&program, path, arguments, variables, directory, streams)
      }
    }
    guard refusal.step == keyplan_step_started else { throw Refusal(step: refusal.step, number: refusal.number) }
    (self.program, number) = (program, program.number)
  }

  /// Does not reap it, so that its number stays in use.
  var hasEnded: Bool { keyplan_has_ended(number) != 0 }

  /// Kills the rest of it and its child processes. A process that left the session, such as an agent, is not killed.
  func end() -> End {
    let ending = keyplan_end(program)
    return ending.signal == 0 ? .code(ending.code) : .signal(ending.signal)
  }

  private static func withStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let copies = strings.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return body(copies + [nil])
  }
}
