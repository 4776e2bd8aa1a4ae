import Crypto
import Foundation
import KeyplanHTTP
import KeyplanModel
import KeyplanPorts
import TestTools
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// The logins of machines that have an identity, against a real OpenBao.
@Suite(.enabled(if: OpenBao.isHere, "SKIPPED: run make setup-test: OpenBao in KEYPLAN_TEST_PYTHON"))
struct VaultIdentityTests {
  /// A signed token (RFC 7519, ES256).
  static func token(_ claims: [String: Any], _ key: P256.Signing.PrivateKey) throws -> String {
    func part(_ data: Data) -> String {
      data.base64EncodedString().replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
        .replacingOccurrences(of: "=", with: "")
    }
    let content =
      try part(Data(#"{"alg":"ES256","typ":"JWT"}"#.utf8)) + "."
      + part(JSONSerialization.data(withJSONObject: claims))
    return try content + "." + part(key.signature(for: Data(content.utf8)).rawRepresentation)
  }

  static func claims(_ changes: [String: Any] = [:]) -> [String: Any] {
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
    let place = try await VaultPlace(bao)
    let mount = try await bao.enable("jwt")
    let key = P256.Signing.PrivateKey()
    try await bao.make(
      "auth/\(mount)/config",
      object: [
        "jwt_validation_pubkeys": [key.publicKey.pemRepresentation],
        "bound_issuer": "https://token.actions.githubusercontent.com",
      ])
    try await bao.make(
      "auth/\(mount)/role/ci",
      object: [
        "role_type": "jwt", "user_claim": "sub", "bound_audiences": ["https://bao.internal"],
        "bound_claims": ["repository": "acme/shop"], "token_policies": [place.policy],
      ])
    try await bao.make(
      "auth/\(mount)/role/other",
      object: [
        "role_type": "jwt", "user_claim": "sub", "bound_audiences": ["https://bao.internal"],
        "bound_subject": "repo:acme/other", "token_policies": [place.policy],
      ])
    func run(_ token: String, role: String = "ci") -> VaultRun {
      VaultRun(
        bao.address,
        [
          "auth": .text("jwt"), "auth.jwt.role": .text(role), "auth.jwt.token": .variable("CI_TOKEN"),
          "auth.jwt.mount": .text(mount),
        ], variables: ["CI_TOKEN": token])
    }
    #expect(await run(try Self.token(Self.claims(), key)).read(place.path, "key") == .value("value"))
    let now = Int(Date().timeIntervalSince1970)
    let refusals: [(token: String, role: String, reason: String)] = [
      (try Self.token(Self.claims(["exp": now - 3600, "iat": now - 7200, "nbf": now - 7200]), key), "ci", "expired"),
      (try Self.token(Self.claims(["aud": "https://other"]), key), "ci", "another audience"),
      (try Self.token(Self.claims(["iss": "https://other"]), key), "ci", "another issuer"),
      (try Self.token(Self.claims(["iat": now + 3600, "exp": now + 7200]), key), "ci", "issued in the future"),
      (try Self.token(Self.claims(), key), "other", "another subject"),
      (try Self.token(Self.claims(["repository": "evil/fork"]), key), "ci", "claims"),
      (try Self.token(Self.claims(), P256.Signing.PrivateKey()), "ci", "not signed by an issuer"),
      (try Self.token(Self.claims(), key), "nope", "no such role"),
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
    let place = try await VaultPlace(bao)
    let mount = try await bao.enable("jwt")
    let key = P256.Signing.PrivateKey()
    try await bao.make(
      "auth/\(mount)/config", object: ["jwt_validation_pubkeys": [key.publicKey.pemRepresentation]])
    try await bao.make(
      "auth/\(mount)/role/ci",
      object: [
        "role_type": "jwt", "user_claim": "sub", "bound_audiences": ["https://bao.internal"],
        "token_policies": [place.policy],
      ])
    let values: [String: Connection.Value] = [
      "auth": .text("jwt"), "auth.jwt.role": .text("ci"), "auth.jwt.mount": .text(mount),
      "auth.jwt.token": .githubToken(audience: "https://bao.internal"),
    ]
    let github = try TokenService(token: try Self.token(Self.claims(), key))
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
    let place = try await VaultPlace(bao)
    let mount = try await bao.enable("kubernetes")
    let scratch = try Scratch()
    let fake = try OpenBao.kubernetes(in: scratch)
    let key = P256.Signing.PrivateKey()
    let account = try Self.token(
      Self.claims([
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
      object: [
        "kubernetes_host": fake.address, "kubernetes_ca_cert": fake.authority, "token_reviewer_jwt": account,
        "disable_local_ca_jwt": true,
      ])
    for (role, name) in [("app", "app"), ("other", "other")] {
      try await bao.make(
        "auth/\(mount)/role/\(role)",
        object: [
          "bound_service_account_names": [name], "bound_service_account_namespaces": ["default"],
          "token_policies": [place.policy],
        ])
    }
    #expect(await (try run(role: "app")).read(place.path, "key") == .value("value"))
    let failure = await (try run(role: "other")).failure(place.path, "key")
    #expect(failure?.kind == .unauthenticated)
    #expect(failure?.reason == "The role does not accept this service account.")
    let elsewhere = VaultRun(bao.address, ["auth": .text("kubernetes"), "auth.kubernetes.role": .text("app")])
    #expect(await elsewhere.failure(place.path, "key")?.kind == .unauthenticated)
    withExtendedLifetime(fake.server) {}
  }

  @Test("a client certificate logs in, over TLS with a named authority")
  func certificate() async throws {
    let bao = try OpenBao.sharedTLS.get()
    let authority = try #require(bao.authority)
    let place = try await VaultPlace(bao)
    let mount = try await bao.enable("cert")
    let scratch = try Scratch()
    for name in ["client", "other"] {
      try OpenBao.certify(
        key: scratch["\(name).key"], certificate: scratch["\(name).pem"],
        options: ["-addext", "extendedKeyUsage=clientAuth"])
    }
    try await bao.make(
      "auth/\(mount)/certs/ci",
      object: ["certificate": try scratch.text("client.pem"), "token_policies": [place.policy]])
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
