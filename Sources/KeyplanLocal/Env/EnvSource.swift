public import KeyplanApply
public import KeyplanCore

/// `env://NAME`: a variable of the environment.
///
/// An empty variable is *missing*: a CI runner sets a secret that it does not have to the empty string.
public struct EnvSource: SecretSource, Looking {
  /// How references to it look.
  public static let scheme = SourceScheme("env", location: .variable, isLocal: true)
  private let variables: [String: String]

  /// Sees the context's variables only, never those of the process.
  public init(_ context: SourceContext) { variables = context.variables }

  /// How references to it look.
  public var scheme: SourceScheme { Self.scheme }

  /// Looks each name up.
  public func read(_ references: [Reference]) async -> [SourceAnswer] { look(references) }

  func look(_ references: [Reference]) -> [SourceAnswer] {
    references.map { reference in
      guard !reference.location.hasPrefix("KEYPLAN_") else {
        return .unreadable("Keyplan's own variables are not read as secrets.")
      }
      guard let value = variables[reference.location] else { return .missing }
      return SourceAnswer(Array(value.utf8), whenEmpty: .missing)
    }
  }
}
