import Foundation
import KeyplanHTTP
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import TestTools
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

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
    for name in ["cloudflare", "doppler", "openrouter"] {
      #expect(try await FakeIssuer(name).issuer().mint(Self.label).expires == nil, "\(name)")
    }
  }

  @Test(
    "a key that is made later ends later: its lifetime is counted from the request",
    arguments: ["azure-application", "cloudflare", "doppler", "openrouter"])
  func lifetimes(name: String) async throws {
    let fake = try FakeIssuer(name)
    for now in [1_800_000_000, 1_900_000_000] as [Int64] {
      let transport = FakeIssuer.transport(now: now)
      let issuer = try fake.issuer(through: transport, place: ["lifetime": "7776000"])
      #expect(try await issuer.mint(Self.label).expires == Moment(seconds: now + 7_776_000))
    }
  }

  @Test("no built-in description has a fixed end for its keys")
  func fixedEnds() throws {
    for name in BuiltInIssuers.names {
      let api = try #require(try BuiltInIssuers.api(name))
      #expect(!api.target.contains { $0.name.lowercased().contains("expire") }, "\(name)")
      for field in api.target where field.name == "lifetime" { #expect(field.kind == .int, "\(name)") }
    }
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
}
