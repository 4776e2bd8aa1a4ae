import KeyplanHTTP
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import TestTools
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// What is odd or hostile: labels, ids and answers.
@Suite struct KeyInjectionTests {
  private static let label = KeyIssuerTests.label

  private static let oddLabels = [
    "keyplan/s/../k/1", "../../keys", "a\"b", "a&name=b", "a=b", "{id}", "a'b; drop", "käse/ключ/鍵", "%2e%2e/x", "a\\b",
    "$name", "null", "0", String(repeating: "keyplan/long/", count: 9) + "1",
    String(repeating: "keyplan/long/", count: 9) + "2",
  ]

  @Test("a label stays what it is, and no other key has it", arguments: IssuerSample.minting.filter(\.hasLabels))
  func labels(sample: IssuerSample) async throws {
    let fake = try FakeIssuer(sample)
    let issuer = try fake.issuer()
    for label in Self.oddLabels { _ = try await issuer.mint(label) }
    for (label, key) in zip(Self.oddLabels, try await fake.keys()) {
      #expect(key.name == issuer.fitting(label) && (key.name == label || sample.name == "twilio"))
      #expect(try await issuer.orphans(of: label) == [key.id], "\(label)")
    }
    #expect(try await issuer.orphans(of: "keyplan/s") == [])
    _ = try await fake.seen()
    for label in ["", " a", "a ", "a\nb", "a\u{0}", "\u{85}"] {
      #expect(await failure { try await issuer.mint(label) }?.kind == .refused)
    }
    #expect(try await fake.seen() == [])
  }

  @Test("an id reaches no neighbour", arguments: IssuerSample.all)
  func ids(sample: IssuerSample) async throws {
    let fake = try FakeIssuer(sample)
    let issuer = try fake.issuer()
    if sample.canMint { _ = try await issuer.mint(Self.label) }
    let kept = try await fake.keys()
    for id in ["", ".", "..", "../\(kept.first?.id ?? "x")", "a/../b", "a\u{0}b", "x?y=z", "x#y", "x%2F..", "*", "x;y"]
    {
      do throws(KeyIssuerFailure) {
        #expect(try await issuer.revoke(id) == .alreadyGone, "\(id)")
      } catch {
        #expect(error.kind == .refused, "\(id): \(error.reason)")
      }
    }
    #expect(try await fake.keys() == kept)
  }

  @Test("long labels are cut the same way each time, and stay different")
  func shortening() {
    let labels = Self.oddLabels.suffix(2).map { KeyLabel.fitting($0, longest: 64) }
    #expect(labels.allSatisfy { $0.utf8.count == 64 && $0.hasPrefix("keyplan/long/") } && labels[0] != labels[1])
    #expect(KeyLabel.fitting("short", longest: 64) == "short" && KeyLabel.fitting(labels[0], longest: 64) == labels[0])
    let wide = KeyLabel.fitting(String(repeating: "鍵", count: 40), longest: 64)
    #expect((60...64).contains(wide.utf8.count) && wide.hasPrefix("鍵"))
    #expect(
      KeyLabel.fitting(String(repeating: "a", count: 65), longest: 64)
        == String(repeating: "a", count: 39) + "~635361c48bb9eab14198e76e")
  }

  @Test(
    "the values of a key are in no description, and no failure shows what a provider said",
    arguments: IssuerSample.minting)
  func hidden(sample: IssuerSample) async throws {
    let fake = try FakeIssuer(sample)
    let issuer = try fake.issuer()
    let minted = try await issuer.mint(Self.label)
    let value = try #require(try await fake.keys().first).value
    var dumped = ""
    dump(minted, to: &dumped)
    for text in ["\(minted)", String(reflecting: minted), dumped, "\(minted.parts)"] { #expect(!text.contains(value)) }

    for (status, body) in [
      (200, "{\"oops\": \"canary\"}"), (400, "{\"message\": \"canary\"}"), (500, "canary"), (401, "canary"),
    ] {
      try await fake.fail(Fault(status: status, headers: ["x-canary": "canary"], body: body))
      for failed in [
        await failure { try await issuer.mint("canary-label") },
        await failure { try await issuer.list() },
        await failure { try await issuer.revoke("canary-id") },
        await failure { try await issuer.disable("canary-id", label: "canary-label") },
      ] {
        guard let failed else { continue }
        #expect(!"\(failed)".contains("canary") && !failed.reason.isEmpty && failed.reason.hasSuffix("."), "\(failed)")
      }
      try await fake.recover()
    }
  }

  @Test("a key whose value is missing is known by its id")
  func valueMissing() async throws {
    let fake = try FakeIssuer("gcp-service-account")
    try await fake.fail(Fault(status: 200, body: "{\"name\": \"projects/p/serviceAccounts/a/keys/abc\"}", writes: true))
    let issuer = try fake.issuer()
    let failed = await failure { try await issuer.mint(Self.label) }
    #expect(failed?.kind == .unknown && failed?.id == "abc")
  }

  @Test("hostile answers gain nothing", arguments: HostileServer.Deed.allCases)
  func hostile(_ deed: HostileServer.Deed) async throws {
    let server = try HostileServer.shared.get()
    let names = ["azure-application", "gcp-service-account", "openai", "twilio"]
    for sample in IssuerSample.minting where names.contains(sample.name) {
      let sent = HostileServer.Sent()
      let fake = try FakeIssuer(sample)
      let issuer = try fake.issuer(through: try server.transport(HTTPSettings(), deed, sent))
      let failed = await failure { try await issuer.mint("canary") }
      let isUnreached = [.wrongCertificate, .expired].contains(deed)
      let expected: KeyIssuerFailure.Kind = isUnreached ? .unreachable : deed == .parrotRefusal ? .refused : .unknown
      #expect(failed?.kind == expected, "\(sample.name): \(failed?.reason ?? "")")
      #expect(sent.count == 1 && failed?.reason.contains("canary") == false)
      #expect(await failure { try await issuer.list() } != nil, "\(sample.name)")
      #expect(await failure { try await issuer.revoke("x1") } != nil, "\(sample.name)")
    }
    #expect(try await server.trapped().isEmpty)
  }
}
