package import KeyplanModel
package import KeyplanPorts
package import KeyplanServices

/// Secrets of Kubernetes clusters, through the API server.
///
/// The clusters and credentials are those of the user's kubeconfig, or of the pod in which keyplan runs. A kubeconfig can run
/// programs and name any file, so the manifest cannot name one: it only chooses among the user's contexts, or declares a
/// server with a token.
package struct KubernetesBackend: RemoteBackend {
  private let cluster: Clusters

  package init(_ context: ConnectionContext) { cluster = Clusters(context) }

  package var source: (any SecretSource)? { KubernetesSource(clusters: cluster) }
  package var target: (any SecretTarget)? { KubernetesTarget(clusters: cluster) }

  package func signedInAs() async -> SignedInAs { await cluster.signedInAs() }
}

extension KubernetesBackend {
  package static let backend = BackendDescription(
    "kubernetes", title: "Kubernetes",
    help: "Secrets of a Kubernetes cluster, with the clusters and users of the kubeconfig or of the pod.",
    connection: ConnectionGrammar(
      [
        BackendField(
          "context", isPlace: true, example: "prod",
          help: "The context of the kubeconfig; without it, the only one, or the cluster of the pod."),
        BackendField(
          "server", .url, variables: ["KUBECONFIG"], isPlace: true, example: "https://10.0.0.1:6443",
          help: "The API server, used with a token instead of the kubeconfig."),
        BackendField("ca", .file, example: "ca.pem", help: "The certificates (PEM) that the server is signed by."),
        BackendField("token", .secret, help: "Where the token for the server is found."),
      ], isOptional: true),
    reference: ReferenceGrammar(
      .place(what: "a namespace and the name of a secret, separated by /", pattern: SecretPlace.pattern),
      selector: .field, example: "kubernetes://shop/api-keys#claude", isLocal: false,
      help: "A key of a secret; without one, the only key that it has."),
    target: TargetGrammar(
      fields: [
        BackendField(
          "context", isAccess: true, example: "prod",
          help: "The context of the kubeconfig; without it, the connection's."),
        BackendField("namespace", .label, isRequired: true, example: "shop", help: "The namespace."),
        BackendField(
          "name", .name, isRequired: true, pattern: SecretPlace.name, example: "api-keys",
          help: "The name of the secret, which is created if it is missing."),
      ],
      names: SecretPlace.keys, limits: .init(valueBytes: 64 << 10), readsBack: .values, takesEffect: .restart),
    pace: Pace(concurrency: 8))
}

/// A secret in a cluster.
struct SecretPlace: Hashable, Sendable {
  let namespace: String
  let name: String

  /// Two names of objects, of which Kubernetes allows lower-case letters, digits, `-` and `.`.
  static let pattern = try? FormatPattern("[a-z0-9][a-z0-9-]{0,62}/[a-z0-9][a-z0-9.-]{0,252}")
  static let name = try? FormatPattern("[a-z0-9][a-z0-9.-]{0,252}")
  /// Those of the entries of a secret.
  static let keys: NameRule = {
    guard let pattern = try? FormatPattern("[.]?[-_a-zA-Z0-9][-._a-zA-Z0-9]{0,252}") else { return .text }
    return NameRule(.pattern(pattern), reserved: [".."], longest: 253)
  }()

  static func canHave(_ name: String) -> Bool { keys.fault(in: name) == nil && name != "." }

  /// The parts of a reference's location.
  init?(reference location: String) {
    let parts = location.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, Self.pattern?.matches(Array(location.utf8)) ?? false else { return nil }
    (namespace, name) = (String(parts[0]), String(parts[1]))
  }

  init?(_ fields: [String: String]) {
    guard let namespace = fields["namespace"], let name = fields["name"] else { return nil }
    self.init(reference: "\(namespace)/\(name)")
  }

  /// The segments of its path.
  var path: [String] { ["api", "v1", "namespaces", namespace, "secrets", name] }
}
