internal import ArgumentParser
internal import CProcess

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

  /// Runs what the process was started with, and ends the process with its exit code.
  public static func runAndExit() async -> Never {
    let world = World.current(Hardening())
    let code = await run(Array(CommandLine.arguments.dropFirst()), in: world)
    exit(code)
  }

  /// Runs one command and returns its exit code. One catch for everything: nothing uncaught ever prints itself.
  static func run(_ arguments: [String], in world: World) async -> Int32 {
    // Asked by every script; the parser would look at all commands before it answers.
    if arguments == ["--version"] {
      world.out.write(Keyplan.version + "\n")
      return ExitStatus.done.rawValue
    }
    do {
      if let verb = named(arguments) { return try await carryOut(verb, in: world) }
      var parsed = try Keyplan.parseAsRoot(arguments)
      guard let verb = parsed as? any Verb else {
        // The parser's own help command, or a group without a verb: running it throws the help to show.
        try parsed.run()
        return ExitStatus.done.rawValue
      }
      return try await carryOut(verb, in: world)
    } catch {
      return end(error, of: arguments, in: world)
    }
  }

  private static func carryOut(_ verb: any Verb, in world: World) async throws -> Int32 {
    do {
      return try await verb.run(in: world)
    } catch let failure as Failure {
      let style = (verb as? any Command)?.options.style(for: world.err, in: world) ?? Style()
      world.err.write(FailureText.render(failure, style: style))
      return failure.status.rawValue
    } catch let rejected as Project.Rejected {
      rejected.tell(in: world)
      return ExitStatus.failed.rawValue
    }
  }

  /// The command that the first argument names, parsed without a look at all the others, which would cost more than the
  /// store. Nil where anything is not plain: then the whole tree parses it, and words its help and errors.
  private static func named(_ arguments: [String]) -> (any Verb)? {
    guard let name = arguments.first,
      let command = Keyplan.configuration.subcommands.first(where: { $0.configuration.commandName == name })
    else { return nil }
    return (try? command.parseAsRoot(Array(arguments.dropFirst()))) as? any Verb
  }

  /// What the argument parser throws: help and version, or wrong usage.
  private static func end(_ error: any Error, of arguments: [String], in world: World) -> Int32 {
    let isDone = Keyplan.exitCode(for: error) == .success
    let output = isDone ? world.out : world.err
    var message = Keyplan.fullMessage(for: error, columns: output.columns ?? 80)
    // As all other errors begin here. Some messages of the parser end with a newline, others do not.
    if message.hasPrefix("Error: ") { message = "error: " + message.dropFirst("Error: ".count) }
    if let unknown = UnknownCommand.find(in: arguments), let end = message.firstIndex(of: "\n"),
      message[..<end].contains("nexpected argument")
    {
      message = unknown.description + message[end...]
    }
    while message.hasSuffix("\n") { message.removeLast() }
    output.write(message + "\n")
    return (isDone ? ExitStatus.done : ExitStatus.usage).rawValue
  }
}

/// A command that takes the options that all take but those about the program itself.
protocol Command: Verb {
  var options: GlobalOptions { get }
}

/// A command: parses, calls and renders.
protocol Verb: ParsableCommand, Sendable {
  /// - Returns: the exit code; `run` has its command's.
  /// - Throws: `Failure`.
  func run(in world: World) async throws -> Int32
}
