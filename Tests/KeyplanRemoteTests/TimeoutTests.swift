import KeyplanHTTP
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import Synchronization
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// A service that does not answer before the deadline. To wait five times as long for it helps nobody.
@Suite("A service that misses its deadline")
struct TimeoutTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let backend: String
    let values: [String: Connection.Value]
    /// Location and selector of a secret; nil if nothing is read from the service.
    var secret: (location: String, selector: String?)?

    var testDescription: String { backend }
  }

  private static let aws: [String: Connection.Value] = [
    "region": .text("eu-central-1"), "accessKeyId": .variable("TOKEN"), "secretAccessKey": .variable("TOKEN"),
  ]

  static let cases = [
    Case(
      backend: "vault", values: ["address": .text("https://vault.example"), "token": .variable("TOKEN")],
      secret: ("secret/a", "b")),
    Case(backend: "awssm", values: aws, secret: ("a", nil)),
    Case(backend: "awsps", values: aws, secret: ("a", nil)),
    Case(
      backend: "cloudkit",
      values: [
        "address": .text("https://api.example"), "container": .text("iCloud.example"),
        "environment": .text("production"), "apiToken": .variable("TOKEN"),
      ], secret: ("a", nil)),
    Case(backend: "github", values: ["address": .text("https://api.example"), "token": .variable("TOKEN")]),
    Case(
      backend: "gitlab", values: ["address": .text("https://gitlab.example"), "token": .variable("TOKEN")],
      secret: ("1", "A")),
    Case(backend: "doppler", values: ["token": .variable("TOKEN")], secret: ("shop/prod", "A")),
  ]

  final class Sent: Sendable {
    private let count = Mutex(0)
    func add() { count.withLock { $0 += 1 } }
    var number: Int { count.withLock { $0 } }
  }

  @Test("is asked once, for a secret and for who is signed in", arguments: cases)
  func once(_ test: Case) async throws {
    if let secret = test.secret {
      let sent = Sent()
      let source = try #require(Self.backend(test, sent).source)
      let reference = Reference(
        scheme: test.backend, location: secret.location, selector: secret.selector, isLocal: false)
      guard case .failed(let failure)? = await source.read([reference]).first else {
        Issue.record("answered without an answer")
        return
      }
      #expect(failure.kind == .unreachable && sent.number == 1, "\(failure), sent \(sent.number)")
    }
    let sent = Sent()
    switch try await Self.backend(test, sent).signedInAs() {
    case .failed(let failure): #expect(failure.kind == .unreachable && sent.number == 1, "\(failure)")
    case .notAsked: #expect(sent.number == 0)
    case .known, .found, .unnamed: Issue.record("is signed in without an answer")
    }
  }

  /// GitHub Actions is asked for a token with a request of its own.
  @Test("is asked once for an identity token")
  func identityToken() async throws {
    let sent = Sent()
    let environment = Self.environment(
      sent, ["ACTIONS_ID_TOKEN_REQUEST_URL": "https://token.example/", "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "t"])
    let error = await #expect(throws: AccessFailure.self) {
      _ = try await GitHubIdentityToken(environment).token(for: "vault")
    }
    #expect(error?.kind == .unreachable && sent.number == 1)
  }

  private static func backend(_ test: Case, _ sent: Sent) throws -> any RemoteBackend {
    let description = try #require(RemoteBackends.description(test.backend))
    let name = try #require(Identifier<Connection>(test.backend))
    let connection = Connection(name, to: description, test.values)
    return try #require(
      RemoteBackends.backend(ConnectionContext(connection, to: description, in: environment(sent, ["TOKEN": "t"]))))
  }

  private static func environment(_ sent: Sent, _ variables: [String: String]) -> RemoteEnvironment {
    RemoteEnvironment(
      variables: variables, home: nil, folder: "/", http: HTTPSettings(),
      transport: { _ in
        RemoteTransport(
          send: { (request) async throws(HTTPError) in
            sent.add()
            throw HTTPError(.timedOut(.seconds(30)), at: request.address.host)
          }, pause: { _ in }, now: { 1_800_000_000 })
      },
      read: { reference in
        variables[reference.location].map { .value(SecretBox(Array($0.utf8))) } ?? .missing()
      }, programs: TestPrograms(started: RemoteWorld.Started()))
  }
}
