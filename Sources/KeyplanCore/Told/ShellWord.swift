/// A text as one word of a POSIX shell.
package enum ShellWord {
  /// In single quotes, in which a shell changes nothing.
  package static func quoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }
}
