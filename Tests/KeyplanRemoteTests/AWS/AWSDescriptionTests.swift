import Foundation
import KeyplanHTTP
import KeyplanSecrets
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// A described service, through a server that checks signatures.
@Suite("A description that signs for AWS") struct AWSDescriptionTests {
  @Test(
    "a description reads and writes at a service that checks signatures",
    .enabled(if: AWSPeer.python != nil, "SKIPPED: run scripts/setup-aws.sh, which installs moto"))
  func moto() async throws {
    let known = try AWSPeer.known(.moto)
    func run(_ key: String) throws -> ServiceRun {
      var settings = HTTPSettings()
      settings.deadline = .seconds(600)
      return try SignerTests.run(
        SignerTests.parameters,
        [
          "address": .text(known.address), "region": .text("eu-central-1"), "accessKeyId": .text(known.admin[0]),
          "secretAccessKey": .secret(SecretBox(Array(key.utf8))),
        ], RemoteTransport(settings, now: { Int64(Date().timeIntervalSince1970) }), place: ["path": "signer/test"])
    }
    let good = try run(known.admin[1])
    #expect(await good.write(["ONE": "value ü", "TWO": "2"]) == ["ONE": .done, "TWO": .done])
    #expect(await good.read("ONE", "TWO", "NONE") == [.value("value ü"), .value("2"), .missing])
    let bad = try run("another")
    #expect(await bad.read("ONE") != [.value("value ü")])
    #expect(await bad.read("ONE") != [.missing])
  }
}
