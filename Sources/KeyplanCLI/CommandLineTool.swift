internal import ArgumentParser
internal import CProcess
internal import KeyplanManifest
internal import KeyplanOperations
internal import KeyplanReporting

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The program's entry point, and the only place where it exits.
package enum CommandLineTool {
  /// Must be called on the main thread before any other thread starts, which saves a tenth of a short command's time.
  package static func prepare() {
    #if canImport(Glibc)
    keyplan_use_one_arena()
    #endif
  }

  /// Runs the process's command line and exits with its code. A command that does not wait stays on
  /// the calling thread: starting others takes longer than reading a value.
  package nonisolated(nonsending) static func runAndExit() async -> Never {
    let terminal = Terminal(Hardening())
    do throws(Failure) {
      try ResourceLimits.check()
      let code = await run(try StartArguments.words(), on: terminal)
      exit(finish(code, on: terminal))
    } catch {
      terminal.report(error)
      exit(error.status.rawValue)
    }
  }

  /// Closes standard output.
  /// - Returns: the exit code; an incomplete result is an error.
  private static func finish(_ code: Int32, on terminal: Terminal) -> Int32 {
    guard let reason = terminal.out.finish() else { return code }
    let isFine = [ExitStatus.done, .changes].map(\.rawValue).contains(code)
    let failure = Failure(
      .failed, "Output not written",
      "Standard output could not be written: \(reason)." + (isFine ? " The command itself succeeded." : ""))
    terminal.report(failure)
    return isFine ? failure.status.rawValue : code
  }

  /// Runs one command and returns its exit code. One catch for everything: nothing uncaught ever prints itself.
  nonisolated(nonsending) static func run(_ arguments: [String], on terminal: Terminal) async -> Int32 {
    // A frequent request by scripts; the parser would load all commands first.
    if arguments == ["--version"] {
      terminal.out.write(Keyplan.version + "\n")
      return ExitStatus.done.rawValue
    }
    do {
      if arguments == ["--version", "--json"] || arguments == ["--json", "--version"] {
        terminal.out.write(try Document.text(LibraryChecks.version(Keyplan.version)))
        return ExitStatus.done.rawValue
      }
      if arguments == OptionsHelp.words {
        terminal.out.write(OptionsHelp.helpMessage(columns: max(terminal.out.columns ?? 80, 40)))
        return ExitStatus.done.rawValue
      }
      if let command = named(arguments) { return try await carryOut(command, on: terminal) }
      var parsed = try Keyplan.parseAsRoot(arguments)
      guard let command = parsed as? any KeyplanCommand else {
        // The parser's own help command, or a group without a command: running it throws the help to show.
        try parsed.run()
        return ExitStatus.done.rawValue
      }
      return try await carryOut(command, on: terminal)
    } catch {
      return end(error, of: arguments, on: terminal)
    }
  }

  private nonisolated(nonsending) static func carryOut(
    _ command: any KeyplanCommand, on terminal: Terminal
  ) async throws -> Int32 {
    if command.adoptsProcesses { keyplan_leave_first_process() }
    var terminal = terminal.with(command.globalOptions)
    // A single-threaded command is too short for spans, or becomes another program.
    if !command.isSingleThreaded { terminal = terminal.tracing("keyplan \(Keyplan.words(of: command))") }
    let writesJSON = command.writesJSON(on: terminal)
    let code: Int32
    do {
      try GlobalOptions.checkVariables()
      try command.checkForm()
      if !command.isSingleThreaded { try ResourceLimits.checkThreads() }
      code = try await command.run(on: terminal)
      await terminal.signIns.end()
    } catch {
      await terminal.signIns.end()
      code = try report(error, on: terminal, writesJSON: writesJSON)
    }
    if let warning = await terminal.trace?.finish(code: code) { TerminalConsole(terminal: terminal).warn(warning) }
    return code
  }

  static func report(_ error: any Error, on terminal: Terminal, writesJSON: Bool) throws -> Int32 {
    do {
      throw error
    } catch let failure as Failure {
      return try fail(failure, on: terminal, writesJSON: writesJSON)
    } catch let edit as RejectedEdit {
      terminal.err.write(
        DiagnosticText.render(edit.diagnostics, style: terminal.style(for: terminal.err)) { edit.lines[$0] } + "\n")
      return try fail(edit.failure, on: terminal, writesJSON: writesJSON)
    } catch let rejected as Project.Rejected {
      terminal.report(rejected)
      if writesJSON { terminal.out.write(try Document.text(ErrorDocument(.failed, rejected.project.diagnostics))) }
      return ExitStatus.failed.rawValue
    }
  }

  private static func fail(_ failure: Failure, on terminal: Terminal, writesJSON: Bool) throws -> Int32 {
    terminal.report(failure)
    if writesJSON { terminal.out.write(try Document.text(ErrorDocument(failure))) }
    return failure.status.rawValue
  }

  /// The command named by the first argument, parsed without loading all others, which would cost more than opening the
  /// store. Nil if that fails: then the whole tree parses it and produces help and errors.
  private static func named(_ arguments: [String]) -> (any KeyplanCommand)? {
    guard let name = arguments.first else { return nil }
    let rest = Array(arguments.dropFirst())
    if let plain = Keyplan.plain(name, rest) { return plain }
    guard let command = Keyplan.command(named: name) else { return nil }
    guard let group = command as? any CommandGroupTable.Type else {
      return (try? command.parseAsRoot(rest)) as? any KeyplanCommand
    }
    guard let (inner, words) = group.find(rest[...]) else { return nil }
    return (try? inner.parseAsRoot(Array(words))) as? any KeyplanCommand
  }

  /// Handles errors of the argument parser: help, version, or wrong usage.
  private static func end(_ error: any Error, of arguments: [String], on terminal: Terminal) -> Int32 {
    if arguments.first == "help", let unknown = UnknownCommand.find(in: Array(arguments.dropFirst())) {
      terminal.report(unknown.failure)
      return unknown.failure.status.rawValue
    }
    let isUnknown = arguments.first != "help" && UnknownCommand.find(in: arguments) != nil
    if Keyplan.exitCode(for: error) == .success, !isUnknown, !WrongUsage.asksVersionOfCommand(arguments) {
      var message = Keyplan.fullMessage(for: error, columns: max(terminal.out.columns ?? 80, 40))
      // Some messages of the parser end with a newline, others do not.
      while message.hasSuffix("\n") { message.removeLast() }
      if CommandPath(helpedIn: arguments).command is any KeyplanCommand.Type {
        message = OptionsHelp.leavingOut(message, columns: max(terminal.out.columns ?? 80, 40))
      }
      terminal.out.write(message + "\n")
      return ExitStatus.done.rawValue
    }
    let wrong = WrongUsage(error, of: arguments)
    terminal.with(wrong.options).report(wrong.failure)
    if wrong.isForProgram, let text = try? Document.text(ErrorDocument(wrong.failure)) { terminal.out.write(text) }
    return wrong.failure.status.rawValue
  }
}

