package import KeyplanModel
package import KeyplanServices

/// The services that keyplan can use: those with code of their own, and those that are described as data.
package enum RemoteBackends {
  /// To add a service that a description cannot express, add a folder and a line here.
  private static var own: [RemoteKind] {
    [
      RemoteKind("aws-keys", describedBy: AccessKeyBackend.backend, sources: AccessKeyBackend.sources) {
        AccessKeyBackend($0)
      },
      RemoteKind("awsps", describedBy: ParameterStoreBackend.backend, sources: ParameterStoreBackend.sources) {
        ParameterStoreBackend($0)
      },
      RemoteKind("awssm", describedBy: SecretsManagerBackend.backend, sources: SecretsManagerBackend.sources) {
        SecretsManagerBackend($0)
      },
      RemoteKind("cloudkit", describedBy: CloudKitBackend.backend, sources: CloudKitBackend.sources) {
        CloudKitBackend($0)
      },
      RemoteKind("github", describedBy: GitHubBackend.backend, sources: GitHubBackend.sources) {
        GitHubBackend($0)
      },
      RemoteKind("kubernetes", describedBy: KubernetesBackend.backend, sources: KubernetesBackend.sources) {
        KubernetesBackend($0)
      },
      RemoteKind("vault", describedBy: VaultBackend.backend, sources: VaultBackend.sources) {
        VaultBackend($0)
      },
      RemoteKind("vault-keys", describedBy: VaultKeysBackend.backend, sources: VaultKeysBackend.sources) {
        VaultKeysBackend($0)
      },
    ]
  }

  /// All names, in order.
  package static var names: [String] {
    (own.map(\.name) + BuiltInServices.names + BuiltInIssuers.backendNames).sorted()
  }

  /// The description of a service; nil for an unknown name.
  package static func description(_ name: String) -> BackendDescription? { kind(name)?.description() }

  /// The documents that the statements about a service come from; none for an unknown name.
  package static func citations(_ name: String) -> [CitedDocument] { kind(name)?.sources() ?? [] }

  /// A service that is reached through this connection. Nothing is sent.
  package static func backend(_ context: ConnectionContext) -> (any RemoteBackend)? {
    kind(context.backend.name)?.make(context)
  }

  /// Parses the description if the service is described as data: to be called once a run for each service.
  static func kind(_ name: String) -> RemoteKind? {
    if let own = own.first(where: { $0.name == name }) { return own }
    return described(name).map { RemoteKind($0) }
  }

  private static func described(_ name: String) -> SecretAPI? {
    if let api = try? BuiltInServices.api(name) { return api }
    return try? BuiltInIssuers.backend(name)
  }
}

/// A service's description and constructor.
struct RemoteKind: Sendable {
  let name: String
  /// Made when a manifest names the service: most runs need few of them.
  let description: @Sendable () -> BackendDescription
  /// The documents that the statements about the service come from.
  let sources: @Sendable () -> [CitedDocument]
  /// Sends nothing.
  let make: @Sendable (ConnectionContext) -> any RemoteBackend

  init(
    _ name: String, describedBy description: @autoclosure @escaping @Sendable () -> BackendDescription,
    sources: @autoclosure @escaping @Sendable () -> [CitedDocument],
    make: @escaping @Sendable (ConnectionContext) -> any RemoteBackend
  ) {
    self.name = name
    self.description = description
    self.sources = sources
    self.make = make
  }

  /// A service that is described as data.
  init(_ api: SecretAPI) {
    self.init(api.name, describedBy: BackendDescription(api), sources: api.citations) { DescribedBackend(api, $0) }
  }
}
