internal import ArgumentParser
internal import KeyplanOperations
internal import KeyplanReporting

/// The options that every command takes. Each has a variable, so that CI can set it once.
struct GlobalOptions: ParsableArguments {
  @OptionGroup var common: CommonOptions

  @Flag(help: "Write JSON to standard output. KEYPLAN_JSON.")
  var json = false

  /// `--all` of commands that report; others have no list that is cut short, or an `--all` of their own.
  @Flag(name: .customLong("report-all"), help: .hidden)
  var showsAll = false
}

/// The same for a command whose report can be long.
struct ReportOptions: ParsableArguments {
  @OptionGroup var common: CommonOptions

  @Flag(help: "Write JSON to standard output. KEYPLAN_JSON.")
  var json = false

  @Flag(help: "Show lists to their end, and each error by itself.")
  var all = false

  /// As all other commands have them.
  var options: GlobalOptions {
    var options = GlobalOptions()
    (options.common, options.json, options.showsAll) = (common, json, all)
    return options
  }
}

/// A command whose report can be long.
protocol ReportingCommand: JSONCommand {
  var report: ReportOptions { get }
}

extension ReportingCommand {
  var options: GlobalOptions { report.options }
}

/// The same for a command that writes no JSON: `--json` is taken only to be refused, and no help offers it.
struct TextOptions: ParsableArguments {
  @OptionGroup var common: CommonOptions

  @Flag(help: .hidden)
  var json = false

  /// As all other commands have them.
  var options: GlobalOptions {
    var options = GlobalOptions()
    (options.common, options.json, options.showsAll) = (common, json, false)
    return options
  }
}

/// What both of them have.
struct CommonOptions: ParsableArguments {
  @Option(
    name: [.customShort("f"), .long],
    help: ArgumentHelp(
      "The manifest; without it keyplan.yaml here or in a parent directory. KEYPLAN_MANIFEST.", valueName: "file"),
    completion: .file())
  var manifest: String?

  @Option(
    name: [.customShort("e"), .long],
    help: ArgumentHelp("The environment to lay over the manifest. KEYPLAN_ENVIRONMENT.", valueName: "name"),
    completion: DeclaredNames.environments)
  var environment: String?

  @Option(
    help: ArgumentHelp("The store, instead of the one the manifest names. KEYPLAN_STORE.", valueName: "file"),
    completion: .file())
  var store: String?

  @Option(
    help: ArgumentHelp(
      "A file with the age identity that opens the store. KEYPLAN_IDENTITY takes a path or the identity itself.",
      valueName: "file"),
    completion: .file())
  var identity: String?

  @Option(
    help: ArgumentHelp(
      "How long to wait for a lock that another process holds, such as 30s. KEYPLAN_LOCK_TIMEOUT.", valueName: "time"))
  var lockTimeout: TimeoutArgument?

  @Option(help: ArgumentHelp("When to use colour. KEYPLAN_COLOR.", valueName: "when"))
  var color: ColorChoice?

  @Option(
    help: ArgumentHelp(
      "Columns per line; 0 is no limit (default: the terminal's; in a pipe COLUMNS, or no limit).", valueName: "columns"
    ))
  var width: Int?

  @Flag(help: "Never ask anything. KEYPLAN_NO_INPUT.")
  var noInput = false

  @Flag(name: [.customShort("q"), .long], help: "Say nothing but results and errors. KEYPLAN_QUIET.")
  var quiet = false

  @Flag(name: [.customShort("v"), .long], help: "Say which files and which identity are used. KEYPLAN_VERBOSE.")
  var verbose = false
}

extension CommonOptions {
  func validate() throws {
    guard (width ?? 0) >= 0 else { throw ValidationError("--width takes a number of columns, and 0 for no limit.") }
  }
}

/// When to use colour.
enum ColorChoice: String, ExpressibleByArgument, CaseIterable, Sendable {
  case auto, always, never

  // Said: the parser would make them up from descriptions, in every start.
  static let allValueStrings = ["auto", "always", "never"]
  static let allValueDescriptions: [String: String] = [:]
}

extension CommonOptions {
  /// Nil where nobody says it: each command has a time of its own then.
  func timeout() throws(Failure) -> TimeoutArgument? {
    if let lockTimeout { return lockTimeout }
    guard let text = World.variable("KEYPLAN_LOCK_TIMEOUT") else { return nil }
    guard let timeout = TimeoutArgument(argument: text) else {
      throw Failure(
        .usage, "Invalid lock timeout", "KEYPLAN_LOCK_TIMEOUT is \"\(text)\", which is not a time such as 30s or 5m.",
        hint: "Set it to a number and a unit, or unset it.")
    }
    return timeout
  }
}

extension GlobalOptions {
  static var asksJSON: Bool { isSet("KEYPLAN_JSON") }

  /// Whether a variable switches something on.
  static func isSet(_ name: String) -> Bool { World.variable(name).flatMap(truth) ?? false }

  /// What a variable says that is on or off; nil for anything else.
  private static func truth(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "1", "true", "yes", "on": true
    case "0", "false", "no", "off": false
    default: nil
    }
  }

  /// Refuses two formats at once. KEYPLAN_JSON applies to all commands, and `--format` overrides it.
  func check(_ format: (some RawRepresentable<String>)?) throws(Failure) {
    guard json, let format, format.rawValue != "json" else { return }
    throw Failure(
      .usage, "Two formats", "--json and --format \(format.rawValue) exclude each other.",
      hint: "Leave one of them out.")
  }

  /// Refuses variables with invalid values: a switch that is taken for its opposite is worse than an error.
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
