public import KeyplanApply
public import KeyplanCore

/// The sources that need no service: variables, files and commands of this machine.
public enum LocalSources {
  /// All of them. A new source is a file of its own and a line here.
  public static func all(_ context: SourceContext) -> [any SecretSource] {
    [
      EnvSource(context),
      FileSource(context),
      DotenvSource(context),
      JSONSource(context),
      YAMLSource(context),
      PlistSource(context),
      CommandSource(context),
    ]
  }

  /// Reads what needs no leave and nobody to wait for: a variable, or a file in the folder. For what is needed before the store is open.
  public static func readAtOnce(_ reference: Reference, _ context: SourceContext) -> SourceAnswer {
    let source = all(context).first { $0.scheme.name == reference.scheme }
    guard reference.surface == nil, let source = source as? any Looking, let answer = source.look([reference]).first
    else { return .unreadable("It is neither a variable nor a file in the manifest's folder.") }
    return answer
  }
}

/// A source that waits for nobody.
protocol Looking: SecretSource {
  /// The same as `read`, at once.
  func look(_ references: [Reference]) -> [SourceAnswer]
}
