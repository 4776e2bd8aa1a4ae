package import KeyplanModel
package import KeyplanServices

/// The services that keyplan can use: those with code of their own, and those that are described as data.
package enum RemoteBackends {
  /// To add a service that a description cannot express, add a folder and a line here.
  private static var own: [RemoteKind] {
    [
      RemoteKind("aws-keys", describedBy: AccessKeyBackend.backend) { AccessKeyBackend($0) },
      RemoteKind("awsps", describedBy: ParameterStoreBackend.backend) { ParameterStoreBackend($0) },
      RemoteKind("awssm", describedBy: SecretsManagerBackend.backend) { SecretsManagerBackend($0) },
      RemoteKind("cloudkit", describedBy: CloudKitBackend.backend) { CloudKitBackend($0) },
      RemoteKind("github", describedBy: GitHubBackend.backend) { GitHubBackend($0) },
      RemoteKind("kubernetes", describedBy: KubernetesBackend.backend) { KubernetesBackend($0) },
      RemoteKind("vault", describedBy: VaultBackend.backend) { VaultBackend($0) },
      RemoteKind("vault-keys", describedBy: VaultKeysBackend.backend) { VaultKeysBackend($0) },
    ]
  }

  /// All names, in order.
  package static var names: [String] {
    (own.map(\.name) + BuiltInServices.names + BuiltInIssuers.backendNames).sorted()
  }

  /// The description of a service; nil for an unknown name.
  package static func description(_ name: String) -> BackendDescription? { kind(name)?.description() }

  /// The documents that the statements of a description come from; none for a service with code of its own.
  package static func citations(_ name: String) -> [CitedDocument] {
    guard !own.contains(where: { $0.name == name }) else { return [] }
    return described(name)?.citations ?? []
  }

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
  /// Sends nothing.
  let make: @Sendable (ConnectionContext) -> any RemoteBackend

  init(
    _ name: String, describedBy description: @autoclosure @escaping @Sendable () -> BackendDescription,
    make: @escaping @Sendable (ConnectionContext) -> any RemoteBackend
  ) {
    self.name = name
    self.description = description
    self.make = make
  }

  /// A service that is described as data.
  init(_ api: SecretAPI) {
    self.init(api.name, describedBy: BackendDescription(api)) { DescribedBackend(api, $0) }
  }
}
