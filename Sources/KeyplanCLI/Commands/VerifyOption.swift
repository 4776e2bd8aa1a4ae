internal import ArgumentParser
internal import KeyplanOperations

/// Asks providers before planning.
struct VerifyOption: ParsableArguments {
  @Flag(
    help: """
      Ask providers about the recorded keys first, and record what they say. A plan made with it checks new values at \
      apply, and stores only those that are accepted.
      """)
  var verify = false

  /// The workspace, after that if it is wanted.
  func workspace(_ workspace: Workspace) async throws -> Workspace {
    verify ? try await workspace.verified() : workspace
  }
}
