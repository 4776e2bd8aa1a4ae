import Crypto
import Foundation
import KeyplanHTTP
import KeyplanLocal
import KeyplanManifest
import KeyplanModel
import KeyplanPorts
import KeyplanProviders
import KeyplanReporting
import KeyplanSecrets
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// The example of a backend's page, read, with a transport in the place of the network.
struct BackendUse: Sendable {
  let backend: any RemoteBackend
  let reference: Reference?
  let destination: Destination?
  /// The name of the target's entry.
  let name: String

  private static let more: [String: [String: Connection.Value]] = [
    "azure": ["tenant": .text("t"), "client": .text("c"), "clientSecret": .variable("SECRET")],
    "gcp": ["token": .variable("TOKEN")],
  ]

  private static func kubeconfig(_ token: String) -> String {
    """
    apiVersion: v1
    kind: Config
    current-context: prod
    contexts: [{ name: prod, context: { cluster: c, user: u } }]
    clusters: [{ name: c, cluster: { server: "https://cluster.example" } }]
    users: [{ name: u, user: { token: \(token) } }]
    """
  }

  /// - Parameter token: every credential but a private key.
  init(_ name: String, token: String, transport: @escaping @Sendable (HTTPSettings) -> RemoteTransport) throws {
    let description = try #require(RemoteBackends.description(name))
    let text = BackendExample(of: description).lines.joined(separator: "\n") + "\n"
    let reader = ManifestReader(
      catalog: .init(names: ProviderCatalog.builtIn.names) { ProviderCatalog.builtIn.provider(named: $0) },
      secretPrefixes: SecretPrefixes.builtIn, backends: LocalBackends.descriptions,
      services: .init(names: RemoteBackends.names) {
        RemoteBackends.description($0)
      } declare: { _, _ in
        .failure(.init([]))
      })
    let reading = reader.read(base: .init(file: "keyplan.yaml", bytes: Array(text.utf8)))
    let manifest = try #require(reading.manifest, "\(text)\(reading.diagnostics)")
    // An example has no connection if that is optional and the service only makes keys.
    let declared =
      try manifest.connections.values.first ?? Connection(#require(Identifier(name), "\(text)"), to: description, [:])
    // What an example leaves to the machine's own credentials.
    let values = declared.values.filter { declared.declared.contains($0.key) }.merging(Self.more[name] ?? [:]) {
      first, _ in
      first
    }
    let connection = Connection(declared.name, to: description, values)
    let environment = RemoteEnvironment(
      variables: Self.variables(of: description, token), home: "/home/somebody", folder: "/project",
      http: HTTPSettings(),
      transport: transport,
      read: { reference in
        switch reference.location {
        case "/home/somebody/.kube/config": .value(SecretBox(Array(Self.kubeconfig(token).utf8)))
        case let name where name.hasSuffix("privateKey") || name.hasSuffix("PRIVATEKEY"):
          .value(SecretBox(Array(P256.Signing.PrivateKey().pemRepresentation.utf8)))
        default: reference.scheme == "env" ? .value(SecretBox(Array(token.utf8))) : .missing()
        }
      }, programs: FakePrograms())
    backend = try #require(RemoteBackends.backend(ConnectionContext(connection, to: description, in: environment)))
    let target = manifest.targets.values.first
    (reference, destination) = (manifest.keys.values.first?.sources.first, target?.destination)
    self.name = if case .fixed(let entry)? = target?.entries.first?.name { entry } else { "EXAMPLE" }
  }

  /// Addresses and regions for what is no secret, the canary for what is.
  private static func variables(of description: BackendDescription, _ token: String) -> [String: String] {
    var variables = ["AWS_EC2_METADATA_DISABLED": "true"]
    for field in description.connection?.allFields ?? [] {
      for variable in field.variables {
        switch field.kind {
        case .secret: variables[variable] = token
        case .url: variables[variable] = "https://service.example"
        case .label: variables[variable] = "eu-central-1"
        default: break
        }
      }
    }
    variables["KUBECONFIG"] = "/home/somebody/.kube/config"
    if variables["AWS_REGION"] != nil {
      variables["AWS_ACCESS_KEY_ID"] = token
      variables["AWS_SECRET_ACCESS_KEY"] = token
    }
    return variables
  }
}
