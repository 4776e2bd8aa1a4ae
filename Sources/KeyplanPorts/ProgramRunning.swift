package import KeyplanModel
package import KeyplanSecrets

/// Starts other programs, never through a shell.
package protocol ProgramRunning: Sendable {
  /// Runs a program until it ends or times out. Its remaining child processes are killed.
  func run(_ call: ProgramCall) async -> ProgramResult
}

/// A program to run.
package struct ProgramCall: Redacted, Sendable {
  /// The program, by name or path, and its arguments. They are visible to other processes, so none is a secret.
  package let arguments: [String]
  /// The variables that it gets in addition to `PATH`, `HOME`, `LANG` and `TMPDIR`.
  package var variables: [String: String] = [:]
  /// Its standard input; nil for none.
  package var input: SecretBox?
  package var timeout = Interval(seconds: 30)

  package init(_ arguments: [String]) { self.arguments = arguments }
}

/// The result of running a program.
package enum ProgramResult: Redacted, Sendable {
  /// It ended by itself, with an exit code. The standard error is for comparison only: it can contain a secret, and is never
  /// shown.
  case ended(code: Int32, output: SecretBox, standardError: SecretBox)
  /// It was not started, did not end, or wrote too much. The reason is a sentence.
  case failed(reason: String)
}
