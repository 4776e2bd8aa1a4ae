package import KeyplanModel
package import KeyplanPorts

/// `env://NAME`: an environment variable.
///
/// An empty variable is *missing*: CI runners set undefined secrets to the empty string.
package struct EnvSource: SecretSource, SynchronousSource {
  package static let backend = BackendDescription(
    "env", help: "Variables of the environment that keyplan runs in.",
    reference: ReferenceGrammar(
      .variable, example: "env://NAME", isLocal: true, help: "A variable. An empty one is missing."))
  private let variables: [String: String]

  /// Reads the context's variables only, never those of the process.
  package init(_ context: SourceContext) { variables = context.variables }

  package var backend: BackendDescription { Self.backend }

  package func read(_ references: [Reference]) async -> [SourceAnswer] { readSync(references) }

  func readSync(_ references: [Reference]) -> [SourceAnswer] {
    references.map { reference in
      guard !reference.location.hasPrefix("KEYPLAN_") else {
        return .unreadable("Variables that begin with KEYPLAN_ belong to keyplan and cannot be sources.")
      }
      guard let value = variables[reference.location] else { return .missing() }
      return SourceAnswer(Array(value.utf8), whenEmpty: .missing())
    }
  }
}
