import Foundation
import TestTools
import Testing

/// A backend that reaches a service, and the fake or the real service that plays it.
struct ServiceCase: Sendable, CustomTestStringConvertible {
  /// The backend's name.
  let service: String
  /// The service's fake and its arguments, or a program that starts the real one.
  var fake = "services.py"
  /// After the address: each test has an instance of the fake of its own.
  var root = "/i/INSTANCE"
  /// Fields of the connection, in YAML.
  var connection = "token: env://FAKE_TOKEN"
  /// Whether the connection has no address in the manifest: it has another name, or the environment has it.
  var hasAddress = true
  /// The host that is reached through a proxy, because the backend knows it.
  var host: String?
  /// Fields of the target, in YAML.
  let target: String
  /// The name of the entry.
  var name = "PAYMENTS"
  /// Where a source finds the same; nil if the backend has no source.
  let source: String?
  /// Whether a source finds it: most services that keep secrets for builds never show them.
  var isReadable = true
  /// What the request that writes looks like: `METHOD PATH TARGET CONTENT`.
  var write = "^(POST|PUT|PATCH) "
  /// Whether the credential itself is sent, and the value as it is. Some sign or seal instead.
  var sendsCredential = true
  var sendsValue = true

  var testDescription: String { service }

  static let all = [
    ServiceCase(
      service: "github-variables", target: "owner: acme, repository: app", source: "there://acme/app#PAYMENTS"),
    ServiceCase(service: "gitlab", target: "project: shop", source: "there://shop#PAYMENTS"),
    ServiceCase(
      service: "cloudflare", target: "account: a, script: s", source: "there://a/s#PAYMENTS", isReadable: false),
    ServiceCase(service: "doppler", target: "project: shop, config: prd", source: "there://shop/prd#PAYMENTS"),
    ServiceCase(service: "infisical", target: "project: p, environment: dev", source: "there://p/dev#PAYMENTS"),
    ServiceCase(
      service: "onepassword", target: #"vault: Team, item: "My \"Item\"""#,
      source: "there://Team/My%20%22Item%22#PAYMENTS"),
    ServiceCase(
      service: "gcp", connection: "sts: \"ADDRESS\", iam: \"ADDRESS\", token: env://FAKE_TOKEN", target: "project: p",
      source: "there://p#PAYMENTS"),
    ServiceCase(
      service: "azure",
      connection: "vault: kp, authority: \"ADDRESS\", tenant: t, client: c, clientSecret: env://FAKE_SECRET",
      hasAddress: false, host: "kp.vault.azure.net", target: "", name: "KP-PAYMENTS", source: "there://KP-PAYMENTS",
      write: "^PUT "),
    ServiceCase(service: "vercel", target: "project: shop", source: "there://shop#PAYMENTS", isReadable: false),
    ServiceCase(service: "netlify", target: "account: a, site: s", source: "there://a/s#PAYMENTS", isReadable: false),
    ServiceCase(service: "heroku", target: "app: a", source: "there://a#PAYMENTS"),
    ServiceCase(service: "render", target: "service: srv-1", source: "there://srv-1#PAYMENTS"),
    ServiceCase(
      service: "circleci", target: "context: 0f1e2d3c-0000-4000-8000-000000000001",
      source: "there://0f1e2d3c-0000-4000-8000-000000000001#PAYMENTS", isReadable: false),
    ServiceCase(service: "fly", target: "app: a", source: "there://a#PAYMENTS", isReadable: false),
    ServiceCase(
      service: "railway", target: "project: p, environment: e", source: "there://p/e#PAYMENTS", write: "mutation"),
    ServiceCase(service: "consul", target: "prefix: app/prod", source: "there://app/prod#PAYMENTS"),
    ServiceCase(
      service: "github", fake: "github.py", root: "", connection: "token: env://GITHUB_FAKE_TOKEN",
      target: "repository: acme/shop", source: nil, write: "^PUT ", sendsValue: false),
    ServiceCase(
      service: "cloudkit", fake: "cloudkit.py", root: "",
      connection:
        "container: iCloud.INSTANCE, environment: production, keyId: 0123abcd, privateKey: env://CLOUDKIT_KEY",
      target: "", source: "there://PAYMENTS", write: "records/modify", sendsCredential: false),
    ServiceCase(
      service: "vault", fake: "keyless.py", root: "", connection: "token: env://VAULT_FAKE_TOKEN",
      target: "path: secret/app", source: "there://secret/app#PAYMENTS", write: "^(POST|PUT|PATCH) .*secret/data"),
    ServiceCase(
      service: "kubernetes", fake: "kubernetes.py", connection: "context: prod", hasAddress: false,
      target: "namespace: shop, name: api-keys", source: "there://shop/api-keys#PAYMENTS", write: "^PATCH "),
  ]

