public import KeyplanApply

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
}
