internal import CProcess
internal import KeyplanReporting

/// The words after the program's name on the command line that started this process.
enum StartArguments {
  /// Not `CommandLine.arguments`, which is empty on Linux without `/proc`: every command would then print the help and succeed.
  /// - Throws: `Failure` if they cannot be known.
  static func words() throws(Failure) -> [String] {
    let count = Int(keyplan_argument_count())
    if count >= 0, let values = keyplan_arguments() {
      return (0..<count).dropFirst().compactMap { values[$0].map { String(cString: $0) } }
    }
    // Some C libraries pass no arguments to constructors. The program's own name is always among them.
    guard !CommandLine.arguments.isEmpty else {
      throw Failure(
        .failed, "Arguments unavailable", "The system does not provide keyplan's command-line arguments.",
        hint: "Mount /proc, and run the command again.")
    }
    return Array(CommandLine.arguments.dropFirst())
  }
}
