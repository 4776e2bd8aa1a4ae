package import KeyplanApply
package import KeyplanCore
import KeyplanDocuments

/// The backends that require no service: variables, files and commands of this machine.
package enum LocalBackends {
  /// A new backend is a folder of its own and a line here.
  private static let all: [LocalBackend] = [
    LocalBackend(EnvSource.backend, source: { EnvSource($0) }),
    LocalBackend(FileSource.backend, source: { FileSource($0) }),
    LocalBackend(DotenvDocument.self),
    LocalBackend(JSONDocument.self),
    LocalBackend(YAMLDocument.self),
    LocalBackend(PlistDocument.self),
    LocalBackend(CommandSource.backend, source: { CommandSource($0) }),
  ]

  package static var descriptions: [BackendDescription] { all.map(\.description) }

  package static func sources(_ context: SourceContext) -> [any SecretSource] {
    all.compactMap { $0.source?(context) }
  }

  package static func targets(_ context: TargetContext) -> [any SecretTarget] {
    all.compactMap { $0.target?(context) }
  }

  /// Reads a variable, or a file in the folder: what requires no permission and no waiting. For what is needed before the store
  /// is open.
  package static func readSync(_ reference: Reference, _ context: SourceContext) -> SourceAnswer {
    let source = sources(context).first { $0.backend.name == reference.scheme }
    guard reference.surface == nil, let source = source as? any SynchronousSource,
      let answer = source.readSync([reference]).first
    else { return .unreadable("It is neither a variable nor a file in the manifest's folder.") }
    return answer
  }
}

/// A backend, and how it is made.
private struct LocalBackend: Sendable {
  let description: BackendDescription
  let source: (@Sendable (SourceContext) -> any SecretSource)?
  let target: (@Sendable (TargetContext) -> any SecretTarget)?

  init(_ description: BackendDescription, source: @escaping @Sendable (SourceContext) -> any SecretSource) {
    self.description = description
    self.source = source
    target = nil
  }

  init<Content: DocumentBackend>(_: Content.Type) {
    description = Content.backend
    source = { DocumentSource<Content>($0) }
    target = { FileTarget<Content>($0) }
  }
}

/// A source that waits for nobody.
protocol SynchronousSource: SecretSource {
  /// The same as `read`, without suspension.
  func readSync(_ references: [Reference]) -> [SourceAnswer]
}
