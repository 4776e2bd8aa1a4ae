import KeyplanModel
import KeyplanPlanning

extension TargetHook {
  /// The command in the syntax of a shell.
  var line: String { command.map { QuotedWord.quoted($0) }.joined(separator: " ") }
}
