import KeyplanJSON
import KeyplanModel
import KeyplanSecrets
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// Identities that moto's KMS seals and opens. It checks signatures, policies and contexts.
@Suite(.enabled(if: AWSPeer.python != nil, "SKIPPED: run scripts/setup-aws.sh, which installs moto and MiniStack"))
struct AWSKeyTests {
  private static let identity = SecretBox(Array("AGE-SECRET-KEY-1 made up".utf8))

  private func key(_ run: AWSRun) async throws -> ServiceKey {
    let backend = SecretsManagerBackend.backend
    let context = KeyService.context(backend, ["region": .text("eu-central-1")], run.environment)
    let answer = try await AWSSession(context).client(.kms).call("CreateKey", .object([]))
    let arn = answer.member("KeyMetadata", "Arn").flatMap { answer.text($0) }
    return try #require(arn.flatMap { ServiceKey($0) })
  }

  private func kind(_ work: () async throws(AccessFailure) -> Void) async -> AccessFailure.Kind? {
    do throws(AccessFailure) {
      try await work()
      return nil
    } catch {
      return error.kind
    }
  }

  @Test("what a key sealed opens with it, for its recipient and unchanged only")
  func opening() async throws {
    let run = try AWSPeer.run(.moto)
    let (key, other) = (try await key(run), try await key(run))
    let service = KeyService(run.environment)
    let sealed = try await service.seal(Self.identity, recipient: "age1x", with: key, login: nil)
    #expect(try await service.open(sealed).text == Self.identity.text)
    #expect(!sealed.text.contains("made up"))
    let others = [
      SealedIdentity(recipient: "age1y", key: key, login: nil, sealed: sealed.sealed),
      SealedIdentity(recipient: "age1x", key: other, login: nil, sealed: sealed.sealed),
      SealedIdentity(recipient: "age1x", key: key, login: nil, sealed: String(sealed.sealed.dropLast(8)) + "AAAAAA=="),
      SealedIdentity(recipient: "age1x", key: key, login: nil, sealed: "bm8="),
    ]
    for other in others {
      let kind = await kind { () async throws(AccessFailure) in _ = try await service.open(other) }
      // moto denies another key where AWS says IncorrectKeyException.
      #expect(kind == .unreadable || kind == .denied)
    }
  }

  @Test("who has no right to the key opens nothing, and a key of another account or region is not there")
  func rights() async throws {
    let admin = try AWSPeer.run(.moto)
    let key = try await key(admin)
    let sealed = try await KeyService(admin.environment).seal(Self.identity, recipient: "age1x", with: key, login: nil)
    let stranger = KeyService(try AWSPeer.run(.moto, as: .stranger).environment)
    #expect(await kind { () async throws(AccessFailure) in _ = try await stranger.open(sealed) } == .denied)
    let absent = try #require(
      ServiceKey("arn:aws:kms:eu-central-1:123456789012:key/00000000-0000-0000-0000-000000000000"))
    let service = KeyService(admin.environment)
    let result = await kind { () async throws(AccessFailure) in
      _ = try await service.seal(Self.identity, recipient: "age1x", with: absent, login: nil)
    }
    #expect(result == .unreadable)
  }
}
