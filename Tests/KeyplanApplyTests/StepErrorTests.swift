import KeyplanApply
import KeyplanModel
import KeyplanPlanning
import KeyplanPorts
import KeyplanSecrets
import KeyplanTesting
import TestTools
import Testing

/// Drift's reports of steps that failed at providers, until one succeeds.
@Suite struct StepErrorTests {
  private let issuer = MemoryIssuer(named("issuer"))
  private var world = World()
  private let place = Destination(type: "issuer", location: "")
  private let refusal = KeyIssuerFailure(.denied, "This key may not create keys.")

  init() {
    world.issuer = issuer
    let minting = Minting(
      named("a"), [Minting.Part("key", named("a"))], at: place)
    let facts = KeyFacts(
      provider: "openai", variable: "KEY",
      expiry: Expiry(.after(.days(90)), warn: Interval(seconds: 0), then: .rotate, overlap: Interval(seconds: 0)),
      sources: [minting.description])
    world.keys[named("a")] = Key(facts: facts, sources: [], minting: minting)
    world.send("app", ["KEY": "a"])
  }

  /// The errors that drift reports.
  private func failures() async throws -> [StepError] {
    Finding.drift(of: world.manifest, in: try await world.observe(), at: world.now).findings.compactMap { finding in
      if case .stepFailed(let failure) = finding.fact { failure } else { nil }
    }
  }

  private func since(_ moment: Moment) -> StepError {
    StepError(since: moment, reason: "\(place.brief): \(refusal.reason)")
  }

  private func commit(_ changes: [RecordChange]) throws {
    let serial = try #require(try world.store.recorded().store?.serial)
    _ = try world.store.commit(changes, expecting: serial, at: start)
  }

  @Test("drift says why the first key was not made, and since when") mutating func first() async throws {
    issuer.fail(refusal, only: "mint")
    #expect(try await world.apply().isComplete == false)
    #expect(try await failures() == [since(start)])
    world.now = start + .days(1)
    #expect(try await world.apply().isComplete == false)
    #expect(try await failures() == [since(start)])
    issuer.fail(nil)
    #expect(try await world.apply().isComplete)
    #expect(try await failures() == [])
    #expect(try world.store.recorded().failures == [:])
  }

  @Test("drift says why a replaced key was not revoked at its provider") mutating func revoking() async throws {
    #expect(try await world.apply().isComplete)
    world.now = start + .days(91)
    issuer.fail(refusal, only: "revoke id-1")
    #expect(try await world.apply().isComplete == false)
    #expect(try await failures() == [since(world.now)])
    issuer.fail(nil)
    #expect(try await world.apply().isComplete)
    #expect(try world.store.recorded().failures == [:])
  }

  @Test("a failure follows its key to a new name, and ends with a value given by hand") mutating func moved()
    async throws
  {
    #expect(try await world.apply().isComplete)
    let failure = RecordChange.failure(.key(named("a")), StepError(since: start, reason: "No."))
    try commit([failure, .move(named("a"), to: named("b"))])
    #expect(try world.store.recorded().failures.keys.map(\.self) == [.key(named("b"))])
    let record = try #require(try world.store.recorded().keys[named("b")])
    try commit([.key(named("b"), record, value: SecretBox(Array("by-hand".utf8)))])
    #expect(try world.store.recorded().failures == [:])
  }
}
