public import KeyplanApply
public import KeyplanCore
import KeyplanDocuments

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
    let one = [reference]
    let answers: [SourceAnswer] =
      switch reference.surface == nil ? reference.scheme : "" {
      case EnvSource.scheme.name: EnvSource(context).look(one)
      case FileSource.scheme.name: FileSource(context).look(one)
      case DotenvSource.scheme.name: context.read(one, as: DotenvDocument.self, whenEmpty: .missing)
      case JSONSource.scheme.name: context.read(one, as: JSONDocument.self)
      case YAMLSource.scheme.name: context.read(one, as: YAMLDocument.self)
      case PlistSource.scheme.name: context.read(one, as: PlistDocument.self)
      default: []
      }
    return answers.first ?? .unreadable("It is neither a variable nor a file in the manifest's folder.")
  }
}
