package import KeyplanModel

/// Runs the programs that follow changes at targets. They get no values.
package protocol HookRunning: Sendable {
  /// Runs a hook until it ends or times out.
  /// - Parameter variables: the variables that it gets in addition to the declared ones.
  /// - Throws: `AccessFailure` unless it ended with exit code 0.
  func run(_ hook: Reference, with variables: [String: String]) async throws(AccessFailure)
}
