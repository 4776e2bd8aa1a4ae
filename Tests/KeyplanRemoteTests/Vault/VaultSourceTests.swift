import Foundation
import KeyplanHTTP
import KeyplanModel
import KeyplanPorts
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// What a Vault server answers instead of a secret, and what that means, against a real OpenBao.
@Suite(.enabled(if: OpenBao.isHere, "SKIPPED: run make setup-test: OpenBao in KEYPLAN_TEST_PYTHON"))
struct VaultSourceTests {
  @Test("an earlier version can be read, and what was deleted or destroyed is missing with its reason")
  func versions() async throws {
    let bao = try OpenBao.shared.get()
    let mount = try await bao.mount(2)
    for value in ["first", "second", "third"] { try await bao.put(mount, "a", #"{"key":"\#(value)"}"#) }
    try await bao.make("\(mount)/data/a", method: .delete)
    try await bao.make("\(mount)/destroy/a", #"{"versions":[2]}"#)
    let run = VaultRun(bao)
    guard case .missing(let reason) = await run.read("\(mount)/a", "key") else {
      Issue.record("not missing")
      return
    }
    let day = ISO8601DateFormatter().string(from: Date()).prefix(8)
    #expect(reason?.hasPrefix("The secret was deleted on \(day)") == true, "\(reason ?? "")")
    #expect(await run.read("\(mount)/a", "key?version=1") == .value("first"))
    #expect(await run.read("\(mount)/a", "?version=1") == .value("first"))
    #expect(await run.read("\(mount)/a", "key?version=2") == .missing("The version of the secret was destroyed."))
    #expect(await run.read("\(mount)/a", "key?version=9") == .missing())
    let first = try await bao.mount(1)
    try await bao.put(first, "a", #"{"key":"value"}"#)
    #expect(await run.read("\(first)/a", "key?version=1") == .failed(.unreadable))
  }

  @Test("with the wrong version of the engine nothing is missing")
  func wrongVersion() async throws {
    let bao = try OpenBao.shared.get()
    for version in [1, 2] {
      let mount = try await bao.mount(version)
      try await bao.put(mount, "a", #"{"key":"value"}"#)
      let run = VaultRun(bao, ["kv": .text("\(3 - version)")])
      for path in ["a", "nope"] {
        let failure = await run.failure("\(mount)/\(path)", "key")
        #expect(failure?.kind == .unreadable, "\(version) \(path)")
        #expect(failure?.reason.contains("another version") == true)
      }
    }
  }

  @Test("a path of the HTTP API below a mount with a slash is missing with that reason")
  func pathOfAPI() async throws {
    let bao = try OpenBao.shared.get()
    let mount = try await bao.mount(2, below: "teams/")
    try await bao.put(mount, "a", #"{"key":"value"}"#)
    let run = VaultRun(bao)
    #expect(await run.read("\(mount)/a", "key") == .value("value"))
    #expect(
      await run.read("\(mount)/data/a", "key")
        == .missing("There is no such secret; keyplan adds \"data/\" to a path itself."))
    // A secret may have such a path.
    try await bao.put(mount, "data/a", #"{"key":"deeper"}"#)
    #expect(await VaultRun(bao).read("\(mount)/data/a", "key") == .value("deeper"))
  }

  @Test("only key-value engines are read")
  func otherEngine() async throws {
    let bao = try OpenBao.shared.get()
    #expect(await VaultRun(bao).failure("cubbyhole/a", "key")?.kind == .unreadable)
    let stated = await VaultRun(bao, ["kv": .text("2")]).failure("nope/a", "key")
    #expect(stated?.kind == .unreadable)
    #expect(stated?.reason == "127.0.0.1 has no secrets engine at this path.")
  }

  @Test("a token without a right is denied, one that is wrong is unauthenticated, and each is looked up once")
  func denied() async throws {
    let bao = try OpenBao.shared.get()
    let mount = try await bao.mount(2)
    try await bao.put(mount, "a", #"{"key":"value"}"#)
    let token = try await bao.token(#"path "\#(mount)/data/a" { capabilities = ["read"] }"#)
    let references = (0..<20).map { VaultRun.reference("\(mount)/b\($0)", "key") }

    let run = VaultRun(bao, token: token)
    #expect(await run.read("\(mount)/a", "key") == .value("value"))
    let denied = await run.backend.source?.read(references) ?? []
    #expect(denied.allSatisfy { if case .failed(let failure) = $0 { failure.kind == .denied } else { false } })
    #expect(denied.count == 20 && run.requests.count("lookup-self") <= 2)
    #expect(await run.failure("\(mount)/b", "key")?.hint?.contains("\"read\"") == true)
    #expect(await run.failure("nope/b", "key")?.kind == .denied)

    let wrong = VaultRun(bao, token: "s.wrong")
    #expect(await wrong.read("\(mount)/a", "key") == .failed(.unauthenticated))
    try await bao.make("auth/token/revoke", #"{"token":"\#(token)"}"#)
    #expect(await VaultRun(bao, token: token).read("\(mount)/a", "key") == .failed(.unauthenticated))
  }

  @Test("a server that limits requests is throttling, after patience")
  func throttled() async throws {
    let bao = try OpenBao.shared.get()
    let mount = try await bao.mount(2)
    try await bao.put(mount, "a", #"{"key":"value"}"#)
    try await bao.make("sys/quotas/rate-limit/\(mount)", #"{"rate":0.0001,"path":"\#(mount)/","interval":"3600s"}"#)
    let run = VaultRun(bao, ["kv": .text("2")])
    // The quota allows one request.
    _ = await run.read("\(mount)/a", "key")
    _ = await run.read("\(mount)/a", "key")
    let sent = run.requests.all.count
    #expect(await run.read("\(mount)/a", "key") == .failed(.throttled))
    #expect(run.requests.all.count == sent + 5)
    let failure = await #expect(throws: AccessFailure.self) {
      try await run.write(["key": "new"], at: "\(mount)/a")
    }
    #expect(failure?.kind == .throttled)
  }

  @Test("a sealed server is sealed, and works again when it is unsealed")
  func sealed() async throws {
    let bao = try OpenBao()
    let mount = try await bao.mount(2)
    try await bao.put(mount, "a", #"{"key":"value"}"#)
    let run = VaultRun(bao)
    #expect(await run.read("\(mount)/a", "key") == .value("value"))
    try await bao.make("sys/seal", method: .put)
    let sent = run.requests.all.count
    let failure = await run.failure("\(mount)/a", "key")
    #expect(failure?.kind == .sealed)
    #expect(failure?.hint?.contains("operator unseal") == true)
    #expect(run.requests.all.count == sent + 1)
    #expect(await VaultRun(bao).read("\(mount)/a", "key") == .failed(.sealed))
    #expect(await run.look(["key"], at: "\(mount)/a") == nil)
    try await bao.make("sys/unseal", #"{"key":"\#(bao.unsealKey)"}"#, method: .put)
    #expect(await run.read("\(mount)/a", "key") == .value("value"))
  }

  @Test("a namespace has its own secrets, and one that does not exist is not one without secrets")
  func namespaces() async throws {
    let bao = try OpenBao.shared.get()
    let team = "team-\(UUID().uuidString.prefix(8).lowercased())"
    try await bao.make("sys/namespaces/\(team)")
    let inside = ["X-Vault-Namespace": team]
    try await bao.make("sys/mounts/secret", #"{"type":"kv","options":{"version":"2"}}"#, headers: inside)
    try await bao.make("secret/data/a", #"{"data":{"key":"inside"}}"#, headers: inside)
    #expect(await VaultRun(bao, ["namespace": .text(team)]).read("secret/a", "key") == .value("inside"))
    #expect(await VaultRun(bao, ["namespace": .text(team + "/")]).read("secret/a", "key") == .value("inside"))
    #expect(await VaultRun(bao).read("\(team)/secret/a", "key") == .value("inside"))
    let run = VaultRun(bao, ["namespace": .text(team)])
    #expect(try await run.write(["key": "new"], at: "secret/a (namespace \(team))") == ["key": .done()])
    #expect(await run.look(["key"], at: "secret/a (namespace \(team))") == ["key": "new"])
    let failure = await VaultRun(bao, ["namespace": .text("nope")]).failure("secret/a", "key")
    #expect(failure?.kind == .unreadable)
    #expect(failure?.reason == "127.0.0.1 does not have this namespace.")
  }

  @Test("a server that does not answer is unreachable, and one that answers something else is not Vault")
  func noServer() async throws {
    let run = VaultRun("http://127.0.0.1:1", ["token": .variable("T")], variables: ["T": "t"])
    #expect(await run.read("secret/a", "key") == .failed(.unreachable))
    #expect(run.requests.all.count == 5)
    let missing = VaultRun(nil, ["token": .variable("T")], variables: ["T": "t"])
    #expect(await missing.failure("secret/a", "key")?.hint?.contains("VAULT_ADDR") == true)
    let insecure = VaultRun("http://bao.internal:8200", ["token": .variable("T")], variables: ["T": "t"])
    #expect(await insecure.read("secret/a", "key") == .failed(.unreadable))
    #expect(insecure.requests.all == [])
  }

  @Test("1,000 keys are read with one request for each secret")
  func thousand() async throws {
    let bao = try OpenBao.shared.get()
    let mount = try await bao.mount(2)
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<1000 {
        group.addTask { try? await bao.put(mount, "key\(number)", #"{"value":"\#(number)","again":"\#(number)"}"#) }
      }
    }
    let run = VaultRun(bao)
    let references = (0..<1000).flatMap { number in
      ["value", "again"].map { VaultRun.reference("\(mount)/key\(number)", $0) }
    }
    let start = ContinuousClock.now
    let answers = await run.backend.source?.read(references) ?? []
    let time = ContinuousClock.now - start
    let values = answers.map { if case .value(let secret) = $0 { secret.text } else { "" } }
    #expect(values == (0..<1000).flatMap { ["\($0)", "\($0)"] })
    // One finds the mount.
    #expect(run.requests.all.count == 1001)
    print("vault: 1,000 secrets in \(time), \(run.requests.all.count) requests")
  }
}
