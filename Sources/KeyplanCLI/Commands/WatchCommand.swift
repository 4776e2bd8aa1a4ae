internal import ArgumentParser
internal import KeyplanOperations
internal import KeyplanReporting

/// Reports changes of keys, or restarts a command when its keys change.
struct WatchCommand: TextCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Report changes of keys, or restart a command when its keys change.",
    usage: "keyplan watch [<options>] [<name> ...] [-- <command> ...]",
    discussion: """
      Without a command, each change of a key or slot is written as a line of JSON, without values, until a signal or a closed \
      pipe ends it.

      With a command, runs it as `keyplan run` does, with all keys or those of --only and --target. When one of them gets \
      another value, the command is restarted, at most once in 5 seconds: it gets SIGTERM, and after --grace is killed \
      with everything that it started. With --signal it gets that signal instead, and keeps its variables. Signals are passed on \
      to the command, and its exit code is that of keyplan. If a key is revoked, retired or removed, the command is stopped \
      (exit code 125). If the store cannot be read, it keeps running.

      For example:
        keyplan watch active.assistant
        keyplan watch --only active.assistant -- npm start
      """
  )
  .parsedAlone

  @Argument(help: "KEY or active.SLOT, without a command (default: all).", completion: DeclaredNames.readable)
  var names: [String] = []

  @Flag(help: "Write the present state first, without a command.")
  var initial = false

  @Option(help: ArgumentHelp("How often to check the store for changes (default: 5s).", valueName: "time"))
  var every: TimeoutArgument?

  @OptionGroup var selection: ExportOptions

  @Option(
    help: ArgumentHelp("How long the command may take to end before it is killed (default: 10s).", valueName: "time"))
  var grace: TimeoutArgument?

  @Option(help: ArgumentHelp("Send this signal instead of restarting the command.", valueName: "signal"))
  var signal: SignalName?

  @OptionGroup var text: TextOptions

  /// The words after `--`. The parser cannot separate them from `names`.
  var command: [String]? = nil

  /// A command line with `--`; nil if it has none, or if the parser rejects what precedes it.
  static func withCommand(_ words: [String]) -> Self? {
    guard let mark = words.firstIndex(of: "--"), var watch = (try? parseAsRoot(Array(words[..<mark]))) as? Self else {
      return nil
    }
    watch.command = Array(words[(mark + 1)...])
    return watch
  }

  var adoptsProcesses: Bool { true }

  func validate() throws {
    if let every, every.duration < .seconds(1) { throw ValidationError("--every takes at least 1s.") }
  }

  func checkForm() throws(Failure) {
    guard !options.json else {
      throw Failure(
        .usage, "No JSON document", "watch writes JSON lines, or runs a command.", hint: "Leave --json out.")
    }
    if let command { try checkForm(of: command) } else { try checkFormOfStream() }
  }

  private func checkForm(of command: [String]) throws(Failure) {
    guard !command.isEmpty else {
      throw Failure(.usage, "No command", "No command follows `--`.", hint: "keyplan watch -- COMMAND [ARGUMENT …]")
    }
    guard names.isEmpty, !initial else {
      throw Failure(
        .usage, "Option without effect",
        "\(initial ? "--initial is" : "Names are") for a watch without a command.",
        hint: "Select the keys of the command with --only.")
    }
  }

  private func checkFormOfStream() throws(Failure) {
    let given = [
      ("--target", selection.target != nil), ("--only", !selection.only.isEmpty), ("--grace", grace != nil),
      ("--signal", signal != nil),
    ]
    guard let option = given.first(where: \.1)?.0 else { return }
    throw Failure(
      .usage, "Option without effect", "\(option) requires a command.",
      hint: option == "--only"
        ? "Name the keys: keyplan watch KEY active.SLOT" : "keyplan watch \(option) VALUE -- COMMAND [ARGUMENT …]")
  }

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world(endsWithOperation: false)
    let interval = every?.duration ?? .seconds(5)
    guard let command, let program = command.first else {
      return try await stream(every: interval, on: terminal, in: world)
    }
    do throws(Failure) {
      var follower = try await StoreFollower(in: world)
      _ = try await follower.recorded(mayBeCopy: true)
      let exports = try await follower.exports(selection.selection, mayBeCopy: true)
      let supervisor = Supervisor(
        program, Array(command.dropFirst()), grace: grace?.duration ?? .seconds(10), signal: signal?.number,
        on: terminal, in: world)
      let watch = ExportWatch(follower, selection.selection, from: exports, every: interval, on: terminal)
      return supervisor.run(consume exports, following: watch)
    } catch {
      terminal.report(error)
      return ExitStatus.cannotRun.rawValue
    }
  }

  private nonisolated(nonsending) func stream(
    every interval: Duration, on terminal: Terminal, in world: World
  ) async throws(Failure) -> Int32 {
    var follower = try await StoreFollower(in: world)
    let items = try WatchedItems(names, in: try await follower.recorded(), at: world.now)
    ChangeStream(on: terminal).run(items, of: follower, every: interval, beginning: initial)
    return ExitStatus.done.rawValue
  }
}
