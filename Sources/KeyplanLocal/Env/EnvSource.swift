package import KeyplanApply
package import KeyplanCore

/// `env://NAME`: a variable of the environment.
///
/// An empty variable is *missing*: a CI runner sets a secret that it does not have to the empty string.
package struct EnvSource: SecretSource, SynchronousSource {
  package static let backend = BackendDescription(
    "env", reference: ReferenceGrammar(.variable, example: "env://NAME", isLocal: true))
  private let variables: [String: String]

  /// Sees the context's variables only, never those of the process.
  package init(_ context: SourceContext) { variables = context.variables }

  package var backend: BackendDescription { Self.backend }

  /// Looks each name up.
  package func read(_ references: [Reference]) async -> [SourceAnswer] { readSync(references) }

  func readSync(_ references: [Reference]) -> [SourceAnswer] {
    references.map { reference in
      guard !reference.location.hasPrefix("KEYPLAN_") else {
        return .unreadable("Keyplan's own variables are not read as secrets.")
      }
      guard let value = variables[reference.location] else { return .missing() }
      return SourceAnswer(Array(value.utf8), whenEmpty: .missing())
    }
  }
}
