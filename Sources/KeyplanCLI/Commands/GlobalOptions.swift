internal import ArgumentParser
internal import KeyplanOperations
internal import KeyplanReporting

/// The options of every command. Each has an environment variable, so that CI can set it once.
struct GlobalOptions: ParsableArguments {
  @OptionGroup var common: CommonOptions

  @Flag(help: "Write JSON to standard output. KEYPLAN_JSON.")
  var json = false

  /// `--all` of commands with reports. Other commands do not truncate lists, or have their own `--all`.
  var showsAll = false
}

/// The same for commands with long reports.
struct ReportOptions: ParsableArguments {
  @OptionGroup var common: CommonOptions

  @Flag(help: "Write JSON to standard output. KEYPLAN_JSON.")
  var json = false

  @Flag(help: "Show complete lists, and each error separately.")
  var all = false

  /// The same options in their common form.
  var options: GlobalOptions {
    var options = GlobalOptions()
    (options.common, options.json, options.showsAll) = (common, json, all)
    return options
  }
}

/// A command with a long report.
protocol ReportingCommand: JSONCommand {
  var report: ReportOptions { get }
}

extension ReportingCommand {
  var options: GlobalOptions { report.options }
}

/// The same for commands without JSON output: `--json` is accepted only to be rejected, and is hidden from the help.
struct TextOptions: ParsableArguments {
  @OptionGroup var common: CommonOptions

  @Flag(help: .hidden)
  var json = false

  /// The same options in their common form.
  var options: GlobalOptions {
    var options = GlobalOptions()
    (options.common, options.json, options.showsAll) = (common, json, false)
    return options
  }
}

/// The help of `keyplan help options`: the options that every command accepts.
struct OptionsHelp: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "options",
    abstract: "The options of every command.",
    usage: "keyplan <subcommand> <options>",
    discussion: "Each has a variable, so that CI can set it once. An option takes precedence.")

  @OptionGroup var common: CommonOptions

  /// The words that ask for it.
  static let words = ["help", "options"]

  /// The help of a command without these options. They are left out of the text only: if they were hidden, they would also be missing from
  /// completions and from suggestions.
  static func leavingOut(_ help: String, columns: Int) -> String {
    var common = Set(helpMessage(columns: columns).split(separator: "\n").compactMap(name)).subtracting(["--help"])
    // The version is an option of keyplan itself.
    if help.contains("\n  -q, --quiet") { common.insert("--version") }
    var (kept, isLeftOut, wasLeftOut) = ([Substring](), false, false)
    for line in help.split(separator: "\n", omittingEmptySubsequences: false) {
      if let name = name(line) {
        isLeftOut = common.contains(name)
        wasLeftOut = wasLeftOut || isLeftOut
      } else if !line.hasPrefix("   ") {
        isLeftOut = false
      }
      if !isLeftOut { kept.append(line) }
    }
    let end = wasLeftOut ? "\n\nGlobal options: keyplan help options" : ""
    return kept.joined(separator: "\n") + end
  }

  /// The long name of the option that a line of a help begins; nil for other lines.
  private static func name(_ line: Substring) -> Substring? {
    guard line.hasPrefix("  -") else { return nil }
    return line.split(separator: " ").first { $0.hasPrefix("--") }
  }
}

/// The options that all of these share.
struct CommonOptions: ParsableArguments {
  @Option(
    name: [.customShort("f"), .long],
    help: ArgumentHelp(
      "The manifest (default: keyplan.yaml here or in a parent directory). KEYPLAN_MANIFEST.", valueName: "file"),
    completion: .file())
  var manifest: String?

  @Option(
    name: [.customShort("e"), .long],
    help: ArgumentHelp(
      "The environment, whose overlay is applied to the manifest. KEYPLAN_ENVIRONMENT.", valueName: "name"),
    completion: DeclaredNames.environments)
  var environment: String?

  @Option(
    help: ArgumentHelp("Use this store instead of the one in the manifest. KEYPLAN_STORE.", valueName: "file"),
    completion: .file())
  var store: String?

