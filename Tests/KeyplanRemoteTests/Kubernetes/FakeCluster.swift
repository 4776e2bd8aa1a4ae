import Foundation
import KeyplanHTTP
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import TestTools
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// The process of the fake API server, and its certificates.
final class FakeClusters: Sendable {
  static let shared = try? FakeClusters()

  private struct Ports: Decodable { let http, tls: Int }

  private let server: FixtureServer
  private let ports: Ports
  let folder: Scratch

  private init() throws {
    let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fixtures")
    folder = try Scratch()
    try #require(try Child.run([fixtures.appending(path: "make-certificates.sh").path, folder.path]) == 0)
    server = try FixtureServer([fixtures.appending(path: "kubernetes.py").path, folder.path])
    ports = try JSONDecoder().decode(Ports.self, from: server.greeting)
  }

  var plain: String { "http://127.0.0.1:\(ports.http)" }
  var secure: String { "https://127.0.0.1:\(ports.tls)" }
  func base64(_ file: String) throws -> String { Data(try folder.text(file).utf8).base64EncodedString() }
}

/// A cluster of the fake with its own state.
struct FakeCluster: Sendable {
  struct Seen: Decodable, Hashable {
    let method, path, query, user, `as`, host: String
  }
  struct Fault: Encodable {
    var status: Int?
    var headers: [String: String] = [:]
    var body = ""
    var methods: [String]?
    /// Whether the request is processed before the connection is closed.
    var after = false
    var times = 1_000
  }

  let server: FakeClusters
  let path = "/i/\(UUID().uuidString)"

  init() throws { server = try #require(FakeClusters.shared) }

  func fail(_ fault: Fault) async throws { try await control("fault", JSONEncoder().encode(fault)) }
  func seen() async throws -> [Seen] {
    try JSONDecoder().decode([Seen].self, from: await control("requests", nil))
  }

  @discardableResult
  private func control(_ name: String, _ body: Data?) async throws -> Data {
    var request = HTTPRequest(body == nil ? .get : .post, try HTTPAddress("\(server.plain)\(path)/_/\(name)"))
    request.body = body.map { HTTPBody(type: "application/json", SecretBox(Array($0))) }
    return try await HTTPClient().send(request).body.withBytes { Data($0) }
  }

  /// A kubeconfig with one context, `prod`.
  /// - Parameter user: the user's fields, as YAML in braces.
  func kubeconfig(_ user: String, cluster more: String = "") throws -> String {
    """
    apiVersion: v1
    kind: Config
    current-context: prod
    contexts: [{ name: prod, context: { cluster: main, user: ci } }]
    clusters:
    - name: main
      cluster:
        server: \(server.secure)\(path)
        certificate-authority-data: \(try server.base64("authority.pem"))
        tls-server-name: cluster.internal
        \(more)
    users: [{ name: ci, user: \(user) }]
    """
  }

  /// A world whose kubeconfig has one context for this cluster.
  func world(_ user: String = "{ token: good }", cluster: String = "") throws -> RemoteWorld {
    var world = try RemoteWorld()
    world.variables["KUBECONFIG"] = try world.home.write(try kubeconfig(user, cluster: cluster), to: "config")
    return world
  }
}

extension RemoteWorld {
  func kubernetes(_ values: [String: Connection.Value] = [:]) throws -> KubernetesBackend {
    KubernetesBackend(try context(KubernetesBackend.backend, values))
  }

  /// The target at a secret, in a run of its own.
  func cluster(
    _ name: String = "api-keys", namespace: String = "shop", context: String? = "prod"
  ) throws -> PortRun {
    var fields = ["namespace": namespace, "name": name]
    fields["context"] = context
    let location = try #require(KubernetesBackend.backend.target).location(of: fields, through: nil)
    return PortRun(
      world: self, target: try #require(try kubernetes().target),
      destination: Destination(type: "kubernetes", location: location))
  }

  /// What the source answers about references without their scheme.
  func read(_ references: String..., values: [String: Connection.Value] = [:]) async throws -> [ServiceRun.Shown] {
    let source = try #require(try kubernetes(values).source)
    let all = references.map { text in
      let parts = text.split(separator: "#", maxSplits: 1).map(String.init)
      return Reference(
        scheme: "kubernetes", location: parts[0], selector: parts.count > 1 ? parts[1] : nil, isLocal: false)
    }
    return await source.read(all).map { answer in
      switch answer {
      case .missing: .missing
      case .failed(let failure): .failed(failure.kind)
      case .value(let secret): .value(secret.text)
      }
    }
  }

  /// Runs kubectl with this world's kubeconfig.
  func kubectl(_ words: String...) throws -> (status: Int32, text: String) { try kubectl(words) }

  func kubectl(_ words: [String]) throws -> (status: Int32, text: String) {
    let path = try #require(Peer.path("kubectl"))
    let config = try #require(variables["KUBECONFIG"])
    let answer = try Child.answer(
      [path, "--kubeconfig", config, "--cache-dir", home["cache"], "--namespace", "shop"] + words, errors: true)
    return (answer.status, answer.text)
  }
}