  /// At moto, which checks signatures. scripts/setup-aws.sh installs it.
  static let aws = [
    ServiceCase(
      service: "awssm", fake: "aws_peer.py", root: "", connection: "region: eu-central-1", hasAddress: false,
      target: "secret: prod/app", source: "there://prod/app#PAYMENTS",
      write: "^POST .*(CreateSecret|PutSecretValue)", sendsCredential: false),
    ServiceCase(
      service: "awsps", fake: "aws_peer.py", root: "", connection: "region: eu-central-1", hasAddress: false,
      target: "path: prod/app", source: "there://prod/app/PAYMENTS", write: "^POST .*PutParameter",
      sendsCredential: false),
  ]

  /// A Python that has moto; nil if there is none.
  static let awsPython: String? = {
    let usual = RunningService.fixtures.appending(path: "../../../.build-venv-aws/bin/python").standardized.path
    let path = ProcessInfo.processInfo.environment["KEYPLAN_TEST_AWS_PYTHON"] ?? usual
    return access(path, X_OK) == 0 ? path : nil
  }()
  static let withoutAWS: Comment = "SKIPPED: run scripts/setup-aws.sh, which installs moto"
}

/// A case's service with a proxy before it, and a project that uses it through that.
final class RunningService {
  let sandbox: ProgramSandbox
  /// What the proxy is told, and what it keeps.
  let scratch: Scratch
  /// The secret parts of the credential that the project has.
  private(set) var credentials: [String] = []
  let address: String
  private let test: ServiceCase
  private let instance = UUID().uuidString.lowercased()
  private let server: FixtureServer
  private let proxy: FixtureServer

