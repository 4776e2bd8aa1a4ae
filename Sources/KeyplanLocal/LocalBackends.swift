import KeyplanDocuments
package import KeyplanModel
package import KeyplanPorts

/// The backends that need no service: variables, files and commands of this machine.
package enum LocalBackends {
  /// To add a backend, add a folder and a line here.
  private static let all: [LocalBackend] = portable + ofSystem

  #if canImport(Security)
  private static let ofSystem = [
    LocalBackend(KeychainSource.backend, source: { KeychainSource($0) }, target: { KeychainTarget($0) })
  ]
  #else
  private static let ofSystem: [LocalBackend] = []
  #endif

  private static let portable: [LocalBackend] = [
    LocalBackend(EnvSource.backend, source: { EnvSource($0) }),
    LocalBackend(FileSource.backend, source: { FileSource($0) }, target: { FileTarget<WholeDocument>($0) }),
    LocalBackend(DotenvDocument.self),
    LocalBackend(JSONDocument.self),
    LocalBackend(YAMLDocument.self),
    LocalBackend(PlistDocument.self),
    LocalBackend(AgeSource.backend, source: { AgeSource($0) }),
    LocalBackend(
      SOPSSource.backend, sources: SOPSSource.sources, source: { SOPSSource($0) },
      target: { SOPSSource.target($0, now: $0.now) }),
    LocalBackend(PassSource.backend, sources: PassSource.sources, source: { PassSource($0) }),
    LocalBackend(
      SecretServiceSource.backend, sources: SecretServiceSource.sources, source: { SecretServiceSource($0) },
      target: { SecretServiceTarget($0) }),
    LocalBackend(OnePasswordSource.backend, sources: OnePasswordSource.sources, source: { OnePasswordSource($0) }),
    LocalBackend(CommandSource.backend, source: { CommandSource($0) }, target: { CommandTarget($0) }),
  ]

  package static var descriptions: [BackendDescription] { all.map(\.description) }

  /// The documents that the statements about a format or a program come from; none for a backend that states nothing
  /// about another's.
  package static func citations(_ name: String) -> [CitedDocument] {
    all.first { $0.description.name == name }?.citations ?? []
  }

  package static func sources(_ context: SourceContext) -> [any SecretSource] {
    all.compactMap { $0.source?(context) }
  }

  package static func targets(_ context: TargetContext) -> [any SecretTarget] {
    all.compactMap { $0.target?(context) }
  }

  /// Reads a reference that needs no connection.
  package static func read(_ reference: Reference, _ context: SourceContext) async -> SourceAnswer {
    guard let source = sources(context).first(where: { $0.backend.name == reference.scheme }) else {
      return .unreadable("\(reference.scheme):// cannot be used here.")
    }
    return await source.read([reference]).first ?? .unreadable("The source did not answer.")
  }

  /// Reads a variable, or a file in the folder: sources that need neither permission nor waiting. For values that are
  /// needed to open the store.
  package static func readSync(_ reference: Reference, _ context: SourceContext) -> SourceAnswer {
    let source = sources(context).first { $0.backend.name == reference.scheme }
    guard reference.surface == nil, let source = source as? any SynchronousSource,
      let answer = source.readSync([reference]).first
    else { return .unreadable("The source must be a variable or a file in the manifest's folder.") }
    return answer
  }
}

/// A backend's description and constructors.
private struct LocalBackend: Sendable {
  let description: BackendDescription
  let citations: [CitedDocument]
  let source: (@Sendable (SourceContext) -> any SecretSource)?
  let target: (@Sendable (TargetContext) -> any SecretTarget)?

  init(
    _ description: BackendDescription, sources citations: [CitedDocument] = [],
    source: @escaping @Sendable (SourceContext) -> any SecretSource,
    target: (@Sendable (TargetContext) -> any SecretTarget)? = nil
  ) {
    self.description = description
    self.citations = citations
    self.source = source
    self.target = target
  }

  init<Content: DocumentBackend>(_: Content.Type) {
    description = Content.backend
    citations = []
    source = { DocumentSource<Content>($0) }
    target = { FileTarget<Content>($0) }
  }
}

/// A source that never waits.
protocol SynchronousSource: SecretSource {
  /// The same as `read`, without suspension.
  func readSync(_ references: [Reference]) -> [SourceAnswer]
}
