internal import KeyplanOperations
internal import KeyplanReporting

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The streams of this process, and their use by one command.
struct Terminal: Sendable {
  /// Results.
  var out: Output
  /// Everything else.
  let err: Output
  /// Whether standard input is a terminal.
  let inputIsTerminal: Bool
  /// The changes made to the process at its start.
  let hardening: Hardening
  /// The sign-ins of the command.
  let signIns = OpenSignIns()
  /// The spans of the command; nil if no endpoint for traces is configured.
  private(set) var trace: Trace?
  /// The values of the command's options and variables.
  private(set) var options: GlobalOptions?

  /// The streams as the process finds them.
  init(_ hardening: Hardening) {
    let isReadByCI = ["GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION"].contains { World.variable($0) != nil }
    out = Output(descriptor: STDOUT_FILENO, isReadByCI: isReadByCI)
    err = Output(descriptor: STDERR_FILENO, isReadByCI: isReadByCI)
    inputIsTerminal = isatty(STDIN_FILENO) == 1
    self.hardening = hardening
  }

  /// The same for a command with these options.
  func with(_ options: GlobalOptions?) -> Terminal {
    var terminal = self
    terminal.options = options
    return terminal
  }

  /// The same with spans, if the environment asks for them.
  func tracing(_ command: @autoclosure () -> String) -> Terminal {
    var terminal = self
    terminal.trace = Trace(of: command(), version: Keyplan.version) { TerminalConsole(terminal: self).warn($0) }
    return terminal
  }

  /// The environment of operations in this process.
  /// - Parameter endsWithOperation: false for a command that continues after an operation.
  /// - Throws: `Failure` for an invalid variable.
  func world(endsWithOperation: Bool = true) throws(Failure) -> World {
    World(
      mask: hardening.mask, isAttended: inputIsTerminal && err.isTerminal, endsWithOperation: endsWithOperation,
      settings: try settings(),
      console: TerminalConsole(terminal: self), signIns: signIns)
  }

  private func settings() throws(Failure) -> Settings {
    var settings = Settings()
    guard let common = options?.common else { return settings }
    settings.manifest = common.manifest ?? World.variable("KEYPLAN_MANIFEST")
    settings.environment = common.environment ?? World.variable("KEYPLAN_ENVIRONMENT")
    settings.store = common.store ?? World.variable("KEYPLAN_STORE")
    settings.isStoreArgument = common.store != nil
    settings.identity = common.identity
    settings.lockTimeout = try common.timeout()?.duration
    settings.mayAsk = mayAsk
    return settings
  }

  var isJSON: Bool { options?.json ?? false || GlobalOptions.asksJSON }
  var isQuiet: Bool { options?.common.quiet ?? false || GlobalOptions.isSet("KEYPLAN_QUIET") }
  var isVerbose: Bool { options?.common.verbose ?? false || GlobalOptions.isSet("KEYPLAN_VERBOSE") }

  /// Whether a plugin's questions can be shown: at the terminal, whatever standard input is.
  var mayPrompt: Bool { !forbidsInput && World.variable("CI") == nil && Prompt.isPossible }

  /// Whether questions are permitted: not in CI, not in a pipe, and not with `--no-input`.
  var mayAsk: Bool { !forbidsInput && World.variable("CI") == nil && inputIsTerminal }

  /// Whether `--no-input` or its variable is set.
  var forbidsInput: Bool { options?.common.noInput ?? false || GlobalOptions.isSet("KEYPLAN_NO_INPUT") }

  /// The style for a stream: `--color` first, then NO_COLOR (no-color.org) and TERM=dumb, then whether it is a terminal.
  func style(for output: Output) -> Style {
    guard let options else { return Style(width: output.width) }
    let common = options.common
    let choice = common.color ?? World.variable("KEYPLAN_COLOR").flatMap(ColorChoice.init(rawValue:)) ?? .auto
    let usesColour =
      switch choice {
      case .always: true
      case .never: false
      case .auto: output.isTerminal && World.variable("NO_COLOR") == nil && World.variable("TERM") != "dumb"
      }
    let locale = World.variable("LC_ALL") ?? World.variable("LC_CTYPE") ?? World.variable("LANG") ?? "C.UTF-8"
    let usesUnicode = locale.uppercased().contains("UTF-8") || locale.uppercased().contains("UTF8")
    return Style(
      usesColour: usesColour, width: common.width.map { $0 > 0 ? $0 : Style.unlimited } ?? output.width,
      usesUnicode: usesUnicode, usesLocalTime: output.isTerminal, showsAll: options.showsAll,
      project: project)
  }

  private var project: ProjectOptions {
    guard let common = options?.common else { return ProjectOptions() }
    // The variable may be set for this command alone.
    return ProjectOptions(
      manifest: common.manifest, environment: common.environment ?? World.variable("KEYPLAN_ENVIRONMENT"),
      store: common.store)
  }

  /// A command for people, with the options of this run that it needs.
  func command(_ text: String) -> String { project.added(to: text) }

  /// The form of times in details of the report on standard output, in any format.
  var timeStyle: Style { isJSON ? Style() : style(for: out) }

  /// Writes an error.
  func report(_ failure: Failure) { err.write(FailureText.render(failure, style: style(for: err))) }
}

extension Output {
  /// Columns per line: the terminal's; elsewhere `COLUMNS`, or no limit.
  var width: Int {
    columns ?? World.variable("COLUMNS").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } ?? Style.unlimited
  }
}
