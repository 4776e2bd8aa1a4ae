import Crypto
import Foundation
import KeyplanHTTP
import KeyplanModel
import KeyplanSecrets
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// Identities that a real OpenBao seals and opens.
@Suite(.enabled(if: OpenBao.isHere, "SKIPPED: run make setup-test: OpenBao in KEYPLAN_TEST_PYTHON"))
struct TransitKeyTests {
  private static let identity = "AGE-SECRET-KEY-1 made up"

  /// A transit engine of its own with the keys `derived`, `other` (derived too) and `plain`.
  private func engine() async throws -> (bao: OpenBao, mount: String) {
    let bao = try OpenBao.shared.get()
    let mount = "transit-\(UUID().uuidString.prefix(8).lowercased())"
    try await bao.make("sys/mounts/\(mount)", object: ["type": "transit"])
    for name in ["derived", "other"] { try await bao.make("\(mount)/keys/\(name)", object: ["derived": true]) }
    try await bao.make("\(mount)/keys/plain")
    return (bao, mount)
  }

  private func service(_ token: String = "root", _ variables: [String: String] = [:]) -> KeyService {
    var run = AWSRun()
    run.variables = variables.merging(["VAULT_TOKEN": token]) { first, _ in first }
    return KeyService(run.environment)
  }

  private func key(_ bao: OpenBao, _ mount: String, _ name: String) throws -> ServiceKey {
    try #require(ServiceKey("\(bao.address)/v1/\(mount)/keys/\(name)"))
  }

  private func seal(
    _ key: ServiceKey, login: KeyServiceLogin? = nil, with service: KeyService
  ) async throws(AccessFailure) -> SealedIdentity {
    try await service.seal(SecretBox(Array(Self.identity.utf8)), recipient: "age1x", with: key, login: login)
  }

  private func reason(_ work: () async throws(AccessFailure) -> Void) async -> String? {
    do throws(AccessFailure) {
      try await work()
      return nil
    } catch {
      return "\(error.kind): \(error.reason)"
    }
  }