/// A command with the global options.
///
/// With `--json` it always writes exactly one document to standard output: its result, as the last thing that can fail, or
/// the error.
protocol JSONCommand: KeyplanCommand {
  var options: GlobalOptions { get }
}

extension JSONCommand {
  var globalOptions: GlobalOptions? { options }

  func writesJSON(on terminal: Terminal) -> Bool { terminal.isJSON }
}

/// A command without JSON output. It ignores `KEYPLAN_JSON`, which applies to all commands.
protocol TextCommand: JSONCommand {
  var text: TextOptions { get }
}

extension TextCommand {
  var options: GlobalOptions { text.options }

  func writesJSON(on terminal: Terminal) -> Bool { options.json }

  func checkForm() throws(Failure) {
    guard options.json else { return }
    throw Failure(.usage, "No JSON output", "--json is not supported by this command.", hint: "Leave --json out.")
  }
}

/// A command that leaves the calling thread only for a store on a server.
protocol SingleThreadedCommand: KeyplanCommand {}

extension SingleThreadedCommand {
  var isSingleThreaded: Bool { true }
}

/// A command parses arguments, calls operations and renders their results.
///
/// Everything that each start needs of a command is a requirement here: a cast to a protocol costs the runtime 300,000 instructions.
protocol KeyplanCommand: ParsableCommand, Sendable {
  /// Nil for a command without them.
  var globalOptions: GlobalOptions? { get }

  /// Whether it leaves the calling thread only for a store on a server.
  var isSingleThreaded: Bool { get }

  /// Whether it runs long enough to reap orphaned processes when it is the first process of a container.
  var adoptsProcesses: Bool { get }

  /// Whether JSON was requested.
  func writesJSON(on terminal: Terminal) -> Bool

  /// Rejects unsupported output formats.
  func checkForm() throws(Failure)

  /// - Returns: the exit code; `run` has its command's.
  /// - Throws: `Failure`.
  nonisolated(nonsending) func run(on terminal: Terminal) async throws -> Int32
}

extension KeyplanCommand {
  var globalOptions: GlobalOptions? { nil }
  var isSingleThreaded: Bool { false }
  var adoptsProcesses: Bool { false }

  func writesJSON(on terminal: Terminal) -> Bool { false }
  func checkForm() throws(Failure) {}
}
