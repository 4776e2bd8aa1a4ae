import Crypto
import Foundation
import KeyplanApply
import KeyplanCore
import KeyplanHTTP
import KeyplanLocal
import KeyplanManifest
import KeyplanProviders
import KeyplanReporting
import KeyplanSecrets
import TestTools
import Testing

@testable import KeyplanRemote

/// Every backend, used as its page shows, at a server that wants to harm. A backend that is added is tested without a line here.
@Suite("A hostile server")
struct HostileServerTests {
  /// The example of a backend's page, read.
  struct Use: Sendable {
    let backend: any RemoteBackend
    let reference: Reference?
    let destination: Destination?
    let name: String
    let sent: HostileServer.Sent
  }

  private static let token = "canary-of-the-credential"
  private static let value = "canary-of-the-value"

  private static let more: [String: [String: Connection.Value]] = [
    "azure": ["tenant": .text("t"), "client": .text("c"), "clientSecret": .variable("SECRET")],
    "gcp": ["token": .variable("TOKEN")],
  ]

  private static let kubeconfig = """
    apiVersion: v1
    kind: Config
    current-context: prod
    contexts: [{ name: prod, context: { cluster: c, user: u } }]
    clusters: [{ name: c, cluster: { server: "https://cluster.example" } }]
    users: [{ name: u, user: { token: \(token) } }]
    """

  private static func use(_ name: String, _ deed: HostileServer.Deed) throws -> Use {
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
    let declared = try #require(manifest.connections.values.first, "\(text)")
    // What an example leaves to the machine's own credentials.
    let values = declared.values.filter { declared.declared.contains($0.key) }.merging(more[name] ?? [:]) { first, _ in
      first
    }
    let connection = Connection(declared.name, to: description, values)
    let server = try HostileServer.shared.get()
    let sent = HostileServer.Sent()
    let environment = RemoteEnvironment(
      variables: variables(of: description), home: "/home/somebody", folder: "/project", http: HTTPSettings(),
      transport: { settings in
        // A backend that cannot be given a transport fails in the assertions below.
        (try? server.transport(settings, deed, sent)) ?? RemoteTransport(settings) { 0 }
      },
      read: { reference in
        switch reference.location {
        case "/home/somebody/.kube/config": .value(SecretBox(Array(kubeconfig.utf8)))
        case let name where name.hasSuffix("privateKey") || name.hasSuffix("PRIVATEKEY"):
          .value(SecretBox(Array(P256.Signing.PrivateKey().pemRepresentation.utf8)))
        default: reference.scheme == "env" ? .value(SecretBox(Array(token.utf8))) : .missing()
        }
      }, programs: FakePrograms())
    let backend = try #require(RemoteBackends.backend(ConnectionContext(connection, to: description, in: environment)))
    let target = manifest.targets.values.first
    return Use(
      backend: backend, reference: manifest.keys.values.first?.sources.first, destination: target?.destination,
      name: entryName(of: target), sent: sent)
  }

  private static func entryName(of target: Target?) -> String {
    if case .fixed(let name)? = target?.entries.first?.name { name } else { "EXAMPLE" }
  }

  /// Addresses and regions for what is no secret, the canary for what is.
  private static func variables(of description: BackendDescription) -> [String: String] {
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

  private func check(_ failure: AccessFailure, _ what: String) {
    let words = "\(failure.reason) \(failure.hint ?? "")"
    #expect(!words.contains("canary") && !words.contains("evil"), "\(what): \(words)")
    #expect(!words.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }, "\(what): \(words)")
  }

  @Test(
    "gains nothing: no value is taken for one, none is thought missing, nothing seems written, nothing is followed or shown",
    arguments: RemoteBackends.names, HostileServer.Deed.allCases)
  func harmless(name: String, deed: HostileServer.Deed) async throws {
    let reading = try Self.use(name, deed)
    if let source = reading.backend.source, let reference = reading.reference {
      let answer = await source.read([reference]).first
      if case .failed(let failure)? = answer {
        check(failure, "reading")
      } else {
        Issue.record("read \(answer.map { "\($0)" } ?? "nothing")")
      }
      #expect(reading.sent.count > 0, "nothing was sent: \(answer.map { "\($0)" } ?? "")")
    }
    if let destination = reading.destination {
      let looking = try Self.use(name, deed)
      let target = try #require(looking.backend.target)
      let sight = await target.look(TargetQuestion(names: [looking.name]), at: destination)
      if case .failed(let failure) = sight.answer {
        check(failure, "looking")
      } else {
        Issue.record("saw \(sight.answer)")
      }
      let writing = try Self.use(name, deed)
      let writer = try #require(writing.backend.target)
      let changes = TargetChanges(set: [(writing.name, SecretBox(Array(Self.value.utf8)))], remove: [])
      do throws(AccessFailure) {
        for (_, result) in try await writer.write(changes, at: destination) {
          switch result {
          case .done: Issue.record("seems to be written")
          case .refused(let failure): check(failure, "writing")
          case .unknown(let reason): check(AccessFailure(.unreadable, reason), "writing")
          case .stale: break
          }
        }
      } catch {
        check(error, "writing")
      }
      #expect(looking.sent.count > 0 && writing.sent.count > 0, "nothing was sent")
      for address in looking.sent.addresses + writing.sent.addresses { #expect(!address.contains("canary")) }
    }
    let asking = try Self.use(name, deed)
    switch await asking.backend.signedInAs() {
    case .failed(let failure): check(failure, "signing in")
    case .notAsked: break
    case .known(let who): Issue.record("signed in as \(who)")
    case .unnamed, .found: Issue.record("signed in")
    }
    for address in reading.sent.addresses + asking.sent.addresses { #expect(!address.contains("canary"), "\(address)") }
    #expect(try await HostileServer.shared.get().trapped() == [])
  }
}