  @Test("what the key sealed, it opens, also after the key was rotated and the text rewrapped")
  func opening() async throws {
    let (bao, mount) = try await engine()
    let key = try key(bao, mount, "derived")
    let sealed = try await seal(key, with: service())
    #expect(sealed.sealed.hasPrefix("vault:v1:"))
    #expect(!sealed.text.contains(Self.identity))
    #expect(try await service().open(sealed).text == Self.identity)

    try await bao.make("\(mount)/keys/derived/rotate")
    #expect(try await service().open(sealed).text == Self.identity)
    let context = Data("keyplan-recipient age1x".utf8).base64EncodedString()
    let rewrapped = try await bao.make(
      "\(mount)/rewrap/derived", #"{"ciphertext":"\#(sealed.sealed)","context":"\#(context)"}"#)
    let text = rewrapped.text("data", "ciphertext")
    #expect(text.hasPrefix("vault:v2:"))
    let renewed = SealedIdentity(recipient: "age1x", key: key, login: nil, sealed: text)
    #expect(try await service().open(renewed).text == Self.identity)
  }

  @Test("it opens only with its own key, for its own recipient, and unchanged")
  func binding() async throws {
    let (bao, mount) = try await engine()
    let key = try key(bao, mount, "derived")
    let sealed = try await seal(key, with: service()).sealed
    let others = [
      SealedIdentity(recipient: "age1y", key: key, login: nil, sealed: sealed),
      SealedIdentity(recipient: "age1x", key: try self.key(bao, mount, "other"), login: nil, sealed: sealed),
      SealedIdentity(recipient: "age1x", key: key, login: nil, sealed: String(sealed.dropLast(8)) + "AAAAAA=="),
    ]
    for other in others {
      let reason = await reason { () async throws(AccessFailure) in _ = try await service().open(other) }
      #expect(reason == "unreadable: \(KeyServiceMessages.otherKey)")
    }
  }

  @Test(
    "a version that the key's policy excludes is named as that, with the way back; a key that is gone is another matter"
  )
  func tooOld() async throws {
    let (bao, mount) = try await engine()
    let key = try key(bao, mount, "derived")
    let sealed = try await seal(key, with: service())
    try await bao.make("\(mount)/keys/derived/rotate")
    try await bao.make(
      "\(mount)/keys/derived/config", object: ["min_decryption_version": 2, "deletion_allowed": true])
    func failure() async -> AccessFailure? {
      do throws(AccessFailure) {
        _ = try await service().open(sealed)
        return nil
      } catch { return error }
    }
    let old = await failure()
    #expect(old?.reason == KeyServiceMessages.tooOld("derived"))
    #expect(old?.hint?.contains("min_decryption_version") == true)
    try await bao.make("\(mount)/keys/derived/config", object: ["min_decryption_version": 1])
    #expect(try await service().open(sealed).text == Self.identity)
    _ = try await bao.request(.delete, "\(mount)/keys/derived")
    let gone = await failure()
    #expect(gone?.reason == KeyServiceMessages.noKey("derived") && gone?.hint != old?.hint)
  }

  @Test("a key that ignores the recipient, and one that does not exist, seal nothing")
  func unsuitable() async throws {
    let (bao, mount) = try await engine()
    for (name, words) in [
      ("plain", KeyServiceMessages.notDerived("plain")), ("none", KeyServiceMessages.noKey("none")),
    ] {
      let key = try key(bao, mount, name)
      let reason = await reason { () async throws(AccessFailure) in _ = try await seal(key, with: service()) }
      #expect(reason == "unreadable: \(words)")
    }
    // A request to seal with a key that does not exist would have made it.
    let keys = try await bao.request(.get, "\(mount)/keys?list=true")
    #expect(!String(decoding: keys.data, as: UTF8.self).contains(#""none""#))
  }

  @Test("a job signs in with its own token, may open its own identity only, and its login is revoked")
  func login() async throws {
    let (bao, mount) = try await engine()
    let key = try key(bao, mount, "derived")
    let jwt = try await bao.enable("jwt")
    let signer = P256.Signing.PrivateKey()
    try await bao.make("auth/\(jwt)/config", object: ["jwt_validation_pubkeys": [signer.publicKey.pemRepresentation]])
    let policy = "open-\(mount)"
    func context(_ recipient: String) -> String { Data("keyplan-recipient \(recipient)".utf8).base64EncodedString() }
    let rule = """
      path "\(mount)/decrypt/derived" {
        capabilities = ["update"]
        allowed_parameters = { "context" = ["\(context("age1x"))"], "ciphertext" = [] }
      }
      """
    try await bao.make("sys/policies/acl/\(policy)", object: ["policy": rule])
    try await bao.make(
      "auth/\(jwt)/role/ci",
      object: [
        "role_type": "jwt", "user_claim": "sub", "bound_audiences": ["keyplan"], "token_policies": [policy],
      ])
    let login = KeyServiceLogin(role: "ci", token: .variable("ID_TOKEN"), mount: jwt)
    let mine = try await seal(key, login: login, with: service())
    let theirs = try await service().seal(
      SecretBox(Array("other".utf8)), recipient: "age1y", with: key, login: login)

    let variables = [
      "ID_TOKEN": try VaultIdentityTests.token(VaultIdentityTests.claims(["aud": "keyplan"]), signer),
      "VAULT_TOKEN": "",
    ]
    #expect(try await service("", variables).open(mine).text == Self.identity)
    let reason = await reason { () async throws(AccessFailure) in _ = try await service("", variables).open(theirs) }
    #expect(reason?.hasPrefix("denied: ") == true, "\(reason ?? "")")
    // The other login's token is revoked by the server when the test's engine ends; ours are revoked at once.
    let accessors = try await bao.request(.get, "auth/token/accessors?list=true")
    let listed = try JSONSerialization.jsonObject(with: accessors.data) as? [String: Any]
    for accessor in (listed?["data"] as? [String: Any])?["keys"] as? [String] ?? [] {
      let token = try await bao.request(.post, "auth/token/lookup-accessor", #"{"accessor":"\#(accessor)"}"#)
      #expect(!String(decoding: token.data, as: UTF8.self).contains("auth/\(jwt)/login"))
    }
  }
}
