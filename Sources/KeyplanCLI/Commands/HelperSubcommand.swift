internal import ArgumentParser
internal import KeyplanOperations
internal import KeyplanReporting
internal import KeyplanSecrets

/// A command that answers another program.
protocol HelperSubcommand: TextCommand, SingleThreadedCommand {}

extension HelperSubcommand {
  /// The settings that a helper may use, checked before anything is read.
  func world(on terminal: Terminal) throws(Failure) -> World {
    guard !terminal.out.isTerminal else {
      throw Failure(
        .usage, "Not shown on a terminal",
        "Programs run helpers. Standard output is a terminal, whose scrollback would keep the value.",
        hint: "For the configuration of the program, add --setup. For the value itself: keyplan get")
    }
    return try HelperReading.world(try terminal.world(), manifest: text.common.manifest)
  }

  func line(_ own: [String], on terminal: Terminal) throws(Failure) -> HelperLine {
    try HelperSetup.line([Self._commandName] + own, in: try terminal.world())
  }

  /// Programs read the answer, and an incomplete one is of no use.
  func write(_ answer: SecretBox, on terminal: Terminal) -> Int32 {
    answer.withBytes { terminal.out.writeWhole($0) }
    return ExitStatus.done.rawValue
  }

  /// - Parameter names: the keys that the helper would answer with.
  func show(_ setup: String, of names: [String], on terminal: Terminal) throws -> Int32 {
    terminal.out.write(setup)
    try HelperReading.warn(ofUndeclared: names, manifest: text.common.manifest, in: try terminal.world())
    return ExitStatus.done.rawValue
  }
}

/// The only host that gets the key.
struct HelperHostOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Answer for this host only, over https, with its port where URLs have one.", valueName: "host"))
  var host: String

  var words: [String] { ["--host", host] }

  /// The host, after a check of the other operand that no message may quote.
  func checked(_ key: String) throws(Failure) -> HelperHost {
    try HelperReading.check(name: key)
    return try HelperOption.host(host)
  }
}

extension ArgumentHelp {
  static let setup: ArgumentHelp = "Print the configuration of the program, and read no value."
}

/// The word that a program appends to a helper's command line.
enum HelperOperation {
  static func required(_ word: String?, of helper: String) throws(Failure) -> String {
    guard let word else {
      throw Failure(
        .usage, "No operation", "The program that runs a helper appends what it wants, such as get.",
        hint: "For its configuration, add --setup to this command line.")
    }
    return word
  }

  static func unknown(_ known: String) -> Failure {
    Failure(.usage, "Unknown operation", "The operation is \(known).")
  }
}
