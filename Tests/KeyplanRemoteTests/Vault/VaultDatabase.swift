import Foundation
import KeyplanHTTP
import KeyplanModel
import KeyplanPorts
import PostgresForTests
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// A role of a real OpenBao that makes users in a real PostgreSQL.
struct VaultDatabase: Sendable {
  let bao: OpenBao
  let postgres: PostgresServer
  let mount = "db-\(UUID().uuidString.prefix(8).lowercased())"
  /// A part of the names of the users.
  let role = "r\(UUID().uuidString.prefix(7).lowercased())"
  /// What a token needs, in the policy `mount`.
  let rules: String

  /// The one that these tests share: each engine keeps connections to it, and other suites need theirs.
  private static let postgres = Result { try PostgresServer() }

  /// Whether its tests run: in CI nothing is skipped.
  static var isHere: Bool { OpenBao.isHere && PostgresServer.missing == nil }

  init(_ bao: OpenBao? = nil, _ postgres: PostgresServer? = nil) async throws {
    self.bao = try bao ?? OpenBao.shared.get()
    self.postgres = try postgres ?? Self.postgres.get()
    rules = """
      path "\(mount)/creds/*" { capabilities = ["read"] }
      path "sys/leases/revoke" { capabilities = ["update"] }
      path "sys/leases/lookup/\(mount)/creds/*" { capabilities = ["list", "sudo"] }
      """
    // Tests of other suites make it, too.
    try self.postgres.sql(
      "DO $$ BEGIN CREATE ROLE minted; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$")
    try await self.bao.make("sys/policies/acl/\(mount)", object: ["policy": rules])
    try await prepare()
  }

  /// Mounts the engine, in a namespace if these headers name one.
  func prepare(headers: [String: String] = [:]) async throws {
    let address = "postgresql://keyplan@127.0.0.1:\(postgres.port)/keyplan?sslmode=require"
    try await bao.make("sys/mounts/\(mount)", #"{"type":"database"}"#, headers: headers)
    try await bao.make(
      "\(mount)/config/pg",
      #"{"plugin_name":"postgresql-database-plugin","allowed_roles":"*","max_open_connections":2,"connection_url":"\#(address)"}"#,
      headers: headers)
    try await setLifetime("1h", headers: headers)
  }

  /// Of the users that are made or renewed from now on.
  func setLifetime(_ ttl: String, headers: [String: String] = [:]) async throws {
    let begin = #"CREATE ROLE \"{{name}}\" LOGIN PASSWORD '{{password}}' VALID UNTIL '{{expiration}}' IN ROLE minted"#
    // Without a statement, OpenBao changes the rights on the schema, which two revocations at once cannot (`tuple concurrently updated`).
    let end = #"DROP ROLE IF EXISTS \"{{name}}\""#
    try await bao.make(
      "\(mount)/roles/\(role)",
      #"{"db_name":"pg","default_ttl":"\#(ttl)","max_ttl":"24h","creation_statements":["\#(begin)"],"#
        + #""revocation_statements":["\#(end)"]}"#,
      headers: headers)
  }

  var place: Destination { place(role) }

  func place(_ role: String, mount: String? = nil, through connection: Connection? = nil) -> Destination {
    let grammar = VaultKeysBackend.backend.issuer?.place
    let values = ["mount": mount ?? self.mount, "role": role]
    return Destination(type: "bao", location: grammar?.location(of: values, through: connection) ?? "")
  }

  // MARK: The database

  /// The users that the role has made.
  func users() throws -> [String] {
    try postgres.sql("SELECT rolname FROM pg_roles WHERE rolname LIKE '%-\(role)-%' ORDER BY 1")
      .split(separator: "\n").map(String.init)
  }

  /// When the password of a user ends.
  func end(of user: String) throws -> Moment {
    let seconds = try postgres.sql(
      "SELECT floor(extract(epoch FROM rolvaliduntil))::bigint FROM pg_roles WHERE rolname = '\(user)'")
    return Moment(seconds: try #require(Int64(seconds)))
  }

  /// Waits until the users of an ended token are gone: the server ends them after it has answered.
  func waitUntilGone() throws {
    let deadline = Deadline()
    while try !users().isEmpty { try #require(!deadline.isOver, "users are left") }
  }

  // MARK: Tokens

  enum Kind: String, CaseIterable {
    case orphan, child, batch, batchChild, fewUses, silent
  }

  /// A token that may use the role.
  func token(_ kind: Kind = .orphan, ttl: String = "2h", policies: [String]? = nil, by parent: String = "root")
    async throws -> String
  {
    let path = [.child, .batchChild].contains(kind) ? "auth/token/create" : "auth/token/create-orphan"
    var body: [String: Any] = ["policies": policies ?? [mount], "ttl": ttl]
    if [.batch, .batchChild].contains(kind) { body["type"] = "batch" }
    if kind == .fewUses { body["num_uses"] = 100 }
    if kind == .silent { body["no_default_policy"] = true }
    let text = String(decoding: try JSONSerialization.data(withJSONObject: body), as: UTF8.self)
    let answer = try await bao.request(.post, path, text, token: parent)
    try #require(answer.status == 200)
    return answer.text("auth", "client_token")
  }

  /// A login by AppRole.
  struct Login: Sendable {
    let mount: String
    let role: String
    let secret: String

    /// The fields of a connection.
    var values: [String: Connection.Value] {
      [
        "auth": .text("approle"), "auth.approle.roleId": .text(role), "auth.approle.secretId": .variable("SECRET"),
        "auth.approle.mount": .text(mount),
      ]
    }
  }

  /// A login that issues tokens of this type.
  func login(_ type: String) async throws -> Login {
    let login = try await bao.enable("approle")
    try await bao.make(
      "auth/\(login)/role/ci", #"{"token_policies":"\#(mount)","token_type":"\#(type)","token_ttl":"30m"}"#)
    let role = try await bao.make("auth/\(login)/role/ci/role-id", method: .get).text("data", "role_id")
    let secret = try await bao.make("auth/\(login)/role/ci/secret-id").text("data", "secret_id")
    return Login(mount: login, role: role, secret: secret)
  }

  // MARK: Runs

  /// One run with the backend.
  struct Run: Sendable {
    let backend: VaultKeysBackend
    let issuer: any KeyIssuing
    let requests: VaultRun.Requests

    init(_ run: VaultRun) throws {
      backend = run.keys()
      issuer = try #require(backend.issuer)
      requests = run.requests
    }
  }

  func run(token: String, _ values: [String: Connection.Value] = [:]) throws -> Run {
    try Run(VaultRun(bao, token: token, values))
  }

  func run(login: Login) throws -> Run {
    try Run(VaultRun(bao.address, login.values, variables: ["SECRET": login.secret]))
  }
}

extension MintedKey {
  var user: String { parts["username"]?.text ?? "" }
  var password: String { parts["password"]?.text ?? "" }
}
