import KeyplanModel
import KeyplanPlanning
import Testing

/// What a removed recipient could read, until it is replaced.
@Suite struct ExposureTests {
  private static let anna: Identifier<Recipient> = named("anna")
  private static let since = now - .days(10)

  private func recipients(_ all: [String: (String, Recipient.Role)]) -> [Identifier<Recipient>: Recipient] {
    Dictionary(uniqueKeysWithValues: all.map { (named($0), Recipient(publicKey: $1.0, role: $1.1)) })
  }

  @Test(
    "who leaves is who could read and can no longer",
    arguments: [
      (
        "removed", ["ops": ("1", Recipient.Role.full), "anna": ("2", .full)], ["ops": ("1", Recipient.Role.full)],
        ["anna"]
      ),
      ("another name, the same key", ["anna": ("2", .full)], ["ann": ("2", .full)], []),
      ("the same name, another key", ["anna": ("2", .full)], ["anna": ("3", .full)], []),
      ("another name and key", ["anna": ("2", .full)], ["ann": ("3", .full)], ["anna"]),
      ("may only plan from now on", ["anna": ("2", .full)], ["anna": ("2", .plan)], ["anna"]),
      ("may only plan, with another key", ["anna": ("2", .full)], ["anna": ("3", .plan)], ["anna"]),
      ("could only plan", ["anna": ("2", .plan)], [:], []),
      ("one of two names for one key", ["anna": ("2", .full), "ann": ("2", .full)], ["ann": ("2", .full)], []),
    ] as [(String, [String: (String, Recipient.Role)], [String: (String, Recipient.Role)], [String])])
  func leaving(
    _ words: String, _ old: [String: (String, Recipient.Role)], _ new: [String: (String, Recipient.Role)],
    _ expected: [String]
  ) {
    #expect(recipients(old).leaving(for: recipients(new)).map(\.name) == expected, "\(words)")
  }

  private func scene() -> Scene {
    var scene = Scene()
    scene.settled("a")
    scene.settled("b")
    return scene
  }

  private func expose(_ name: String, in scene: inout Scene, since: Moment = since) {
    let id: Identifier<Key> = named(name)
    scene.observed.recorded.keys[id] = scene.observed.recorded.keys[id]?.exposed(
      to: [Exposure(recipient: Self.anna, since: since)])
  }

  private func findings(_ scene: Scene) -> [String] {
    Finding.drift(of: scene.manifest, in: scene.observed, at: now).findings.map {
      "\($0.level) \($0.kind) \($0.address)"
    }
  }

  @Test("a plan warns about an exposed value, and drift lists it: soon until its date, then broken")
  func listed() {
    var scene = scene()
    expose("a", in: &scene)
    #expect(scene.faults() == ["valueExposed key.a"])
    #expect(scene.steps() == [])
    #expect(findings(scene) == ["soon valueExposed key.a"])
    expose("b", in: &scene, since: now - .days(30))
    #expect(findings(scene) == ["broken valueExposed key.b", "soon valueExposed key.a"])
    scene.exposedFor = .days(5)
    // The earlier deadline first.
    #expect(findings(scene) == ["broken valueExposed key.b", "broken valueExposed key.a"])
  }

  @Test("a value that is replaced leaves the list, in the very plan that replaces it")
  func replaced() {
    var scene = scene()
    expose("a", in: &scene)
    scene.find("a", "new")
    #expect(scene.faults() == [])
    scene.find("a", .deferred)
    #expect(scene.faults() == ["valueExposed key.a"])
  }

  @Test("the same value stored again stays exposed, and an earlier one is when it comes back")
  func records() throws {
    var scene = scene()
    expose("a", in: &scene)
    let record = try #require(scene.observed.recorded.keys[named("a")])
    let write = KeyWrite(facts: record.facts, source: 0)
    #expect(record.updating(write, revision: 9).version.exposures == record.version.exposures)
    let next = KeyRecord.storing(write, print("new", of: "a"), over: record, revision: 9, at: now)
    #expect(next.version.exposures == [])
    #expect(next.history.first?.exposures == record.version.exposures)
    let again = KeyRecord.storing(write, print("one", of: "a"), over: next, revision: 10, at: now)
    #expect(again.version.exposures == record.version.exposures)
    let back = next.rolledBack(KeyRollback(to: 1, was: 2, rejected: nil), revision: 10)
    #expect(back?.version.exposures == record.version.exposures)
    let after = KeyRecord.storing(write, print("one", of: "a"), over: nil, after: record, revision: 10, at: now)
    #expect(after.version.exposures == record.version.exposures)
  }

  @Test("somebody who leaves twice is named once, with the first date")
  func twice() {
    let version = KeyVersion(number: 1, fingerprint: print("one", of: "a"), storedAt: now, origin: nil)
    let first = Exposure(recipient: Self.anna, since: Self.since)
    let exposed = version.exposed(to: [first]).exposed(to: [Exposure(recipient: Self.anna, since: now)])
    #expect(exposed.exposures == [first])
  }

  @Test("a revoked value is not listed as exposed")
  func revoked() throws {
    var scene = scene()
    expose("a", in: &scene)
    let record = try #require(scene.observed.recorded.keys[named("a")])
    scene.observed.recorded.keys[named("a")] = record.revoking(reason: nil, revision: 4, at: now)
    #expect(scene.faults() == ["keyRevoked key.a"])
  }

  @Test("an account's tokens are exposed, too")
  func accounts() {
    var scene = Scene()
    let facts = AccountFacts(service: .google, account: "a@example.org")
    let signIn = SignInRecord(signedInAt: now - .days(20), access: .unlimited, isRefreshable: true)
    scene.observed.recorded.accounts[named("cal")] = AccountRecord(revision: 2, facts: facts, signIn: signIn)
      .exposed(to: [Exposure(recipient: Self.anna, since: Self.since)])
    #expect(scene.faults().contains("valueExposed calendar.cal"))
    #expect(findings(scene).contains("soon valueExposed calendar.cal"))
  }

  @Test("removing a recipient that could only plan is told once, and exposes nothing")
  func planner() {
    var scene = scene()
    scene.observed.recorded.recipients = recipients(["ops": ("1", .full), "ci": ("2", .plan)])
    scene.recipients = recipients(["ops": ("1", .full)])
    #expect(scene.faults() == ["plannerRemoved recipients"])
    scene.recipients = recipients(["ops": ("1", .full), "ci": ("3", .plan)])
    #expect(scene.faults() == [])
    scene.observed.recorded.recipients = recipients(["ops": ("1", .full)])
    scene.recipients = recipients(["ops": ("1", .full)])
    #expect(scene.faults() == [])
  }

  @Test("more time than the default protects less, and is recorded as that")
  func guards() {
    var scene = scene()
    #expect(scene.manifest.guards == Guards())
    scene.exposedFor = .days(7)
    #expect(scene.manifest.guards == Guards())
    scene.exposedFor = .days(90)
    #expect(scene.manifest.guards.waivers == ["exposed values can stay for 90 days"])
    #expect(
      scene.plan().plan.steps.contains {
        if case .store(.guards(let change)) = $0.effect { change.isLoosening } else { false }
      })
  }
}
