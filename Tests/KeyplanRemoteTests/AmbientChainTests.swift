import CryptoExtras
import Foundation
import KeyplanHTTP
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import KeyplanYAML
import Synchronization
import TestTools
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

private typealias Held = KeyplanSecrets.SecretBox

/// The credential chains of Google and Azure, against a fake whose tokens say how they were obtained. Their own clients find
/// the same in the same environment.
@Suite("Credentials of a machine") struct AmbientChainTests {
  private static let server = try? FixtureServer([
    URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/clouds.py").path
  ])

  static func root() throws -> String {
    "http://127.0.0.1:\(String(decoding: try #require(server).greeting, as: UTF8.self))"
  }

  /// An environment. ROOT is the fake, HOST its host, and FOLDER the home directory.
  struct Case: Encodable, Sendable, CustomTestStringConvertible {
    let chain: AmbientChain
    let name: String
    var variables: [String: String] = [:]
    var files: [String: String] = [:]
    /// The token, the project and the step; nil if there is none.
    var found: [String?]?
    /// A part of the reason for that.
    var reason = ""

    var testDescription: String { "\(chain): \(name)" }

    enum CodingKeys: CodingKey { case chain, variables, files }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(chain.rawValue, forKey: .chain)
      try container.encode(variables, forKey: .variables)
      try container.encode(files, forKey: .files)
    }
  }

  private static let key = try? _RSA.Signing.PrivateKey(keySize: .bits2048)
  private static let pem = (key?.pkcs8PEMRepresentation ?? "").replacing("\n", with: "\\n")

  private static func account(_ tokenAddress: String = "ROOT/token") -> String {
    #"{"type": "service_account", "client_email": "ci@p", "private_key_id": "k", "private_key": "\#(pem)\n", "#
      + #""token_uri": "\#(tokenAddress)", "project_id": "p"}"#
  }

  private static func user(_ more: String = "", refresh: String = "rt") -> String {
    #"{"type": "authorized_user", "client_id": "id", "client_secret": "cs", "refresh_token": "\#(refresh)"\#(more)}"#
  }

  private static func external(_ source: String, _ more: String = "", at address: String = "ROOT/v1/token") -> String {
    #"{"type": "external_account", "audience": "//iam/x", "subject_token_type": "urn:ietf:params:oauth:token-type:jwt", "#
      + #""token_url": "\#(address)", "credential_source": \#(source)\#(more)}"#
  }

  private static let impersonation =
    #", "service_account_impersonation_url": "ROOT/v1/projects/-/serviceAccounts/sa@p:generateAccessToken""#
  private static let named = ["NO_GCE_CHECK": "true", "GOOGLE_APPLICATION_CREDENTIALS": "FOLDER/c.json"]
  private static let gcloud = ".config/gcloud/application_default_credentials.json"
  private static let federated = "federated //iam/x urn:ietf:params:oauth:token-type:jwt"
  private static let application = ["AZURE_TENANT_ID": "t", "AZURE_CLIENT_ID": "c"]
  private static let resource = "https://vault.azure.net"

  private static func google(
    _ name: String, _ variables: [String: String], _ files: [String: String] = [:], _ found: [String?]? = nil,
    reason: String = ""
  ) -> Case {
    Case(chain: .google, name: name, variables: variables, files: files, found: found, reason: reason)
  }

  private static func azure(
    _ name: String, _ variables: [String: String], _ files: [String: String] = [:], _ found: [String?]? = nil,
    reason: String = ""
  ) -> Case {
    // Nothing answers at this port.
    let elsewhere = ["AZURE_POD_IDENTITY_AUTHORITY_HOST": "http://127.0.0.1:1"]
    return Case(
      chain: .azure, name: name, variables: elsewhere.merging(variables) { $1 }, files: files, found: found,
      reason: reason)
  }

  /// What the vendors' clients find, too.
  static let shared: [Case] = [
    google(
      "a service account", named, ["c.json": account()],
      [
        #"account ["k", {"aud": "https://oauth2.googleapis.com/token", "iss": "ci@p", "scope": "#
          + #""https://www.googleapis.com/auth/cloud-platform"}]"#, nil, "GOOGLE_APPLICATION_CREDENTIALS",
      ]),
    google(
      "a sign-in of gcloud", ["NO_GCE_CHECK": "true"], [gcloud: user(#", "quota_project_id": "qp""#)],
      ["user id cs rt", "qp", "application default credentials of gcloud"]),
    google(
      "another folder of gcloud", ["NO_GCE_CHECK": "true", "CLOUDSDK_CONFIG": "FOLDER/x"],
      ["x/application_default_credentials.json": user(), gcloud: user(refresh: "other")],
      ["user id cs rt", nil, "application default credentials of gcloud"]),
    google(
      "the file of the variable before that of gcloud, with the variable's project",
      named.merging(["GOOGLE_CLOUD_QUOTA_PROJECT": "mine"]) { $1 },
      ["c.json": user(#", "quota_project_id": "qp""#), gcloud: user(refresh: "other")],
      ["user id cs rt", "mine", "GOOGLE_APPLICATION_CREDENTIALS"]),
    google(
      "federation with a file", named, ["c.json": external(#"{"file": "FOLDER/t"}"#), "t": "subject"],
      ["\(federated) subject", nil, "GOOGLE_APPLICATION_CREDENTIALS"]),
    google(
      "federation with a file of JSON", named,
      [
        "c.json": external(
          #"{"file": "FOLDER/t", "format": {"type": "json", "subject_token_field_name": "tok"}}"#),
        "t": #"{"tok": "inner"}"#,
      ], ["\(federated) inner", nil, "GOOGLE_APPLICATION_CREDENTIALS"]),
    google(
      "federation with an address and impersonation", named,
      [
        "c.json": external(
          #"{"url": "ROOT/subject", "headers": {"x-subject": "yes"}, "format": {"type": "json", "subject_token_field_name": "value"}}"#,
          impersonation + #", "service_account_impersonation": {"token_lifetime_seconds": 900}"#)
      ], ["as sa@p for 900s with (\(federated) from-url)", nil, "GOOGLE_APPLICATION_CREDENTIALS"]),
    google(
      "impersonation by a person", named,
      [
        "c.json":
          #"{"type": "impersonated_service_account", "source_credentials": \#(user())\#(impersonation), "delegates": []}"#
      ], ["as sa@p for 3600s with (user id cs rt)", nil, "GOOGLE_APPLICATION_CREDENTIALS"]),
    google(
      "the metadata server", ["GCE_METADATA_HOST": "HOST", "GCE_METADATA_IP": "HOST"], [:],
      ["metadata", nil, "metadata server"]),
    google("a file that is not there", named, reason: "There is no file"),
    google("a file that is not JSON", named, ["c.json": "canary"], reason: "not a JSON object"),
    google("a file of an unknown type", named, ["c.json": #"{"type": "canary"}"#], reason: "not of one of these types"),
    google(
      "a broken file does not lead to the next way", named, ["c.json": "{}", gcloud: user()],
      reason: "not of one of these types"),
    google("a revoked sign-in", named, ["c.json": user(refresh: "revoked")], reason: "rejected the refresh token"),
    google("federation without its file", named, ["c.json": external(#"{"file": "FOLDER/t"}"#)], reason: "no file"),
    google("federation with wrong headers", named, ["c.json": external(#"{"url": "ROOT/subject"}"#)], reason: "403"),
    google("nothing", ["NO_GCE_CHECK": "true"], reason: "No credential was found"),
    azure(
      "a certificate", application.merging(["AZURE_CLIENT_CERTIFICATE_PATH": "FOLDER/c.pem"]) { $1 },
      ["c.pem": certificate],
      [
        #"t c \#(resource)/.default None [null, {"aud": "ROOT/t/oauth2/v2.0/token", "iss": "c", "sub": "c"}]"#, nil,
        "environment variables",
      ]),
    azure(
      "a federated token", application.merging(["AZURE_FEDERATED_TOKEN_FILE": "FOLDER/t"]) { $1 }, ["t": "token"],
      ["t c \(resource)/.default None token", nil, "workload identity"]),
    azure(
      "an app", ["IDENTITY_ENDPOINT": "ROOT/msi/token", "IDENTITY_HEADER": "header"], [:],
      ["app \(resource) None", nil, "managed identity"]),
    azure(
      "an app with an identity of its own",
      ["IDENTITY_ENDPOINT": "ROOT/msi/token", "IDENTITY_HEADER": "header", "AZURE_CLIENT_ID": "mine"], [:],
      ["app \(resource) mine", nil, "managed identity"]),
    azure(
      "a machine", ["AZURE_POD_IDENTITY_AUTHORITY_HOST": "ROOT"], [:],
      ["machine \(resource) None", nil, "managed identity"]),
    azure(
      "a machine with an identity of its own",
      ["AZURE_POD_IDENTITY_AUTHORITY_HOST": "ROOT", "AZURE_CLIENT_ID": "mine"],
      [:], ["machine \(resource) mine", nil, "managed identity"]),
    azure(
      "only the identity that is asked for",
      application.merging([
        "AZURE_FEDERATED_TOKEN_FILE": "FOLDER/t", "AZURE_TOKEN_CREDENTIALS": "ManagedIdentityCredential",
        "IDENTITY_ENDPOINT": "ROOT/msi/token", "IDENTITY_HEADER": "header",
      ]) { $1 }, ["t": "token"], ["app \(resource) c", nil, "managed identity"]),
    azure(
      "an app with a wrong header", ["IDENTITY_ENDPOINT": "ROOT/msi/token", "IDENTITY_HEADER": "canary"],
      reason: "HTTP 401"),
    azure("nothing", [:], reason: "No credential was found"),
  ]

  /// Where keyplan is stricter than the vendors' clients.
  private static let own: [Case] = [
    google(
      "a token address at another host", named, ["c.json": account("https://canary.example/token")],
      reason: "at another host than the connection"),
    google(
      "an exchange at another host", named,
      ["c.json": external(#"{"file": "FOLDER/t"}"#, at: "https://canary.example/v1/token"), "t": "subject"],
      reason: "at another host than the connection"),
    google(
      "impersonation at another host", named,
      [
        "c.json": external(
          #"{"file": "FOLDER/t"}"#, #", "service_account_impersonation_url": "https://canary.example/x""#),
        "t": "subject",
      ], reason: "at another host than the connection"),
    google(
      "a program", named, ["c.json": external(#"{"executable": {"command": "/bin/canary"}}"#)],
      reason: "a program, a certificate or AWS"),
    google(
      "AWS", named, ["c.json": external(#"{"environment_id": "aws1", "url": "ROOT/subject"}"#)],
      reason: "a program, a certificate or AWS"),
    google(
      "a relative path", ["GOOGLE_APPLICATION_CREDENTIALS": "c.json"], ["c.json": user()], reason: "is not absolute"),
    google(
      "a source without encryption", named, ["c.json": external(#"{"url": "http://canary.example/t"}"#)],
      reason: "must begin with https://"),
    google(
      "a metadata server elsewhere", ["GCE_METADATA_HOST": "canary.example"],
      reason: "GCE_METADATA_HOST does not name"),
    google(
      "a small key", named, ["c.json": account().replacing(pem, with: "canary")], reason: "RSA key"),
    azure(
      "a certificate with a password",
      application.merging([
        "AZURE_CLIENT_CERTIFICATE_PATH": "FOLDER/c.pem", "AZURE_CLIENT_CERTIFICATE_PASSWORD": "canary",
      ]) { $1 }, ["c.pem": certificate], reason: "has a password"),
    azure(
      "a key without its certificate", application.merging(["AZURE_CLIENT_CERTIFICATE_PATH": "FOLDER/c.pem"]) { $1 },
      ["c.pem": key?.pkcs8PEMRepresentation ?? ""], reason: "not a PEM file"),
    azure("a token without its tenant", ["AZURE_FEDERATED_TOKEN_FILE": "FOLDER/t"], reason: "not both set"),
    azure(
      "an identity without encryption",
      ["IDENTITY_ENDPOINT": "http://canary.example/msi/token", "IDENTITY_HEADER": "header"],
      reason: "not one of the hosts"),
    azure("an older identity", ["MSI_ENDPOINT": "ROOT/msi/token"], reason: "MSI_ENDPOINT"),
    azure(
      "a cluster of Service Fabric",
      ["IDENTITY_ENDPOINT": "ROOT/msi/token", "IDENTITY_HEADER": "header", "IDENTITY_SERVER_THUMBPRINT": "x"],
      reason: "IDENTITY_SERVER_THUMBPRINT"),
  ]

  /// A certificate with its key, which `openssl` made.
  private static let certificate: String = {
    let made = try? Child.answer([
      "sh", "-c",
      "openssl req -x509 -newkey rsa:2048 -nodes -keyout /dev/stdout -out /dev/stdout -days 9999 -subj /CN=x 2>/dev/null",
    ])
    return made?.text ?? ""
  }()

  private static func credential(_ one: Case) async throws -> Result<AmbientCredential, RemoteFailure> {
    let root = try root()
    var world = try RemoteWorld()
    func filled(_ text: String) -> String {
      text.replacing("ROOT", with: root).replacing("FOLDER", with: world.home.path)
        .replacing("HOST", with: root.dropFirst(7))
    }
    for (name, content) in one.files {
      let file = URL(filePath: world.home.path).appending(path: name)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try filled(content).write(to: file, atomically: false, encoding: .utf8)
    }
    world.variables = one.variables.mapValues(filled)
    let backend = try #require(RemoteBackends.description(one.chain == .google ? "gcp" : "azure"))
    var fields: [String: Connection.Value] = [:]
    for name in one.chain == .google ? ["oauth", "sts", "iam"] : ["authority"] { fields[name] = .text(root) }
    let context = try world.context(backend, fields)
    do throws(RemoteFailure) {
      return .success(try await one.chain.credential(context))
    } catch {
      return .failure(error)
    }
  }

  private static func check(_ one: Case) async throws {
    switch try await credential(one) {
    case .success(let found):
      let all = [found.token.text, found.quotaProject, found.step]
      #expect(all == one.found)
    case .failure(let failure):
      #expect(one.found == nil && failure.reason.contains(one.reason), "\(failure.reason)")
      #expect(!failure.reason.contains("canary") && failure.answer != .missing, "\(failure.reason)")
    }
  }

  @Test("are found in the steps of the vendor's own tools", arguments: shared)
  func found(_ one: Case) async throws { try await Self.check(one) }

  @Test("are not sent where the connection does not name the host, and not taken from programs", arguments: own)
  func refused(_ one: Case) async throws {
    #expect(one.found == nil)
    try await Self.check(one)
  }

  // MARK: In a connection

  private static func machine(
    _ name: String, declared: [String: Connection.Value] = [:], _ variables: [String: String], _ files: [String: String]
  ) throws -> (any RemoteBackend, Sent) {
    let sent = Sent()
    var run = AWSRun()
    run.variables = variables
    run.files = files
    run.send = { request async throws(HTTPError) in sent.answer(request) }
    let backend = try #require(RemoteBackends.description(name))
    return (try run.backend(backend, declared), sent)
  }

  private final class Sent: Sendable {
    private let list = Mutex<[(address: String, headers: [String: String])]>([])
    var all: [(address: String, headers: [String: String])] { list.withLock { $0 } }

    func answer(_ request: HTTPRequest) -> HTTPResponse {
      var headers: [String: String] = [:]
      for (name, value) in request.headers {
        switch value {
        case .open(let text): headers[name] = text
        case .secret(let secret, let prefix): headers[name] = prefix + secret.text
        }
      }
      list.withLock { $0.append((request.address.text, headers)) }
      let text = request.address.text.hasSuffix("/token") ? #"{"access_token": "session"}"# : "{}"
      return HTTPResponse(status: 200, headers: [:], body: Held(Array(text.utf8)))
    }
  }

  private static let files = ["/key.json": user(#", "quota_project_id": "qp""#)]
  private static let variables = ["GOOGLE_APPLICATION_CREDENTIALS": "/key.json"]

  @Test("sign the requests of a connection that declares none, and doctor names the step")
  func connection() async throws {
    let (backend, sent) = try Self.machine("gcp", Self.variables, Self.files)
    let reference = Reference(scheme: "gcp", location: "p", selector: "NAME", isLocal: false)
    _ = await backend.source?.read([reference])
    #expect(sent.all.count == 2 && sent.all[0].address == "https://oauth2.googleapis.com/token")
    #expect(sent.all[0].headers["authorization"] == nil)
    let request = try #require(sent.all.last)
    #expect(request.address.hasPrefix("https://secretmanager.googleapis.com/v1/projects/p/"))
    #expect(request.headers["authorization"] == "Bearer session" && request.headers["x-goog-user-project"] == "qp")
    #expect(await backend.signedInAs() == .found(owner: nil, step: "GOOGLE_APPLICATION_CREDENTIALS"))
  }

  @Test("never replace a credential that the manifest declares")
  func declared() async throws {
    let missing = Connection.Value.secret(Reference(scheme: "env", location: "NOT_SET", isLocal: true))
    let reference = Reference(scheme: "gcp", location: "p", selector: "NAME", isLocal: false)
    for field in ["token", "jwt"] {
      let (backend, sent) = try Self.machine("gcp", declared: [field: missing], Self.variables, Self.files)
      guard case .failed(let failure)? = await backend.source?.read([reference]).first else {
        Issue.record("\(field)")
        continue
      }
      #expect(failure.kind == .unauthenticated && sent.all.isEmpty, "\(field)")
    }
    let secret = ["clientSecret": missing, "vault": .text("v")]
    let (backend, sent) = try Self.machine(
      "azure", declared: secret, ["IDENTITY_ENDPOINT": "http://127.0.0.1/msi/token", "IDENTITY_HEADER": "h"], [:])
    _ = await backend.source?.read([Reference(scheme: "azure", location: "NAME", isLocal: false)])
    #expect(sent.all.isEmpty)
  }

  @Test("cannot be used by a description in a manifest")
  func inManifest() throws {
    let text = """
      summary: A service
      base: https://evil.example
      auth: [{chain: google, bearer: "{session}"}]
      list: {get: /list, entries: {each: "", name: /name, value: /value}}
      """
    let node = try #require(try Node.parse(Array(text.utf8)))
    do throws(DescriptionFaults) {
      _ = try ServiceRegistry().declare("mine", node)
      Issue.record("declared")
    } catch {
      #expect(error.all.map(\.kind) == [.chainNotAllowed])
    }
  }
}
