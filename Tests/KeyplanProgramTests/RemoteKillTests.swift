import Foundation
import TestTools
import Testing

/// An apply that is killed when a service has carried out a write, and the answer has not arrived: nobody has recorded it. The
/// next apply finds out and ends in the same state as one that was not killed.
@Suite("A write that a killed apply did not record")
struct RemoteKillTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let service: String
    /// The service's fake and its arguments, or a program that starts the real one.
    var fake = "services.py"
    /// After the address: each test has an instance of the fake of its own.
    var root = "/i/INSTANCE"
    /// Fields of the connection and of the target, in YAML.
    var connection = "token: env://FAKE_TOKEN"
    /// Whether the connection has no address in the manifest: the environment has it.
    var isFoundByEnvironment = false
    var target: String
    var name = "PAYMENTS"
    /// What the request that writes looks like.
    var write = "^(POST|PUT|PATCH) "

    var testDescription: String { service }
  }

  static let cases = [
    Case(service: "gitlab", target: "project: shop"),
    Case(service: "doppler", target: "project: shop, config: prd"),
    Case(service: "vercel", target: "project: shop"),
    Case(service: "netlify", target: "account: a, site: s"),
    Case(service: "heroku", target: "app: a"),
    Case(service: "render", target: "service: srv-1"),
    Case(service: "circleci", target: "context: 0f1e2d3c-0000-4000-8000-000000000001"),
    Case(service: "consul", target: "prefix: app/prod"),
    Case(
      service: "github", fake: "github.py", root: "", connection: "token: env://GITHUB_FAKE_TOKEN",
      target: "repository: acme/shop", write: "^PUT "),
    Case(
      service: "cloudkit", fake: "cloudkit.py", root: "",
      connection:
        "container: iCloud.INSTANCE, environment: production, keyId: 0123abcd, privateKey: env://CLOUDKIT_KEY",
      target: "", write: "records/modify"),
    Case(
      service: "vault", fake: "keyless.py", root: "", connection: "token: env://VAULT_FAKE_TOKEN",
      target: "path: secret/app", write: "^(POST|PUT|PATCH) .*secret/data"),
    Case(
      service: "kubernetes", fake: "kubernetes.py", connection: "context: prod", isFoundByEnvironment: true,
      target: "namespace: shop, name: api-keys", write: "^PATCH "),
  ]

  static let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "KeyplanRemoteTests/Fixtures")

  @Test("is found by the next apply, which ends as if nothing had happened", arguments: cases)
  func killed(_ test: Case) throws {
    let scratch = try Scratch()
    let (server, port, key) = try Self.start(test, scratch)
    defer { withExtendedLifetime(server) {} }
    let proxy = try FixtureServer([
      URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/killing_proxy.py").path, port,
      scratch.path,
    ])
    let instance = UUID().uuidString.lowercased()
    let address =
      "http://127.0.0.1:\(String(decoding: proxy.greeting, as: UTF8.self))\(test.root)"
      .replacing("INSTANCE", with: instance)
    let sandbox = try ProgramSandbox()
    sandbox.variables["FAKE_TOKEN"] = "good"
    sandbox.variables["GITHUB_FAKE_TOKEN"] = "good.\(instance)"
    sandbox.variables["VAULT_FAKE_TOKEN"] = "root"
    sandbox.variables["AWS_ENDPOINT_URL"] = address
    sandbox.variables["AWS_EC2_METADATA_DISABLED"] = "true"
    if let key {
      (sandbox.variables["AWS_ACCESS_KEY_ID"], sandbox.variables["AWS_SECRET_ACCESS_KEY"]) = (key[0], key[1])
    }
    sandbox.variables["KUBECONFIG"] = sandbox.root + "/config"
    try Data(
      """
      contexts: [{ name: prod, context: { cluster: main, user: ada } }]
      clusters: [{ name: main, cluster: { server: "\(address)" } }]
      users: [{ name: ada, user: { token: good } }]

      """.utf8
    ).write(to: URL(filePath: sandbox.root + "/config"))
    if test.service == "cloudkit" { sandbox.variables["CLOUDKIT_KEY"] = try Self.cloudKitKey(port, sandbox) }
    sandbox.variables["PAYMENTS_VALUE"] = "kp-first"
    let target = test.target.isEmpty ? "" : ", \(test.target)"
    let place = test.isFoundByEnvironment ? "" : "address: \"\(address)\", "
    try sandbox.write(
      """
      version: 1
      connections: { there: { type: \(test.service), \(place)\(test.connection) } }
      keys: { payments: { provider: generic, variable: PAYMENTS, source: env://PAYMENTS_VALUE } }
      targets: { there: { type: \(test.service), connection: there\(target), keys: { \(test.name): payments } } }

      """.replacing("INSTANCE", with: instance), to: "keyplan.yaml")
    try #require(try sandbox.keyplan("identity", "new").code == 0)
    try #require(try sandbox.keyplan("init").code == 0)

    // The first write of a name, and the replacement of its value.
    for value in ["kp-first", "kp-second"] {
      sandbox.variables["PAYMENTS_VALUE"] = value
      try scratch.write(test.write, to: "armed")
      let killed = try sandbox.start([
        "sh", "-c", "echo $$ >'\(scratch["pid"])'; exec '\(Shell.program)' apply --yes",
      ]).wait()
      try #require(killed.code != 0, "was not killed: \(killed.out)\(killed.err)")
      #expect(access(scratch["armed"], F_OK) != 0, "no write came: \(killed.out)\(killed.err)")
      let applied = try sandbox.keyplan("apply", "--yes")
      #expect(applied.code == 0, "\(applied.out)\(applied.err)")
      let plan = try sandbox.keyplan("plan")
      #expect(plan.out.contains("No changes"), "\(plan.out)\(plan.err)")
      #expect(try sandbox.keyplan("drift").code == 0)
    }
  }

  private struct Greeting: Decodable {
    let vault: String?
    let http: Int?
    let address: String?
    let admin: [String]?
  }

  /// The service, its port, and an access key if it needs one.
  private static func start(
    _ test: Case, _ scratch: Scratch
  ) throws -> (server: FixtureServer, port: String, key: [String]?) {
    var words = [fixtures.appending(path: test.fake).path]
    switch test.fake {
    case "keyless.py":
      words += [try #require(OpenBaoProgram.path, "run make setup-test: OpenBao is missing"), scratch.path]
    case "kubernetes.py":
      try #require(try Child.run([fixtures.appending(path: "make-certificates.sh").path, scratch.path]) == 0)
      words.append(scratch.path)
    case "aws_peer.py": words += ["moto", try #require(AWSKillTests.python)]
    default: break
    }
    let server = try FixtureServer(words)
    let text = String(decoding: server.greeting, as: UTF8.self)
    guard let greeting = try? JSONDecoder().decode(Greeting.self, from: server.greeting) else {
      return (server, text, nil)
    }
    let port =
      greeting.http.map { "\($0)" } ?? (greeting.vault ?? greeting.address)?.split(separator: ":").last.map(String.init)
    return (server, try #require(port), greeting.admin)
  }

  private static func cloudKitKey(_ port: String, _ sandbox: ProgramSandbox) throws -> String {
    let script = """
      import json, sys, urllib.request
      print(json.load(urllib.request.urlopen(sys.argv[1]))["pkcs8"])
      """
    return try sandbox.start(["python3", "-c", script, "http://127.0.0.1:\(port)/_/key"]).wait().out
  }
}
