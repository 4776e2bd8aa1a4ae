import KeyplanModel
import KeyplanPlanning

extension TargetHook {
  /// The command as a shell would take it.
  var line: String { command.map { QuotedWord.quoted($0) }.joined(separator: " ") }
}
