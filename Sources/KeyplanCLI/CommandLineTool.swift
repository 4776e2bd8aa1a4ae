internal import ArgumentParser
internal import CProcess
internal import KeyplanReporting

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The program as a function. Only here does it end.
public enum CommandLineTool {
  /// To be called on the first thread, before any other has begun: a tenth of what a short command costs is saved.
  public static func prepare() {
    #if canImport(Glibc)
    keyplan_use_one_arena()
    #endif
  }

  /// Runs what the process was started with, and ends the process with its exit code. A command that waits for nothing stays on
  /// the thread of its caller: to begin others takes longer than to read a value.
  public nonisolated(nonsending) static func runAndExit() async -> Never {
    let world = World.current(Hardening())
    do throws(Failure) {
      try ResourceLimits.check()
      let code = await run(try StartArguments.words(), in: world)
      exit(finish(code, in: world))
    } catch {
      world.err.write(FailureText.render(error, style: Style(width: world.err.width(in: world))))
      exit(error.status.rawValue)
    }
  }

  /// Ends standard output.
  /// - Returns: the exit code, in which a result that is not there in full is an error.
  private static func finish(_ code: Int32, in world: World) -> Int32 {
    guard let reason = world.out.finish() else { return code }
    let isFine = [ExitStatus.done, .changes].map(\.rawValue).contains(code)
    let failure = Failure(
      .failed, "Output was not written",
      "Standard output could not be written: \(reason)." + (isFine ? " The command itself succeeded." : ""))
    world.err.write(FailureText.render(failure, style: Style(width: world.err.width(in: world))))
    return isFine ? failure.status.rawValue : code
  }

  /// Runs one command and returns its exit code. One catch for everything: nothing uncaught ever prints itself.
  nonisolated(nonsending) static func run(_ arguments: [String], in world: World) async -> Int32 {
    // Asked by every script; the parser would look at all commands before it answers.
    if arguments == ["--version"] {
      world.out.write(Keyplan.version + "\n")
      return ExitStatus.done.rawValue
    }
    do {
      if let verb = named(arguments) { return try await carryOut(verb, in: world) }
      var parsed = try Keyplan.parseAsRoot(arguments)
      guard let verb = parsed as? any KeyplanCommand else {
        // The parser's own help command, or a group without a verb: running it throws the help to show.
        try parsed.run()
        return ExitStatus.done.rawValue
      }
      return try await carryOut(verb, in: world)
    } catch {
      return end(error, of: arguments, in: world)
    }
  }

  private nonisolated(nonsending) static func carryOut(_ verb: any KeyplanCommand, in world: World) async throws
    -> Int32
  {
    do {
      try GlobalOptions.checkVariables(in: world)
      try verb.checkForm()
      if !(verb is any SingleThreadedCommand) { try ResourceLimits.checkThreads() }
      return try await verb.run(in: world)
    } catch let failure as Failure {
      let command = verb as? any JSONCommand
      let style = command?.options.style(for: world.err, in: world) ?? Style(width: world.err.width(in: world))
      world.err.write(FailureText.render(failure, style: style))
      if command?.writesJSON(in: world) ?? false { world.out.write(try Document.text(ErrorDocument(failure))) }
      return failure.status.rawValue
    } catch let rejected as Project.Rejected {
      rejected.tell(in: world)
      if (verb as? any JSONCommand)?.writesJSON(in: world) ?? false {
        world.out.write(try Document.text(ErrorDocument(.failed, rejected.project.diagnostics)))
      }
      return ExitStatus.failed.rawValue
    }
  }

  /// The command that the first argument names, parsed without a look at all the others, which would cost more than the
  /// store. Nil where anything is not plain: then the whole tree parses it, and words its help and errors.
  private static func named(_ arguments: [String]) -> (any KeyplanCommand)? {
    guard let name = arguments.first else { return nil }
    let rest = Array(arguments.dropFirst())
    if let plain = Keyplan.plain(name, rest) { return plain }
    guard let command = Keyplan.command(named: name) else { return nil }
    return (try? command.parseAsRoot(rest)) as? any KeyplanCommand
  }

  /// What the argument parser throws: help and version, or wrong usage.
  private static func end(_ error: any Error, of arguments: [String], in world: World) -> Int32 {
    if arguments.first == "help", let unknown = UnknownCommand.find(in: Array(arguments.dropFirst())) {
      world.err.write(FailureText.render(unknown.failure, style: Style(width: world.err.width(in: world))))
      return unknown.failure.status.rawValue
    }
    if Keyplan.exitCode(for: error) == .success {
      var message = Keyplan.fullMessage(for: error, columns: world.out.columns ?? 80)
      // Some messages of the parser end with a newline, others do not.
      while message.hasSuffix("\n") { message.removeLast() }
      world.out.write(message + "\n")
      return ExitStatus.done.rawValue
    }
    let wrong = WrongUsage(error, of: arguments, in: world)
    world.err.write(FailureText.render(wrong.failure, style: wrong.options.style(for: world.err, in: world)))
    if wrong.isForProgram, let text = try? Document.text(ErrorDocument(wrong.failure)) { world.out.write(text) }
    return wrong.failure.status.rawValue
  }
}

/// A command that takes the options that all take but those about the program itself.
///
/// With `--json` it writes one document to standard output, whatever happens: its own as the last thing that can fail, or
/// the one that says why there is none.
protocol JSONCommand: KeyplanCommand {
  var options: GlobalOptions { get }

  /// Whether a program waits for that document.
  func writesJSON(in world: World) -> Bool
}

extension JSONCommand {
  func writesJSON(in world: World) -> Bool { options.isJSON(in: world) }
}

/// A command without a form for programs. `KEYPLAN_JSON` is for all commands and asks nothing of it.
protocol TextCommand: JSONCommand {
  var text: TextOptions { get }
}

extension TextCommand {
  var options: GlobalOptions { text.options }

  func writesJSON(in world: World) -> Bool { options.json }

  func checkForm() throws(Failure) {
    guard options.json else { return }
    throw Failure(.usage, "No JSON here", "This command writes none.", hint: "Leave --json out.")
  }
}

/// A command that leaves the thread of its caller for a store on a server only.
protocol SingleThreadedCommand: KeyplanCommand {}

/// A command: parses, calls and renders.
protocol KeyplanCommand: ParsableCommand, Sendable {
  /// Refuses to be asked for a form that it has not.
  func checkForm() throws(Failure)

  /// - Returns: the exit code; `run` has its command's.
  /// - Throws: `Failure`.
  nonisolated(nonsending) func run(in world: World) async throws -> Int32
}

extension KeyplanCommand {
  func checkForm() throws(Failure) {}
}