  @Option(
    help: ArgumentHelp(
      "The file with the age identity that opens the store. KEYPLAN_IDENTITY takes a path or the identity itself.",
      valueName: "file"),
    completion: .file())
  var identity: String?

  @Option(
    help: ArgumentHelp(
      "How long to wait for a lock held by another process, such as 30s. KEYPLAN_LOCK_TIMEOUT.", valueName: "time"))
  var lockTimeout: TimeoutArgument?

  @Option(help: ArgumentHelp("When to use colour. KEYPLAN_COLOR.", valueName: "when"))
  var color: ColorChoice?

  @Option(
    help: ArgumentHelp(
      "Columns per line; 0 means no limit (default: the terminal's width; in a pipe COLUMNS, or no limit).",
      valueName: "columns"
    ))
  var width: Int?

  @Flag(help: "Never prompt. KEYPLAN_NO_INPUT.")
  var noInput = false

  @Flag(name: [.customShort("q"), .long], help: "Print only results and errors. KEYPLAN_QUIET.")
  var quiet = false

  @Flag(name: [.customShort("v"), .long], help: "Print which files and identity are used. KEYPLAN_VERBOSE.")
  var verbose = false
}

extension CommonOptions {
  func validate() throws {
    guard (width ?? 0) >= 0 else { throw ValidationError("--width takes a number of columns, or 0 for no limit.") }
  }
}

/// The use of colour.
enum ColorChoice: String, ExpressibleByArgument, CaseIterable, Sendable {
  case auto, always, never

  // Explicit, because the parser would otherwise derive them from descriptions at every start.
  static let allValueStrings = ["auto", "always", "never"]
  static let allValueDescriptions: [String: String] = [:]
}

extension CommonOptions {
  /// Nil if not set: the command's own default applies.
  func timeout() throws(Failure) -> TimeoutArgument? {
    if let lockTimeout { return lockTimeout }
    guard let text = World.variable("KEYPLAN_LOCK_TIMEOUT") else { return nil }
    guard let timeout = TimeoutArgument(argument: text) else {
      throw Failure(
        .usage, "Invalid lock timeout",
        "KEYPLAN_LOCK_TIMEOUT is \"\(text)\", which is not a duration such as 30s or 5m.",
        hint: "Set it to a number and a unit, or unset it.")
    }
    return timeout
  }
}

extension GlobalOptions {
  static var asksJSON: Bool { isSet("KEYPLAN_JSON") }

  /// Whether a Boolean variable is on.
  static func isSet(_ name: String) -> Bool { World.variable(name).flatMap(truth) ?? false }

  /// The value of a Boolean variable; nil if invalid.
  private static func truth(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "1", "true", "yes", "on": true
    case "0", "false", "no", "off": false
    default: nil
    }
  }

  /// Rejects `--json` with another `--format`. KEYPLAN_JSON applies to all commands, and `--format` overrides it.
  func check(_ format: (some RawRepresentable<String>)?) throws(Failure) {
    guard json, let format, format.rawValue != "json" else { return }
    throw Failure(
      .usage, "Conflicting formats", "--json and --format \(format.rawValue) cannot be combined.",
      hint: "Remove one of them.")
  }

  /// Rejects variables with invalid values: misreading a switch would be worse than an error.
  static func checkVariables() throws(Failure) {
    var faults: [String] = []
    for name in ["KEYPLAN_JSON", "KEYPLAN_QUIET", "KEYPLAN_VERBOSE", "KEYPLAN_NO_INPUT"] {
      guard let text = World.variable(name), truth(text) == nil else { continue }
      faults.append("\(name) is \"\(text)\". It takes 1, true, yes or on, and 0, false, no or off.")
    }
    if let text = World.variable("KEYPLAN_COLOR"), ColorChoice(rawValue: text) == nil {
      faults.append("KEYPLAN_COLOR is \"\(text)\". It takes auto, always or never.")
    }
    guard faults.isEmpty else {
      throw Failure(.usage, "Invalid variable", faults.joined(separator: "\n"), hint: "Correct or unset it.")
    }
  }
}
