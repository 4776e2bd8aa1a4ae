package import KeyplanModel

/// Runs the programs that follow changes at targets. They are given no values.
package protocol HookRunning: Sendable {
  /// Runs a hook until it ends or its time is up.
  /// - Parameter variables: what it gets in addition to the variables that it declares.
  /// - Throws: `AccessFailure` unless it ended with exit code 0.
  func run(_ hook: Reference, with variables: [String: String]) async throws(AccessFailure)
}
