import KeyplanApply
import KeyplanHTTP
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// Against two implementations that are not ours, and check every signature and every right.
@Suite(
  "Access keys of IAM, as moto and MiniStack have them",
  .enabled(if: AWSPeer.python != nil, "SKIPPED: run scripts/setup-aws.sh, which installs moto and MiniStack"))
struct AWSAccessKeyPeerTests: AWSPeerSuite {
  private static let label = "keyplan/0b8f2c/aws-ci/7"

  /// A user that no other test has, with the rights to sign in and to read nothing.
  private static func user(at peer: AWSPeer.Kind) async throws -> String {
    let user = fresh()
    let run = try AWSPeer.run(peer)
    let key = try await run.credentials()
    let client = AWSClient(
      endpoint: try AWSEndpoint(.iam, in: "eu-central-1", at: run.variables["AWS_ENDPOINT_URL"]),
      transport: run.environment.transport(run.environment.http), lane: Lane(),
      signIn: AWSSignIn(now: run.now) { () async throws(RemoteFailure) in key })
    _ = try await client.query("CreateUser", [("UserName", .open(user))], .write)
    return user
  }

  /// Who is signed in with a minted key; nil if it does not work.
  private static func owner(of key: MintedKey, at peer: AWSPeer.Kind) async throws -> String? {
    let parts = try ["accessKeyId", "secretAccessKey"].map { try #require(key.parts[$0]).text }
    let run = AWSPeer.run(try AWSPeer.known(peer), parts)
    guard case .found(let owner, _) = await try run.backend(AccessKeyBackend.backend).signedInAs() else { return nil }
    return owner
  }

  @Test("a key that was made works, is listed, and is gone after it was revoked", arguments: AWSPeer.Kind.allCases)
  func lifecycle(peer: AWSPeer.Kind) async throws {
    let user = try await Self.user(at: peer)
    let place = AWSRun.place(user)
    let issuer = try AWSPeer.run(peer).accessKeys()
    #expect(issuer.connection.name.name == "aws-keys" && !issuer.hasLabels)
    #expect(try await issuer.list(at: place) == [])
    let key = try await issuer.mint(Self.label, at: place)
    #expect(key.parts.names == AccessKeyBackend.backend.issuer?.parts && key.expires == nil)
    #expect(key.parts["accessKeyId"]?.text == key.id)
    #expect(try await Self.owner(of: key, at: peer)?.hasSuffix(":user/\(user)") == true)

    let listed = try await issuer.list(at: place)
    #expect(listed.map(\.id) == [key.id] && listed.allSatisfy { $0.name == nil && $0.created != nil })
    #expect(await failure { try await issuer.orphans(of: [Self.label], at: place) }?.kind == .unsupported)
    #expect(try await issuer.revoke(key.id, at: place) == .done)
    #expect(try await issuer.list(at: place) == [])
    for _ in 1...2 { #expect(try await issuer.revoke(key.id, at: place) == .alreadyGone) }
    #expect(try await issuer.disable(key.id, label: Self.label, at: place) == .alreadyGone)
    #expect(try await Self.owner(of: key, at: peer) == nil)
  }

  @Test("a disabled key is still listed, and can be revoked", arguments: AWSPeer.Kind.allCases)
  func disabled(peer: AWSPeer.Kind) async throws {
    let place = AWSRun.place(try await Self.user(at: peer))
    let issuer = try AWSPeer.run(peer).accessKeys()
    let kept = try await issuer.mint(Self.label, at: place)
    let key = try await issuer.mint(Self.label, at: place)
    for _ in 1...2 { #expect(try await issuer.disable(key.id, label: Self.label, at: place) == .done) }
    #expect(Set(try await issuer.list(at: place).map(\.id)) == [kept.id, key.id])
    #expect(try await issuer.revoke(key.id, at: place) == .done)
    #expect(try await issuer.list(at: place).map(\.id) == [kept.id])
    #expect(try await Self.owner(of: kept, at: peer) != nil)
  }

  @Test("a third key is refused, and the failure says what to do")
  func quota() async throws {
    let user = try await Self.user(at: .moto)
    let place = AWSRun.place(user)
    let issuer = try AWSPeer.run(.moto).accessKeys()
    for _ in 1...2 { _ = try await issuer.mint(Self.label, at: place) }
    let third = await failure { try await issuer.mint(Self.label, at: place) }
    #expect(third?.kind == .refused)
    #expect(third?.reason == "The IAM user \"\(user)\" already has two access keys, and AWS allows no more.")
    #expect(third?.hint?.contains("aws iam list-access-keys --user-name \(user)") == true)
    #expect(try await issuer.list(at: place).count == 2)
  }

  @Test("a wrong secret is a credential that is rejected", arguments: AccessKeyOperation.allCases)
  func wrongSecret(operation: AccessKeyOperation) async throws {
    let place = AWSRun.place(try await Self.user(at: .moto))
    let key = try await AWSPeer.run(.moto).accessKeys().mint(Self.label, at: place)
    let known = try AWSPeer.known(.moto)
    for wrong in [[known.admin[0], "another"], ["AKIA0000000000000000", known.admin[1]]] {
      let issuer = try AWSPeer.run(known, wrong).accessKeys()
      #expect(await failure { try await issuer.perform(operation, key.id, at: place) }?.kind == .unauthenticated)
    }
    #expect(try await AWSPeer.run(.moto).accessKeys().list(at: place).map(\.id) == [key.id])
  }

  @Test("a missing right is named", arguments: AWSPeer.Kind.allCases, AccessKeyOperation.allCases)
  func missingRight(peer: AWSPeer.Kind, operation: AccessKeyOperation) async throws {
    let place = AWSRun.place(try await Self.user(at: peer))
    let key = try await AWSPeer.run(peer).accessKeys().mint(Self.label, at: place)
    let issuer = try AWSPeer.run(peer, as: .stranger).accessKeys()
    let denied = await failure { try await issuer.perform(operation, key.id, at: place) }
    #expect(denied?.kind == .denied)
    #expect(denied?.hint == "Allow iam:\(operation.action) for this resource in the identity's policy.")
    #expect(try await AWSPeer.run(peer).accessKeys().list(at: place).map(\.id) == [key.id])
  }

  /// MiniStack lists no keys for a user that it does not know.
  @Test("a user that does not exist is a refusal, and no key of it seems gone", arguments: AccessKeyOperation.allCases)
  func noUser(operation: AccessKeyOperation) async throws {
    let user = Self.fresh()
    let issuer = try AWSPeer.run(.moto).accessKeys()
    let refused = await failure {
      try await issuer.perform(operation, "AKIA0000000000000000", at: AWSRun.place(user))
    }
    #expect(refused?.kind == .refused && refused?.reason == "The account has no IAM user \"\(user)\".")
    #expect(refused?.hint != nil)
  }
}
