import Crypto
import Foundation
import KeyplanApply
import KeyplanCore
import KeyplanHTTP
import TestTools
import Testing

@testable import KeyplanRemote

/// Each way to log in, against a real OpenBao.
@Suite(.enabled(if: OpenBao.isHere, "SKIPPED: run make setup-test: OpenBao in KEYPLAN_TEST_PYTHON"))
struct VaultLoginTests {
  /// A secret that tokens with the policy can read.
  private struct Place {
    let path: String
    let policy: String

    init(_ bao: OpenBao) async throws {
      let mount = try await bao.mount(2)
      try await bao.put(mount, "a", #"{"key":"value"}"#)
      policy = "read-\(mount)"
      path = "\(mount)/a"
      let rule = #"path \"\#(mount)/*\" { capabilities = [\"read\"] }"#
      try await bao.make("sys/policies/acl/\(policy)", #"{"policy":"\#(rule)"}"#)
    }
  }

  /// A login method at a mount of its own.
  private func enable(_ type: String, _ bao: OpenBao) async throws -> String {
    let mount = "\(type)-\(UUID().uuidString.prefix(8).lowercased())"
    try await bao.make("sys/auth/\(mount)", #"{"type":"\#(type)"}"#)
    return mount
  }

  private func json(_ object: Any) throws -> String {
    String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
  }

  @Test("a token comes from the connection, the environment, or what vault login left")
  func token() async throws {
    let bao = try OpenBao.shared.get()
    let place = try await Place(bao)
    let token = try await bao.token(#"path "\#(place.path)" {}"#)
    #expect(
      await VaultRun(bao.address, variables: ["VAULT_TOKEN": "root"]).read(place.path, "key") == .value("value"))
    let run = VaultRun(nil, variables: ["BAO_ADDR": bao.address, "BAO_TOKEN": "root"])
    #expect(await run.read(place.path, "key") == .value("value"))
    await run.backend.signOut()
    #expect(run.requests.count("revoke-self") == 0)
    let scratch = try Scratch()
    let none = VaultRun(bao.address, home: scratch.path)
    #expect(await none.failure(place.path, "key")?.hint?.contains("vault login") == true)
    try scratch.write("root\n", to: ".vault-token")
    #expect(await VaultRun(bao.address, home: scratch.path).read(place.path, "key") == .value("value"))
    #expect(await VaultRun(bao, token: token).backend.signedInAs() != .unnamed)
    #expect(await VaultRun(bao).backend.signedInAs() == .known("token policies root"))
    guard case .failed(let failure) = await VaultRun(bao, token: "wrong").backend.signedInAs() else {
      Issue.record("signed in")
      return
    }
    #expect(failure.kind == .unauthenticated)
  }

  @Test("AppRole logs in once a run, revokes its token at the end, and logs in again when it is revoked meanwhile")
  func approle() async throws {
    let bao = try OpenBao.shared.get()
    let place = try await Place(bao)
    let mount = try await enable("approle", bao)
    try await bao.make("auth/\(mount)/role/ci", #"{"token_policies":"\#(place.policy)"}"#)
    let role = try await bao.make("auth/\(mount)/role/ci/role-id", method: .get).text("data", "role_id")
    let secret = try await bao.make("auth/\(mount)/role/ci/secret-id").text("data", "secret_id")
    let values: [String: Connection.Value] = [
      "auth": .text("approle"), "auth.approle.roleId": .text(role), "auth.approle.secretId": .variable("SECRET"),
      "auth.approle.mount": .text(mount),
    ]
    let run = VaultRun(bao.address, values, variables: ["SECRET": secret, "VAULT_TOKEN": "ignored"])
    let references = (0..<30).map { VaultRun.reference("\(place.path)\($0)", "key") }
    _ = await run.backend.source?.read(references)
    #expect(await run.read(place.path, "key") == .value("value"))
    #expect(run.requests.count("/login") == 1)
    #expect(await run.backend.signedInAs() == .known("\(mount) policies default \(place.policy)"))

    // The token is revoked in the middle of the run.
    for accessor in try await accessors(of: mount, bao) {
      try await bao.make("auth/token/revoke-accessor", #"{"accessor":"\#(accessor)"}"#)
    }
    #expect(await run.read(place.path, "key") == .value("value"))
    #expect(run.requests.count("/login") == 2)

    // A path that is denied does not cause further logins.
    #expect(await run.read("\(place.path.prefix(6))-other/b", "key") == .failed(.denied))
    #expect(run.requests.count("/login") == 2)

    await run.backend.signOut()
    await run.backend.signOut()
    #expect(run.requests.count("revoke-self") == 2)
    #expect(try await accessors(of: mount, bao) == [])

    let wrong = VaultRun(bao.address, values, variables: ["SECRET": "wrong"])
    let failure = await wrong.failure(place.path, "key")
    #expect(failure?.kind == .unauthenticated)
    #expect(failure?.reason == "The role id or the secret id is wrong, used up or expired.")
    #expect(wrong.requests.all.count == 1)
  }

  /// The accessors of a login's valid tokens.
  private func accessors(of mount: String, _ bao: OpenBao) async throws -> [String] {
    let answer = try await bao.make("auth/token/accessors?list=true", method: .get)
    let object = try JSONSerialization.jsonObject(with: answer.data) as? [String: Any]
    var found: [String] = []
    for accessor in (object?["data"] as? [String: Any])?["keys"] as? [String] ?? [] {
      let token = try await bao.request(.post, "auth/token/lookup-accessor", #"{"accessor":"\#(accessor)"}"#)
      if token.text("data", "path") == "auth/\(mount)/login" { found.append(accessor) }
    }
    return found
  }

  @Test("a login whose token may not look itself up is denied, not rejected, and is not repeated for each request")
  func noLookUp() async throws {
    let bao = try OpenBao.shared.get()
    let place = try await Place(bao)
    let mount = try await enable("approle", bao)
    try await bao.make(
      "auth/\(mount)/role/ci", #"{"token_policies":"\#(place.policy)","token_no_default_policy":true}"#)
    let role = try await bao.make("auth/\(mount)/role/ci/role-id", method: .get).text("data", "role_id")
    let secret = try await bao.make("auth/\(mount)/role/ci/secret-id").text("data", "secret_id")
    let run = VaultRun(
      bao.address,
      [
        "auth": .text("approle"), "auth.approle.roleId": .text(role), "auth.approle.secretId": .variable("SECRET"),
        "auth.approle.mount": .text(mount), "kv": .text("2"),
      ], variables: ["SECRET": secret])
    for number in 0..<5 { #expect(await run.read("secret/other\(number)", "key") == .failed(.denied)) }
    #expect(await run.read(place.path, "key") == .value("value"))
    #expect(run.requests.count("/login") == 2)
    #expect(await run.backend.signedInAs() == .unnamed)
  }

  @Test("a wrapped secret id is unwrapped once, and one that somebody else has unwrapped is an alarm")
  func wrapped() async throws {
    let bao = try OpenBao.shared.get()
    let place = try await Place(bao)
    let mount = try await enable("approle", bao)
    try await bao.make("auth/\(mount)/role/ci", #"{"token_policies":"\#(place.policy)"}"#)
    let role = try await bao.make("auth/\(mount)/role/ci/role-id", method: .get).text("data", "role_id")
    func wrapping() async throws -> String {
      try await bao.make("auth/\(mount)/role/ci/secret-id", headers: ["X-Vault-Wrap-TTL": "60s"])
        .text("wrap_info", "token")
    }
    func run(_ token: String) -> VaultRun {
      VaultRun(
        bao.address,
        [
          "auth": .text("approle"), "auth.approle.roleId": .text(role),
          "auth.approle.wrappedSecretId": .variable("WRAPPED"), "auth.approle.mount": .text(mount),
        ], variables: ["WRAPPED": token])
    }
    let token = try await wrapping()
    let first = run(token)
    #expect(await first.read(place.path, "key") == .value("value"))
    // A second login of the same run uses the same secret id.
    await first.backend.signOut()
    #expect(await first.read(place.path, "key") == .value("value"))
    #expect(first.requests.count("unwrap") == 1)

    let failure = await run(token).failure(place.path, "key")
    #expect(failure?.kind == .unauthenticated)
    #expect(failure?.reason.contains("somebody else") == true)
    #expect(failure?.hint?.contains("stolen") == true)

    // An attacker can wrap any text, and any answer at a path of their own.
    let text = try await bao.make(
      "sys/wrapping/wrap", #"{"secret_id":"of an attacker"}"#, headers: ["X-Vault-Wrap-TTL": "60s"])
    let own = try await bao.mount(1)
    let similar = "auth/\(mount)/role/ci/secret-id"
    try await bao.put(own, similar, #"{"secret_id":"of an attacker"}"#)
    let read = try await bao.make("\(own)/\(similar)", method: .get, headers: ["X-Vault-Wrap-TTL": "60s"])
    for answer in [text, read] {
      let swapped = run(answer.text("wrap_info", "token"))
      #expect(await swapped.failure(place.path, "key")?.kind == .unauthenticated)
      #expect(swapped.requests.count("/unwrap") == 0 && swapped.requests.count("/login") == 0)
    }
  }

  /// A signed token (RFC 7519, ES256).
  private func token(_ claims: [String: Any], _ key: P256.Signing.PrivateKey) throws -> String {
    func part(_ data: Data) -> String {
      data.base64EncodedString().replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
        .replacingOccurrences(of: "=", with: "")
    }
    let content =
      try part(Data(#"{"alg":"ES256","typ":"JWT"}"#.utf8)) + "."
      + part(JSONSerialization.data(withJSONObject: claims))
    return try content + "." + part(key.signature(for: Data(content.utf8)).rawRepresentation)
  }

  private func claims(_ changes: [String: Any] = [:]) -> [String: Any] {
    let now = Int(Date().timeIntervalSince1970)
    let usual: [String: Any] = [
      "iss": "https://token.actions.githubusercontent.com", "aud": "https://bao.internal", "sub": "repo:acme/shop",
      "repository": "acme/shop", "iat": now - 10, "nbf": now - 10, "exp": now + 300,
    ]
    return usual.merging(changes) { $1 }
  }

  @Test("a CI service's token logs in, and each reason for a refusal has its own words")
  func jwt() async throws {
    let bao = try OpenBao.shared.get()
    let place = try await Place(bao)
    let mount = try await enable("jwt", bao)
    let key = P256.Signing.PrivateKey()
    try await bao.make(
      "auth/\(mount)/config",
      try json([
        "jwt_validation_pubkeys": [key.publicKey.pemRepresentation],
        "bound_issuer": "https://token.actions.githubusercontent.com",
      ]))
    try await bao.make(
      "auth/\(mount)/role/ci",
      try json([
        "role_type": "jwt", "user_claim": "sub", "bound_audiences": ["https://bao.internal"],
        "bound_claims": ["repository": "acme/shop"], "token_policies": [place.policy],
      ]))
    func run(_ token: String, role: String = "ci") -> VaultRun {
      VaultRun(
        bao.address,
        [
          "auth": .text("jwt"), "auth.jwt.role": .text(role), "auth.jwt.token": .variable("CI_TOKEN"),
          "auth.jwt.mount": .text(mount),
        ], variables: ["CI_TOKEN": token])
    }
    #expect(await run(try token(claims(), key)).read(place.path, "key") == .value("value"))
    let now = Int(Date().timeIntervalSince1970)
    let refusals: [(token: String, role: String, reason: String)] = [
      (try token(claims(["exp": now - 3600, "iat": now - 7200, "nbf": now - 7200]), key), "ci", "expired"),
      (try token(claims(["aud": "https://other"]), key), "ci", "another audience"),
      (try token(claims(["repository": "evil/fork"]), key), "ci", "claims"),
      (try token(claims(), P256.Signing.PrivateKey()), "ci", "not signed by an issuer"),
      (try token(claims(), key), "nope", "no such role"),
    ]
    for (token, role, reason) in refusals {
      let failure = await run(token, role: role).failure(place.path, "key")
      #expect(failure?.kind == .unauthenticated, "\(reason)")
      #expect(failure?.reason.contains(reason) == true, "\(failure?.reason ?? "")")
    }
  }

  @Test("GitHub's token is requested for each login with its audience, and without permission the hint says which")
  func github() async throws {
    let bao = try OpenBao.shared.get()
    let place = try await Place(bao)
    let mount = try await enable("jwt", bao)
    let key = P256.Signing.PrivateKey()
    try await bao.make(
      "auth/\(mount)/config", try json(["jwt_validation_pubkeys": [key.publicKey.pemRepresentation]]))
    try await bao.make(
      "auth/\(mount)/role/ci",
      try json([
        "role_type": "jwt", "user_claim": "sub", "bound_audiences": ["https://bao.internal"],
        "token_policies": [place.policy],
      ]))
    let values: [String: Connection.Value] = [
      "auth": .text("jwt"), "auth.jwt.role": .text("ci"), "auth.jwt.mount": .text(mount),
      "auth.jwt.token": .githubToken(audience: "https://bao.internal"),
    ]
    let github = try TokenService(token: try token(claims(), key))
    let run = VaultRun(
      bao.address, values,
      variables: ["ACTIONS_ID_TOKEN_REQUEST_URL": github.address, "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "job"])
    #expect(await run.read(place.path, "key") == .value("value"))
    #expect(run.requests.count("audience=https%3A%2F%2Fbao.internal") == 1)
    await run.backend.signOut()
    #expect(await run.read(place.path, "key") == .value("value"))
    #expect(run.requests.count("audience=") == 2)

    let outside = VaultRun(bao.address, values)
    let failure = await outside.failure(place.path, "key")
    #expect(failure?.kind == .unauthenticated)
    #expect(failure?.hint?.contains("id-token: write") == true)
    let refused = VaultRun(
      bao.address, values,
      variables: ["ACTIONS_ID_TOKEN_REQUEST_URL": github.address, "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "wrong"])
    #expect(await refused.read(place.path, "key") == .failed(.unauthenticated))
    let insecure = VaultRun(
      bao.address, values,
      variables: [
        "ACTIONS_ID_TOKEN_REQUEST_URL": "http://example.com/?a=b", "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "job",
      ])
    #expect(await insecure.read(place.path, "key") == .failed(.unreadable))
    #expect(insecure.requests.all == [])
  }

  @Test("a service account's token logs in, as a fake of Kubernetes reviews it")
  func kubernetes() async throws {
    let bao = try OpenBao.shared.get()
    let place = try await Place(bao)
    let mount = try await enable("kubernetes", bao)
    let scratch = try Scratch()
    let fake = try OpenBao.kubernetes(in: scratch)
    let key = P256.Signing.PrivateKey()
    let account = try token(
      claims([
        "iss": "https://kubernetes.default.svc", "aud": ["https://bao.internal"],
        "sub": "system:serviceaccount:default:app",
        "kubernetes.io": ["namespace": "default", "serviceaccount": ["name": "app", "uid": "1"]],
      ]), key)
    func run(role: String) throws -> VaultRun {
      let file = try scratch.write(account + "\n", to: "token")
      return VaultRun(
        bao.address,
        [
          "auth": .text("kubernetes"), "auth.kubernetes.role": .text(role), "auth.kubernetes.mount": .text(mount),
          "auth.kubernetes.token": .path(file).asSecret,
        ])
    }
    #expect(await (try run(role: "app")).failure(place.path, "key")?.kind == .unauthenticated)
    try await bao.make(
      "auth/\(mount)/config",
      try json([
        "kubernetes_host": fake.address, "kubernetes_ca_cert": fake.authority, "token_reviewer_jwt": account,
        "disable_local_ca_jwt": true,
      ]))
    for (role, name) in [("app", "app"), ("other", "other")] {
      try await bao.make(
        "auth/\(mount)/role/\(role)",
        try json([
          "bound_service_account_names": [name], "bound_service_account_namespaces": ["default"],
          "token_policies": [place.policy],
        ]))
    }
    #expect(await (try run(role: "app")).read(place.path, "key") == .value("value"))
    let failure = await (try run(role: "other")).failure(place.path, "key")
    #expect(failure?.kind == .unauthenticated)
    #expect(failure?.reason == "The role does not accept this service account.")
    let elsewhere = VaultRun(bao.address, ["auth": .text("kubernetes"), "auth.kubernetes.role": .text("app")])
    #expect(await elsewhere.failure(place.path, "key")?.kind == .unauthenticated)
    withExtendedLifetime(fake.server) {}
  }

  @Test("a client certificate logs in over TLS that a named authority vouches for")
  func certificate() async throws {
    let bao = try OpenBao.sharedTLS.get()
    let authority = try #require(bao.authority)
    let place = try await Place(bao)
    let mount = try await enable("cert", bao)
    let scratch = try Scratch()
    for name in ["client", "other"] {
      try OpenBao.certify(
        key: scratch["\(name).key"], certificate: scratch["\(name).pem"],
        options: ["-addext", "extendedKeyUsage=clientAuth"])
    }
    try await bao.make(
      "auth/\(mount)/certs/ci",
      try json(["certificate": try scratch.text("client.pem"), "token_policies": [place.policy]]))
    func values(_ name: String) -> [String: Connection.Value] {
      [
        "auth": .text("cert"), "auth.cert.mount": .text(mount), "ca": .path(authority),
        "clientCertificate": .path(scratch["\(name).pem"]), "clientKey": .path(scratch["\(name).key"]),
      ]
    }
    #expect(await VaultRun(bao.address, values("client")).read(place.path, "key") == .value("value"))
    let variables = [
      "VAULT_ADDR": bao.address, "VAULT_CACERT": authority, "VAULT_CLIENT_CERT": scratch["client.pem"],
      "VAULT_CLIENT_KEY": scratch["client.key"],
    ]
    let method: [String: Connection.Value] = ["auth": .text("cert"), "auth.cert.mount": .text(mount)]
    #expect(await VaultRun(nil, method, variables: variables).read(place.path, "key") == .value("value"))

    let other = await VaultRun(bao.address, values("other")).failure(place.path, "key")
    #expect(other?.kind == .unauthenticated)
    var pair = values("client")
    pair["clientKey"] = .path(scratch["other.key"])
    #expect(await VaultRun(bao.address, pair).failure(place.path, "key")?.kind == .unreadable)
    pair["clientKey"] = nil
    #expect(await VaultRun(bao.address, pair).failure(place.path, "key")?.kind == .unauthenticated)
    var untrusted = values("client")
    untrusted["ca"] = .path(scratch["other.pem"])
    #expect(await VaultRun(bao.address, untrusted).failure(place.path, "key")?.kind == .unreachable)
    untrusted["ca"] = .path(scratch["nope.pem"])
    #expect(await VaultRun(bao.address, untrusted).failure(place.path, "key")?.kind == .unreadable)
  }
}

extension Connection.Value {
  /// The same file as a secret.
  fileprivate var asSecret: Connection.Value { reference.map { .secret($0) } ?? self }
}

/// A fake of the service that issues tokens to jobs of GitHub Actions.
private final class TokenService: Sendable {
  private let server: FixtureServer
  let address: String

  init(token: String) throws {
    let scratch = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    server = try FixtureServer([scratch.appending(path: "Fixtures/githubtoken.py").path, token])
    address = "http://127.0.0.1:\(String(decoding: server.greeting, as: UTF8.self))/token?api-version=2.0"
  }
}
