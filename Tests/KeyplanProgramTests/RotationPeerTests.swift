import Foundation
import PostgresForTests
import TestTools
import Testing

/// Rotations at services that are not ours. The program is killed when the service has carried out a request, and the answer has not
/// arrived.
@Suite("A rotation that is killed at a real service")
struct RotationPeerTests {
  @Test(
    "leaves a working user in the database, and no other that keyplan does not name: OpenBao with PostgreSQL",
    .enabled(
      if: OpenBaoProgram.path != nil && PostgresServer.missing == nil,
      "SKIPPED: run make setup-test: OpenBao, and PostgreSQL's server"))
  func openBao() throws {
    let postgres = try PostgresServer.shared.get()
    let running = try RunningService(
      ServiceCase(service: "vault", fake: "keyless.py", root: "", connection: "", target: "", source: nil))
    let sandbox = running.sandbox
    // Its own token has a parent, and what it makes ends with that.
    sandbox.variables["OWN_TOKEN"] = "root"
    try postgres.sql(
      "DO $$ BEGIN CREATE ROLE minted; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$")
    let role = "r\(UUID().uuidString.prefix(7).lowercased())"
    try python(running, Self.openBao, [running.address, role, "\(postgres.port)"])
    func users() throws -> [String] {
      try postgres.sql("SELECT rolname FROM pg_roles WHERE rolname LIKE '%-\(role)-%'").split(separator: "\n")
        .map(String.init)
    }
    func user() throws -> (name: String, password: String) {
      let held = try held(by: sandbox)
      return (try #require(held["DB_USER"]), try #require(held["DB_PASSWORD"]))
    }
    try setUp(
      running, connection: "type: vault-keys, address: \"\(running.address)\", token: env://OWN_TOKEN",
      place: "mount: db, role: \(role)", parts: ["username": "DB_USER", "password": "DB_PASSWORD"])

    for request in ["^GET /v1/db/creds/", "leases/revoke", "leases/lookup/db", "leases/lookup"] {
      let before = try user()
      let killed = try rotate(running, killedAt: request)
      let (name, password) = try user()
      #expect(postgres.accepts(name, password: password), "\(request): after the kill")
      let applied = try sandbox.keyplan("apply", "--yes")
      #expect(applied.code == 0, "\(request): \(applied.out)\(applied.err)")
      let now = try user()
      #expect(postgres.accepts(now.name, password: now.password), "\(request): after the apply")
      if request.contains("creds") {
        // A lease has no name: the user whose password was lost is named, and left to a person.
        let lost = try users().filter { $0 != now.name }
        #expect(lost.count == 1 && !lost.contains(before.name), "\(lost)")
        let note = try #require(applied.out.firstRange(of: "a response was lost:"), "\(applied.out)")
        let lease = try #require(
          applied.out[note.upperBound...].split { " \n,.".contains($0) }.first { $0.hasPrefix("db/creds/\(role)/") },
          "\(applied.out)")
        try python(running, Self.revoke, [running.address, String(lease)])
        let plan = try sandbox.keyplan("plan")
        #expect(plan.out.contains(lease), "\(plan.out)")
        #expect(try sandbox.keyplan("apply", "--yes").code == 0)
      }
      try expectConverged(sandbox, request)
      #expect(try users() == [now.name], "\(request)")
      expectNoSecret([before.password, password, now.password, "root-token"], in: [killed, applied])
    }

    try expectNotice(running, role, postgres)
    // Not its manifest's key any more: the user is gone.
    let connection = "{ type: vault-keys, address: \"\(running.address)\", token: env://OWN_TOKEN }"
    try sandbox.write("version: 1\nconnections: { there: \(connection) }\n", to: "keyplan.yaml")
    let ended = try sandbox.keyplan("apply", "--yes", "--allow-forget")
    #expect(ended.code == 0, "\(ended.out)\(ended.err)")
    #expect(try users() == [])
  }

