import Foundation
import KeyplanCore
import KeyplanHTTP
import KeyplanSecrets
import Synchronization
import TestTools
import Testing

@testable import KeyplanRemote

/// What every provider of keys must do, against its fake.
@Suite struct KeyIssuerTests {
  static let label = "keyplan/0b8f2c/stripe-live/7"

  @Test("a key that was made is listed, and gone after it was revoked, however often", arguments: IssuerSample.minting)
  func lifecycle(sample: IssuerSample) async throws {
    let fake = try FakeIssuer(sample)
    let issuer = try fake.issuer()
    let before = try await issuer.list()
    let minted = try await issuer.mint(Self.label)
    let made = try #require(try await fake.keys().first)
    #expect(minted.parts.names == sample.parts && minted.id == made.id)
    #expect(sample.parts.contains { minted.parts[$0]?.text.contains(made.value) == true })
    if sample.parts.count > 1 { #expect(sample.parts.contains { minted.parts[$0]?.text == made.id }) }

    let listed = try await issuer.list()
    #expect(Set(listed.map(\.id)).subtracting(before.map(\.id)) == [minted.id])
    #expect(issuer.hasLabels == sample.hasLabels)
    if sample.hasLabels {
      #expect(listed.first { $0.id == minted.id }?.name == Self.label)
      #expect(try await issuer.orphans(of: Self.label) == [minted.id])
    } else {
      #expect(await failure { try await issuer.orphans(of: Self.label) }?.kind == .unsupported)
    }
    #expect(try await issuer.revoke(minted.id) == .done)
    #expect(try await issuer.list() == before)
    #expect(try await issuer.revoke(minted.id) == .alreadyGone)
    #expect(try await fake.keys() == [])
  }

  @Test("what an answer says of the time is read")
  func times() async throws {
    let fake = try FakeIssuer("openai")
    #expect(try await fake.issuer().mint(Self.label).expires == Moment(seconds: 1_900_000_000))
    #expect(try await fake.issuer().list().first?.created != nil)
    let cloudflare = try FakeIssuer("cloudflare")
    #expect(try await cloudflare.issuer().mint(Self.label).expires == Moment("2030-01-01"))
    #expect(try await FakeIssuer("openrouter").issuer().mint(Self.label).expires == nil)
  }

  @Test("a disabled key is still listed, and can be revoked", arguments: IssuerSample.minting)
  func disabled(sample: IssuerSample) async throws {
    let fake = try FakeIssuer(sample)
    let issuer = try fake.issuer()
    let minted = try await issuer.mint(Self.label)
    guard issuer.canDisable else {
      #expect(await failure { try await issuer.disable(minted.id, label: Self.label) }?.kind == .unsupported)
      return
    }
    for _ in 1...2 { #expect(try await issuer.disable(minted.id, label: Self.label) == .done) }
    #expect(try await fake.keys().map(\.disabled) == [true])
    #expect(try await issuer.list().map(\.id) == [minted.id])
    #expect(try await issuer.revoke(minted.id) == .done)
    #expect(try await issuer.disable(minted.id, label: Self.label) == .alreadyGone)
  }

  @Test("a key whose answer was lost is found by its label, and revoked", arguments: IssuerSample.minting)
  func lostAnswer(sample: IssuerSample) async throws {
    let fake = try FakeIssuer(sample)
    let issuer = try fake.issuer()
    let before = try await issuer.list()
    _ = try await fake.seen()
    try await fake.fail(Fault(kind: .dropAfter, writes: true))
    let lost = await failure { try await issuer.mint(Self.label) }
    #expect(lost?.kind == .unknown, "\(lost?.reason ?? "")")
    // Sent once, by whatever layer.
    #expect(try await fake.seen().count == 1)
    #expect(try await fake.keys().count == 1 && fake.pauses.list.isEmpty)
    try await fake.recover()
    let orphans =
      sample.hasLabels
      ? try await issuer.orphans(of: Self.label)
      : try await issuer.list().map(\.id).filter { id in !before.contains { $0.id == id } }
    #expect(orphans.count == 1)
    for id in orphans { #expect(try await issuer.revoke(id) == .done) }
    #expect(try await issuer.list() == before)
  }

  @Test("an answer that was lost before a key was made leaves nothing", arguments: IssuerSample.minting)
  func lostRequest(sample: IssuerSample) async throws {
    let fake = try FakeIssuer(sample)
    try await fake.fail(Fault(kind: .drop, writes: true))
    let issuer = try fake.issuer()
    #expect(await failure { try await issuer.mint(Self.label) }?.kind == .unknown)
    #expect(try await fake.seen().count == 1)
    try await fake.recover()
    if sample.hasLabels { #expect(try await issuer.orphans(of: Self.label) == []) }
  }

  @Test("what a gateway answers says nothing about the key", arguments: IssuerSample.minting)
  func gateways(sample: IssuerSample) async throws {
    let html = ["Content-Type": "text/html"]
    for fault in [
      Fault(status: 500, body: "{}", writes: true), Fault(status: 502, headers: html, body: "<html>", writes: true),
      Fault(status: 503, headers: ["Retry-After": "7"], writes: true), Fault(status: 504, writes: true),
      Fault(status: 408, writes: true), Fault(status: 200, headers: html, body: "<title>Sign in", writes: true),
      Fault(status: 200, body: "{\"key\": \"canary\"", writes: true), Fault(status: 204, writes: true),
      Fault(status: 200, body: "{}", writes: true), Fault(status: 200, body: "[]", writes: true),
      Fault(status: 302, headers: ["Location": "https://elsewhere.example/"], writes: true),
    ] {
      let fake = try FakeIssuer(sample)
      try await fake.fail(fault)
      let issuer = try fake.issuer()
      let failed = await failure { try await issuer.mint(Self.label) }
      #expect(failed?.kind == .unknown, "\(fault.status) \(fault.body)")
      #expect(try await fake.seen().count == 1, "\(fault.status) \(fault.body)")
    }
  }

  @Test("a refusal is definite, and has its kind", arguments: IssuerSample.minting)
  func refusals(sample: IssuerSample) async throws {
    let fake = try FakeIssuer(sample)
    try await fake.be("full")
    let issuer = try fake.issuer()
    let quota = await failure { try await issuer.mint(Self.label) }
    #expect(quota?.kind == .refused)
    if ["sendgrid", "gcp-service-account"].contains(sample.name) {
      #expect(quota?.reason.contains(sample.name == "sendgrid" ? "100 keys" : "ten keys") == true)
    }
    try await fake.recover()

    let limited = try fake.issuer(token: "limited")
    let denied = await failure { try await limited.mint(Self.label) }
    // SendGrid has one status for both.
    #expect(denied?.kind == (sample.name == "sendgrid" ? .refused : .denied))
    let rejected = try fake.issuer(token: "rejected")
    #expect(await failure { try await rejected.mint(Self.label) }?.kind == .unauthenticated)
    #expect(try await fake.keys() == [])

    _ = try await fake.seen()
    try await fake.fail(Fault(status: 429, headers: ["Retry-After": "7"], body: "{}", writes: true))
    let throttled = await failure { try await issuer.mint(Self.label) }
    #expect(throttled?.kind == .throttled && throttled?.retryAfter == Interval(seconds: 7))
    #expect(try await fake.seen().count == 1)
  }

  @Test("a provider that is not reached made nothing", arguments: IssuerSample.all)
  func unreachable(sample: IssuerSample) async throws {
    let issuer = try FakeIssuer(sample).issuer(at: "http://127.0.0.1:9")
    if sample.canMint {
      #expect(await failure { try await issuer.mint(Self.label) }?.kind == .unreachable)
    }
    #expect(await failure { try await issuer.list() }?.kind == .unreachable)
    #expect(await failure { try await issuer.revoke("x1") }?.kind == .unreachable)
  }

  @Test("what no answer confirms is unknown, and what the list confirms is done", arguments: IssuerSample.minting)
  func lostRevocation(sample: IssuerSample) async throws {
    let fake = try FakeIssuer(sample)
    let issuer = try fake.issuer()
    let minted = try await issuer.mint(Self.label)
    try await fake.fail(Fault(kind: .drop, writes: true))
    #expect(await failure { try await issuer.revoke(minted.id) }?.kind == .unknown)
    try await fake.recover()
    try await fake.fail(Fault(kind: .dropAfter, writes: true))
    #expect(try await issuer.revoke(minted.id) == .done)
    try await fake.recover()

    let second = try await issuer.mint(Self.label)
    for status in [400, 404, 410] {
      try await fake.fail(Fault(status: status, body: "{}", writes: true))
      #expect(await failure { try await issuer.revoke(second.id) }?.kind == .refused, "\(status)")
      try await fake.recover()
    }
    let limited = try fake.issuer(token: "limited")
    #expect(await failure { try await limited.revoke(second.id) }?.kind == .denied)
    // Whoever cannot see the list does not know that a key is gone.
    try await fake.fail(Fault(status: 404, body: "{\"message\": \"Not Found\"}"))
    #expect(await failure { try await issuer.revoke(second.id) }?.kind == .unknown)
    try await fake.recover()
    #expect(try await fake.keys().map(\.id) == [second.id])
  }

  @Test("no faulty answer reads as a list", arguments: IssuerSample.all)
  func neverEmpty(sample: IssuerSample) async throws {
    let fake = try FakeIssuer(sample)
    let issuer = try fake.issuer()
    for fault in FaultTests.cases {
      try await fake.fail(Fault(status: fault.status, headers: fault.headers, body: fault.body))
      let failed = await failure { try await issuer.list() }
      #expect(failed != nil, "\(fault.testDescription)")
      try await fake.recover()
    }
  }

  @Test(
    "a list of an entry without an id, or without the member that names it, is no list", arguments: IssuerSample.minting
  )
  func otherForm(sample: IssuerSample) async throws {
    let fake = try FakeIssuer(sample)
    _ = try await fake.issuer().mint(Self.label)
    let other = try fake.issuer { $0.rotate?.list?.id = Extract(.pointer(AnswerPointer.of("/renamed"))) }
    #expect(await failure { try await other.list() }?.kind == .unreadable)
    guard sample.hasLabels else { return }
    let unnamed = try fake.issuer { $0.rotate?.list?.name = Extract(.pointer(AnswerPointer.of("/renamed"))) }
    #expect(await failure { try await unnamed.orphans(of: Self.label) }?.kind == .unreadable)
  }

  @Test("every page of a list is read", arguments: IssuerSample.paged)
  func pages(sample: IssuerSample) async throws {
    let fake = try FakeIssuer(sample)
    let issuer = try fake.issuer()
    var expected: [String] = []
    for number in 0..<(sample.canMint ? 7 : 0) {
      expected.append(try await issuer.mint("keyplan/s/k/\(number)").id)
      if [0, 4, 6, 7].contains(expected.count) { #expect(try await issuer.list().map(\.id) == expected) }
    }
    #expect(try await issuer.list().map(\.id) == expected)
    if let last = expected.last { #expect(try await issuer.orphans(of: "keyplan/s/k/6") == [last]) }

    try await fake.be("endless")
    _ = try await fake.seen()
    #expect(await failure { try await issuer.list() }?.kind == .unreadable)
    #expect(try await fake.seen().count <= 100)
  }

  @Test("a list that moved between its pages is not taken for complete")
  func moved() async throws {
    for sample in IssuerSample.paged where sample.canMint && sample.name != "openai" {
      let fake = try FakeIssuer(sample)
      let issuer = try fake.issuer()
      for number in 0..<4 { _ = try await issuer.mint("keyplan/s/k/\(number)") }
      try await fake.be("twice")
      #expect(await failure { try await issuer.list() }?.kind == .unreadable, "\(sample.name)")
    }
    // There is more, and nothing says where.
    let cut = try FakeIssuer("openai")
    let account = try cut.issuer()
    for number in 0..<3 { _ = try await account.mint("keyplan/s/k/\(number)") }
    try await cut.be("cut")
    #expect(await failure { try await account.list() }?.kind == .unreadable)
    for name in ["datadog", "digitalocean-spaces", "mailgun"] {
      let fake = try FakeIssuer(name)
      try await fake.be("short")
      let issuer = try fake.issuer()
      #expect(await failure { try await issuer.list() }?.kind == .unreadable, "\(name)")
    }
  }

  @Test("a next page at another address is not asked for", arguments: IssuerSample.paged.filter(\.followsAddress))
  func foreign(sample: IssuerSample) async throws {
    let fake = try FakeIssuer(sample)
    let sent = Mutex<[String]>([])
    var transport = FakeIssuer.transport()
    let real = transport.send
    transport.send = { request throws(HTTPError) in
      sent.withLock { $0.append(request.address.text) }
      return try await real(request)
    }
    let issuer = try fake.issuer(through: transport)
    for number in 0..<3 { _ = try await issuer.mint("keyplan/s/k/\(number)") }
    try await fake.be("foreign")
    #expect(await failure { try await issuer.list() }?.kind == .unreadable)
    #expect(sent.withLock { $0 }.allSatisfy { $0.hasPrefix(fake.address) })
  }

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

  @Test("the hosts are known before anything is sent", arguments: BuiltInIssuers.names)
  func hosts(name: String) throws {
    guard let sample = IssuerSample.all.first(where: { $0.name == name }) else { return }
    var silent = FakeIssuer.transport()
    silent.send = { request throws(HTTPError) in
      Issue.record("sent to \(request.address.host)")
      throw HTTPError(.unresolved)
    }
    let issuer = try FakeIssuer(sample).issuer(at: "https://gateway.example:8443/x", through: silent)
    #expect(try issuer.hosts() == ["gateway.example:8443"])
    // A field without which nothing can be asked for, or that cannot be a part of an address.
    for (field, value) in [("project", ".."), ("application", ""), ("policies", "[{"), ("grants", "x")]
    where sample.place[field] != nil && name != "doppler" {
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

extension AnswerPointer {
  fileprivate static func of(_ text: String) -> AnswerPointer { (try? AnswerPointer(text)) ?? .root }
}
