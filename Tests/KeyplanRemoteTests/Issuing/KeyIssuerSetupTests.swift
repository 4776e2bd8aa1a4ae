import Foundation
import KeyplanHTTP
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import TestTools
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// Where requests go and how they are signed, and which providers there are.
@Suite struct KeyIssuerSetupTests {
  private static let label = KeyIssuerTests.label

  @Test("there is a sample of each provider but those whose keys people make")
  func samples() {
    #expect(Set(BuiltInIssuers.names).subtracting(IssuerSample.all.map(\.name)) == ["github", "stripe"])
  }

  @Test("the hosts are known before anything is sent", arguments: IssuerSample.all)
  func hosts(sample: IssuerSample) throws {
    var silent = FakeIssuer.transport()
    silent.send = { request throws(HTTPError) in
      Issue.record("sent to \(request.address.host)")
      throw HTTPError(.unresolved)
    }
    let issuer = try FakeIssuer(sample).issuer(at: "https://gateway.example:8443/x", through: silent)
    #expect(try issuer.hosts() == ["gateway.example:8443"])
    // A field without which nothing can be asked for, or that cannot be a part of an address.
    for (field, value) in [("project", ".."), ("application", ""), ("policies", "[{"), ("grants", "x")]
    where sample.place[field] != nil && sample.name != "doppler" {
      #expect(throws: KeyIssuerFailure.self) { try FakeIssuer(sample).issuer(through: silent, place: [field: value]) }
    }
  }

  @Test("a sign-in precedes a request that makes a key, which is not sent again after another one")
  func signIn() async throws {
    let fake = try FakeIssuer("azure-application")
    func issuer(_ secret: String) throws -> KeyIssuer {
      let fields: [String: FieldInput] = [
        "address": .text(fake.address), "authority": .text(fake.address), "tenant": .text("tenant"),
        "client": .text("client"), "clientSecret": .secret(SecretBox(Array(secret.utf8))),
      ]
      return try fake.issuer(RemoteConnection(name: "test", fields: fields))
    }
    let signedIn = try issuer("good")
    #expect(try signedIn.hosts().count == 1)
    let minted = try await signedIn.mint(Self.label)
    let order = try await fake.seen().map { $0.path.split(separator: "/").last }
    #expect(order == ["token", "addPassword"])
    #expect(try await signedIn.revoke(minted.id) == .done)
    #expect(try await fake.seen().count == 1)
    // What was rejected was not processed, and yet it is the caller who decides.
    let rejected = try issuer("rejected")
    #expect(await failure { try await rejected.mint(Self.label) }?.kind == .unauthenticated)
    #expect(try await fake.seen().count == 2)
    // Nothing was sent but the sign-in.
    try await fake.fail(Fault(kind: .drop))
    let lost = try issuer("good")
    #expect(await failure { try await lost.mint(Self.label) }?.kind == .unreachable)
    #expect(try await fake.seen().allSatisfy { $0.path.hasSuffix("/token") })
  }

  @Test("Google's keys are made with the machine's own credential if none is declared")
  func machineCredential() async throws {
    let fake = try FakeIssuer("gcp-service-account")
    var connection = RemoteConnection(name: "test", fields: ["address": .text(fake.address)])
    let without = try fake.issuer(connection)
    #expect(await failure { try await without.mint(Self.label) }?.kind == .unauthenticated)
    connection.ambient = { chain throws(RemoteFailure) in
      guard chain == .google else { throw RemoteFailure(.unauthenticated, "Another chain.") }
      return AmbientCredential(token: SecretBox(Array("good".utf8)))
    }
    let issuer = try fake.issuer(connection)
    let minted = try await issuer.mint(Self.label)
    let file = try #require(minted.parts["key"]).text
    let made = try await fake.keys()
    #expect(file.contains("service_account") && made.count == 1 && made.allSatisfy { file.contains($0.value) })
    #expect(try await issuer.revoke(minted.id) == .done)
  }

  @Test("tokens of an account are at the account")
  func account() async throws {
    let fake = try FakeIssuer("cloudflare")
    let issuer = try fake.issuer(place: ["account": "acc"])
    let minted = try await issuer.mint(Self.label)
    #expect(try await issuer.disable(minted.id, label: Self.label) == .done)
    #expect(try await issuer.revoke(minted.id) == .done)
    #expect(try await fake.seen().allSatisfy { $0.path.hasPrefix("/client/v4/accounts/acc/tokens") })
  }

  @Test("keys that a person makes can be listed, disabled and revoked where there is a request")
  func manual() async throws {
    let fake = try FakeIssuer("anthropic")
    let issuer = try fake.issuer()
    #expect(issuer.manual?.page == "https://platform.claude.com/settings/keys" && !issuer.hasLabels)
    #expect(await failure { try await issuer.mint(Self.label) }?.kind == .unsupported)
    #expect(try await fake.seen() == [])
    for name in ["stripe", "github"] {
      let api = try #require(try BuiltInIssuers.api(name))
      let service = RemoteService(api, FakeIssuer.transport())
      let place = RemotePlace(connection: RemoteConnection(name: "test", fields: [:]))
      let issuer = try #require(try KeyIssuer(service, at: place))
      #expect(issuer.manual?.page.hasPrefix("https://") == true && issuer.manual?.steps.hasSuffix(".") == true)
      #expect(!issuer.canRevoke && !issuer.canDisable)
      #expect(await failure { try await issuer.revoke("x") }?.kind == .unsupported)
      #expect(await failure { try await issuer.list() }?.kind == .unsupported)
    }
  }

  @Test("each built-in description is read without a fault, and every provider with requests is tested")
  func complete() throws {
    var manual: Set<String> = []
    for name in BuiltInIssuers.names {
      do {
        let api = try #require(try BuiltInIssuers.api(name))
        let rotate = try #require(api.rotate)
        #expect(!api.summary.isEmpty)
        if case .manual = rotate.mint { manual.insert(name) }
      } catch let faults as DescriptionFaults {
        for fault in faults.all { Issue.record("\(name) \(fault.line):\(fault.column) \(fault.path): \(fault.kind)") }
      }
    }
    #expect(manual == ["anthropic", "github", "stripe"])
    #expect(Set(IssuerSample.all.map(\.name)) == Set(BuiltInIssuers.names).subtracting(["github", "stripe"]))
    #expect(BuiltInIssuers.names == BuiltInIssuers.names.sorted() && BuiltInIssuers.names.count == 14)
    #expect(try BuiltInIssuers.api("nothing") == nil)
  }

  @Test("every answer of the fake has its source")
  func sources() throws {
    let file = FakeProviders.fixtures.appending(path: "issuers.json")
    let table = try #require(
      try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: [String: Any]])
    #expect(Set(table.keys) == Set(IssuerSample.all.map(\.name)))
    for (name, entry) in table {
      for (answer, value) in entry where !["auth", "id", "archives", "mergesQuery"].contains(answer) {
        let source = (value as? [String: Any])?["source"] as? String
        #expect((source?.count ?? 0) > 12, "\(name) \(answer)")
      }
    }
  }
}