  @Test(
    "leaves a working access key, and no other that keyplan does not name: moto",
    .enabled(if: ServiceCase.awsPython != nil, ServiceCase.withoutAWS))
  func moto() throws {
    let running = try RunningService(
      ServiceCase(service: "awssm", fake: "aws_peer.py", root: "", connection: "", target: "", source: nil))
    let sandbox = running.sandbox
    func ids() throws -> [String] {
      try JSONDecoder().decode([String].self, from: Data(try boto(running, Self.listKeys).utf8))
    }
    func works() throws -> Bool {
      let held = try held(by: sandbox)
      let key = [try #require(held["ID"]), try #require(held["SECRET"])]
      return try boto(running, Self.whoAmI, key).hasSuffix(":user/deploy\n")
    }
    _ = try boto(running, #"client("iam").create_user(UserName="deploy")"#)
    try setUp(
      running, connection: "type: aws-keys, region: eu-central-1", place: "user: deploy",
      parts: ["accessKeyId": "ID", "secretAccessKey": "SECRET"])

    for action in ["ListAccessKeys", "CreateAccessKey", "UpdateAccessKey", "DeleteAccessKey"] {
      let killed = try rotate(running, killedAt: "Action=\(action)&")
      #expect(try works(), "\(action): after the kill")
      var applied = try sandbox.keyplan("apply", "--yes")
      if action == "CreateAccessKey" {
        // AWS allows two keys. Which one nobody has is said, and a person deletes it.
        let held = try held(by: sandbox)["ID"]
        let lost = try #require(try ids().first { $0 != held })
        #expect(try ids().count == 2 && works())
        #expect(applied.code == 1 && (applied.out + applied.err).contains(lost), "\(applied.out)\(applied.err)")
        _ = try boto(running, Self.deleteKey, [lost])
        applied = try sandbox.keyplan("apply", "--yes")
      }
      #expect(applied.code == 0, "\(action): \(applied.out)\(applied.err)")
      #expect(try works(), "\(action): after the apply")
      try expectConverged(sandbox, action)
      #expect(try ids() == [held(by: sandbox)["ID"]], "\(action)")
      let secret = try #require(try held(by: sandbox)["SECRET"])
      expectNoSecret([secret] + running.credentials, in: [killed, applied])
    }
  }

  /// Somebody revokes the credential at the server.
  private func expectNotice(_ running: RunningService, _ role: String, _ postgres: PostgresServer) throws {
    let sandbox = running.sandbox
    let lost = try held(by: sandbox)
    try python(running, Self.revokeAll, [running.address, role])
    #expect(!postgres.accepts(try #require(lost["DB_USER"]), password: try #require(lost["DB_PASSWORD"])))
    let drift = try sandbox.keyplan("drift")
    #expect(drift.code == 2 && drift.out.contains("was revoked at there"), "\(drift.out)\(drift.err)")
    let plan = try sandbox.keyplan("plan", "--detailed-exitcode")
    #expect(plan.code == 2 && plan.out.contains("was revoked at there"), "\(plan.out)\(plan.err)")
    // Who cannot look says so.
    sandbox.variables["OWN_TOKEN"] = "wrong"
    let blind = try sandbox.keyplan("drift")
    #expect(
      blind.code == 0 && blind.out.contains("1 key was not looked up at its provider."), "\(blind.out)\(blind.err)")
    #expect(!blind.out.contains("agree"))
    sandbox.variables["OWN_TOKEN"] = "root"
    let applied = try sandbox.keyplan("apply", "--yes")
    #expect(applied.code == 0, "\(applied.out)\(applied.err)")
    let now = try held(by: sandbox)
    #expect(now != lost)
    #expect(postgres.accepts(try #require(now["DB_USER"]), password: try #require(now["DB_PASSWORD"])))
    try expectConverged(sandbox, "revoked there")
  }

  // MARK: The project

  private func setUp(_ running: RunningService, connection: String, place: String, parts: [String: String]) throws {
    let sorted = parts.sorted { $0.key < $1.key }
    let variables = sorted.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
    let entries = sorted.map { "\($0.value): main.\($0.key)" }.joined(separator: ", ")
    let sandbox = running.sandbox
    sandbox.variables["COLUMNS"] = "300"
    try sandbox.write(
      """
      version: 1
      connections: { there: { \(connection) } }
      policies: { quarterly: { after: 90d, then: rotate, overlap: none } }
      keys:
        main:
          provider: generic
          source: { mint: there, \(place) }
          parts: { \(variables) }
          expires: quarterly
      targets:
        app: { type: json, path: app.json, keys: { \(entries) } }

      """, to: "keyplan.yaml")
    try #require(try sandbox.keyplan("identity", "new").code == 0)
    try #require(try sandbox.keyplan("init").code == 0)
    let applied = try sandbox.keyplan("apply", "--yes")
    try #require(applied.code == 0, "\(applied.out)\(applied.err)")
  }

  private func held(by sandbox: ProgramSandbox) throws -> [String: String] {
    try JSONDecoder().decode([String: String].self, from: Data(try #require(sandbox.content(of: "app.json"))))
  }

  /// - Parameter request: what the proxy looks for in `METHOD PATH TARGET CONTENT`.
  private func rotate(_ running: RunningService, killedAt request: String) throws -> ProgramRun.Answer {
    try running.scratch.write(request, to: "armed")
    let killed = try running.sandbox.start([
      "sh", "-c", "echo $$ >'\(running.scratch["pid"])'; exec '\(Shell.program)' keys rotate main --yes",
    ]).wait()
    try #require(killed.code == 137, "\(request): \(killed.code)\n\(killed.out)\(killed.err)")
    return killed
  }

  private func expectConverged(_ sandbox: ProgramSandbox, _ what: String) throws {
    let plan = try sandbox.keyplan("plan", "--detailed-exitcode")
    #expect(plan.code == 0 && plan.out.contains("No changes"), "\(what): \(plan.out)\(plan.err)")
    #expect(try sandbox.keyplan("drift").code == 0, "\(what)")
  }

  private func expectNoSecret(_ secrets: [String], in answers: [ProgramRun.Answer]) {
    for answer in answers { for secret in secrets { #expect(!(answer.out + answer.err).contains(secret)) } }
  }

  // MARK: What a person does at the service

  @discardableResult
  private func python(_ running: RunningService, _ script: String, _ arguments: [String], of python: String = "python3")
    throws -> String
  {
    let answer = try running.sandbox.start([python, "-c", script] + arguments).wait()
    try #require(answer.code == 0, "\(answer.err)")
    return answer.out
  }

  private func boto(_ running: RunningService, _ script: String, _ arguments: [String] = []) throws -> String {
    let start = """
      import boto3, json, sys
      def client(service, *key):
          names = dict(zip(("aws_access_key_id", "aws_secret_access_key"), key))
          return boto3.client(service, region_name="eu-central-1", **names)

      """
    return try python(running, start + script, arguments, of: try #require(ServiceCase.awsPython))
  }

  private static let listKeys = """
    keys = client("iam").list_access_keys(UserName="deploy")["AccessKeyMetadata"]
    print(json.dumps([key["AccessKeyId"] for key in keys]))
    """
  private static let deleteKey = #"client("iam").delete_access_key(UserName="deploy", AccessKeyId=sys.argv[1])"#
  private static let whoAmI = #"print(client("sts", *sys.argv[1:]).get_caller_identity()["Arn"])"#

  private static let request = """
    import json, sys, urllib.request
    address = sys.argv[1]
    def send(path, **fields):
        headers = {"X-Vault-Token": "root", "content-type": "application/json"}
        urllib.request.urlopen(urllib.request.Request(address + "/v1/" + path, json.dumps(fields).encode(), headers))

    """
  private static let openBao =
    request + """
      role, port = sys.argv[2:]
      url = f"postgresql://keyplan@127.0.0.1:{port}/keyplan?sslmode=require"
      made = "CREATE ROLE \\"{{name}}\\" LOGIN PASSWORD '{{password}}' VALID UNTIL '{{expiration}}' IN ROLE minted"
      send("sys/mounts/db", type="database")
      send("db/config/pg", plugin_name="postgresql-database-plugin", allowed_roles="*", max_open_connections=2,
           connection_url=url)
      # Its own statement would change the rights on the schema, which two revocations at once cannot.
      send(f"db/roles/{role}", db_name="pg", default_ttl="12h", max_ttl="24h", creation_statements=[made],
           revocation_statements=["DROP ROLE IF EXISTS \\"{{name}}\\""])
      """
  private static let revokeAll = request + #"send("sys/leases/revoke-prefix/db/creds/" + sys.argv[2], sync=True)"#
  private static let revoke = request + #"send("sys/leases/revoke", lease_id=sys.argv[2])"#
}