  static let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "KeyplanRemoteTests/Fixtures")

  private struct Greeting: Decodable {
    let vault: String?
    let http: Int?
    let address: String?
    let admin: [String]?
  }

  /// - Parameter secret: what the credential contains, where it can be chosen.
  init(_ test: ServiceCase, secret: String = UUID().uuidString) throws {
    self.test = test
    scratch = try Scratch()
    server = try Self.start(test, scratch)
    let text = String(decoding: server.greeting, as: UTF8.self)
    let greeting = try? JSONDecoder().decode(Greeting.self, from: server.greeting)
    let known = greeting.map { greeting in
      greeting.http.map { "\($0)" }
        ?? (greeting.vault ?? greeting.address)?.split(separator: ":").last.map(String.init)
    }
    let port = try #require(known ?? text)
    let prefix = test.root.replacing("INSTANCE", with: instance)
    if let host = test.host {
      try #require(
        try Child.run([Self.fixtures.appending(path: "make-certificates.sh").path, scratch.path, host]) == 0)
    }
    proxy = try FixtureServer([
      URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/service_proxy.py").path, port,
      scratch.path, prefix,
    ])
    let proxied = "http://127.0.0.1:\(String(decoding: proxy.greeting, as: UTF8.self))"
    address = proxied + prefix
    sandbox = try ProgramSandbox()
    if test.host != nil {
      sandbox.variables["HTTPS_PROXY"] = proxied
      sandbox.variables["SSL_CERT_FILE"] = scratch["authority.pem"]
    }
    try setCredential(secret, port: port, key: greeting?.admin)
  }

  private static func start(_ test: ServiceCase, _ scratch: Scratch) throws -> FixtureServer {
    var words = [fixtures.appending(path: test.fake).path]
    switch test.fake {
    case "keyless.py":
      words += [try #require(OpenBaoProgram.path, "run make setup-test: OpenBao is missing"), scratch.path]
    case "kubernetes.py":
      try #require(try Child.run([fixtures.appending(path: "make-certificates.sh").path, scratch.path]) == 0)
      words.append(scratch.path)
    case "aws_peer.py": words += ["moto", try #require(ServiceCase.awsPython)]
    default: break
    }
    return try FixtureServer(words)
  }

  private func setCredential(_ secret: String, port: String, key: [String]?) throws {
    credentials = [secret]
    switch test.fake {
    case "keyless.py":
      let token = try python(
        """
        import sys, urllib.request
        data = b'{"id": "%s", "policies": ["root"]}' % sys.argv[2].encode()
        request = urllib.request.Request(sys.argv[1], data, {"X-Vault-Token": "root"})
        urllib.request.urlopen(request).read()
        """, "http://127.0.0.1:\(port)/v1/auth/token/create", secret)
      try #require(token.code == 0, "\(token.err)")
      sandbox.variables["VAULT_FAKE_TOKEN"] = secret
    case "cloudkit.py":
      let key = try python(
        "import json, sys, urllib.request; print(json.load(urllib.request.urlopen(sys.argv[1]))['pkcs8'])",
        "http://127.0.0.1:\(port)/_/key"
      ).out
      // Without the first line: it begins as every key does.
      credentials = key.split(separator: "\n").dropFirst(2).prefix(1).map(String.init)
      sandbox.variables["CLOUDKIT_KEY"] = key
    case "aws_peer.py":
      let key = try #require(key)
      credentials = [key[1]]
      (sandbox.variables["AWS_ACCESS_KEY_ID"], sandbox.variables["AWS_SECRET_ACCESS_KEY"]) = (key[0], key[1])
      sandbox.variables["AWS_ENDPOINT_URL"] = address
      sandbox.variables["AWS_EC2_METADATA_DISABLED"] = "true"
    case "kubernetes.py": try setToken("good.\(secret)")
    default:
      sandbox.variables["FAKE_TOKEN"] = "good.\(secret)"
      sandbox.variables["FAKE_SECRET"] = "cs.\(secret)"
      sandbox.variables["GITHUB_FAKE_TOKEN"] = "good.\(secret)"
    }
  }

  /// Another credential in the place of the one that is accepted.
  func reject(_ secret: String) throws {
    for name in ["FAKE_TOKEN", "FAKE_SECRET", "GITHUB_FAKE_TOKEN", "VAULT_FAKE_TOKEN", "AWS_SECRET_ACCESS_KEY"]
    where sandbox.variables[name] != nil { sandbox.variables[name] = "bad." + secret }
    if sandbox.variables["CLOUDKIT_KEY"] != nil {
      sandbox.variables["CLOUDKIT_KEY"] = "-----BEGIN PRIVATE KEY-----\n\(secret)\n-----END PRIVATE KEY-----\n"
    }
    if test.fake == "kubernetes.py" { try setToken("bad." + secret) }
  }

  private func setToken(_ token: String) throws {
    sandbox.variables["KUBECONFIG"] = sandbox.root + "/config"
    try Data(
      """
      contexts: [{ name: prod, context: { cluster: main, user: ada } }]
      clusters: [{ name: main, cluster: { server: "\(address)" } }]
      users: [{ name: ada, user: { token: \(token) } }]

      """.utf8
    ).write(to: URL(filePath: sandbox.root + "/config"))
  }

  private func python(_ script: String, _ arguments: String...) throws -> ProgramRun.Answer {
    try sandbox.start(["python3", "-c", script] + arguments).wait()
  }

  /// A manifest with one key from `PAYMENTS_VALUE` that is written to the service; more keys follow, in YAML.
  func setManifest(_ more: String = "") throws {
    let key = "payments: { provider: generic, variable: PAYMENTS, source: env://PAYMENTS_VALUE }"
    try setManifest(keys: [key, more], entries: ["\(test.name): payments"])
  }

  /// Keys and entries of the target, one on each line, in this project or another one.
  func setManifest(keys: [String], entries: [String], of other: ProgramSandbox? = nil) throws {
    let target = test.target.isEmpty ? "" : ", \(test.target)"
    let place = test.hasAddress ? "address: \"\(address)\", " : ""
    try (other ?? sandbox).write(
      """
      version: 1
      connections: { there: { type: \(test.service), \(place)\(test.connection) } }
      keys: {
        \(keys.filter { !$0.isEmpty }.joined(separator: ",\n  "))
      }
      targets: { there: { type: \(test.service), connection: there\(target), keys: {
        \(entries.joined(separator: ",\n  "))
      } } }

      """.replacing("INSTANCE", with: instance).replacing("ADDRESS", with: address), to: "keyplan.yaml")
  }

  /// Another project of somebody else, with the same credential.
  func other() throws -> ProgramSandbox {
    let other = try ProgramSandbox()
    other.variables.merge(sandbox.variables) { own, _ in own }
    try #require(try other.keyplan("identity", "new").code == 0)
    return other
  }

  /// What the proxy kept: `lines` or `sent`.
  func kept(_ name: String) -> Data { (try? Data(contentsOf: URL(filePath: scratch[name]))) ?? Data() }

  /// The project has a manifest, an identity and a store.
  func setUp() throws {
    try setManifest()
    try #require(try sandbox.keyplan("identity", "new").code == 0)
    try #require(try sandbox.keyplan("init").code == 0)
  }
}
