import Foundation
import KeyplanHTTP
import KeyplanModel
import KeyplanPorts
import TestTools
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// Each way to log in, against a real OpenBao.
@Suite(.enabled(if: OpenBao.isHere, "SKIPPED: run make setup-test: OpenBao in KEYPLAN_TEST_PYTHON"))
struct VaultLoginTests {
  @Test("a token comes from the connection, the environment, or what vault login left")
  func token() async throws {
    let bao = try OpenBao.shared.get()
    let place = try await VaultPlace(bao)
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
    let place = try await VaultPlace(bao)
    let mount = try await bao.enable("approle")
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
    let place = try await VaultPlace(bao)
    let mount = try await bao.enable("approle")
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
    let place = try await VaultPlace(bao)
    let mount = try await bao.enable("approle")
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
}
