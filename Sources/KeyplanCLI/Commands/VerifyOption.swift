internal import ArgumentParser
internal import KeyplanOperations

/// Checks keys with their providers before planning.
struct VerifyOption: ParsableArguments {
  @Flag(
    help: """
      Ask providers about the recorded keys first, and record what they say. A plan made with it checks new values at \
      apply, and stores only those that are accepted.
      """)
  var verify = false

  /// The workspace, after that if it is wanted.
  /// - Parameter chosen: the addresses that alone are planned; none for all.
  func workspace(_ workspace: Workspace, only chosen: [TypedSubject]) async throws -> Workspace {
    guard verify else { return workspace }
    return try await workspace.verified(only: try workspace.addresses(named: chosen.map(\.text)))
  }
}
