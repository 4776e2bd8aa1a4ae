import KeyplanModel
import KeyplanPlanning
import Testing

@Suite struct SurroundingsTests {
  static let ada = Recipient(publicKey: "age1ada")
  static let ci = Recipient(publicKey: "age1ci")
  static let ciPlans = Recipient(publicKey: "age1ci", role: .plan)

  typealias Names = [Identifier<Recipient>: Recipient]
  static let rewraps: [(was: Names, new: Names, added: [String], removed: [String])] = [
    ([named("ada"): ada], [named("ada"): ada, named("ci"): ci], ["ci"], []),
    ([named("ada"): ada, named("ci"): ci], [named("ada"): ada], [], ["ci"]),
    ([named("ada"): ada, named("ci"): ci], [named("ada"): ada, named("ci"): ciPlans], ["ci"], ["ci"]),
    ([named("ada"): ada, named("ci"): ciPlans], [named("ada"): ada, named("ci"): ci], ["ci"], []),
    ([named("ada"): ada, named("ci"): ciPlans], [named("ada"): ada], [], ["ci"]),
    ([named("ada"): ada, named("ci"): ci], [named("ada"): ada, named("runner"): ci], ["runner"], []),
  ]

  @Test("who joins and who leaves; a lost role is a leaving, because what it knew must end", arguments: rewraps)
  func rewrap(was: Names, new: Names, added: [String], removed: [String]) {
    var scene = Scene()
    scene.observed.recorded.recipients = was
    scene.recipients = new
    scene.observed.identities = [Self.ada.publicKey]
    let (plan, diagnostics) = scene.plan()
    #expect(diagnostics.filter { $0.code != .plannerRemoved } == [])
    let all = new.sorted { $0.key < $1.key }.map { Rewrap.Recipient(name: $0.key, value: $0.value) }
    #expect(plan.steps.map(\.effect) == [.store(.rewrap(Rewrap(recipients: all, added: added, removed: removed)))])
  }

  @Test("the identity in use, and the last one who can open everything, are not removed")
  func refused() {
    var scene = Scene()
    scene.observed.recorded.recipients = [named("ada"): Self.ada, named("ci"): Self.ci]
    for (recipients, identity) in [
      ([named("ci"): Self.ci], Self.ada.publicKey), ([:], nil), ([named("ci"): Self.ciPlans], nil),
      ([named("ada"): Self.ada, named("ci"): Self.ciPlans], Self.ci.publicKey),
    ] as [(Names, String?)] {
      scene.recipients = recipients
      scene.observed.identities = identity.map { [$0] } ?? []
      #expect(scene.faults() == ["recipientsRefused recipients"])
    }
  }

  @Test("one of two identities in use may be removed, if the other has the same access")
  func replaced() {
    var scene = Scene()
    scene.observed.recorded.recipients = [named("ada"): Self.ada]
    scene.observed.identities = [Self.ada.publicKey, Self.ci.publicKey]
    scene.recipients = [named("ada"): Self.ci]
    #expect(scene.faults() == [])
    scene.observed.identities = [Self.ci.publicKey, Self.ada.publicKey]
    #expect(scene.faults() == [])
    scene.recipients = [named("ada"): Self.ciPlans, named("eve"): Recipient(publicKey: "age1eve")]
    #expect(scene.faults() == ["recipientsRefused recipients"])
  }

  @Test("somebody must be able to open everything without a key management service")
  func sealed() {
    var scene = Scene()
    scene.observed.recorded.recipients = [named("ada"): Self.ada]
    scene.observed.identities = [Self.ada.publicKey]
    scene.recipients = [named("ada"): Self.ada, named("ci"): Self.ci]
    for (sealed, faults) in [
      (["ci"], []), (["ada", "ci"], ["recipientsRefused recipients"]), ([], []),
    ] as [([String], [String])] {
      scene.sealedRecipients = Set(sealed.map { named($0) })
      #expect(scene.faults() == faults)
    }
    // One that can only plan is no way in.
    scene.recipients = [named("ada"): Self.ada, named("ci"): Self.ciPlans]
    scene.sealedRecipients = [named("ada")]
    #expect(scene.faults() == ["recipientsRefused recipients"])
  }

  @Test(
    "a value is only as safe as the weakest of those who can open it: the classical ones beside post-quantum ones are named"
  )
  func notPostQuantum() {
    let (safe, safePlans) = (Recipient(publicKey: "age1pq1x"), Recipient(publicKey: "age1pq1y", role: .plan))
    for (recipients, expected) in [
      ([named("ada"): Self.ada, named("pq"): safe], ["notPostQuantum recipients"]),
      ([named("ada"): Self.ada, named("ci"): Self.ci], []), ([named("pq"): safe], []),
      // Who only plans can open no value.
      ([named("pq"): safe, named("ci"): Self.ciPlans], []), ([named("ada"): Self.ada, named("pq"): safePlans], []),
    ] as [(Names, [String])] {
      var scene = Scene()
      scene.observed.recorded.recipients = recipients
      #expect(scene.faults() == expected)
      scene.observed.recorded.recipients = [:]
      scene.recipients = recipients
      #expect(scene.faults() == expected)
    }
  }

  @Test("recipients that the manifest does not name, or without a store, give no step")
  func silent() {
    var scene = Scene()
    scene.observed.recorded.recipients = [named("ada"): Self.ada]
    #expect(scene.steps() == [])
    scene.recipients = [named("ada"): Self.ada]
    #expect(scene.steps() == [])
    scene.recipients = [named("ci"): Self.ci]
    scene.observed.recorded.store = nil
    #expect(scene.steps() == [])
  }

  @Test("each new thing outside is allowed once, before anything else")
  func surface() {
    var scene = Scene()
    scene.declare("a", [command("op"), command("pass")])
    scene.find("a", .notAllowed(index: 1))
    scene.declare("b", [command("op")])
    scene.find("b", .notAllowed(index: 0))
    scene.observed.recorded.surface = allowed(ExternalAccess(.command, "pass"))
    #expect(
      scene.steps() == ["allow surface.command op (manifest)", "store key.a (manifest)", "store key.b (manifest)"])
  }

  @Test("a variable that decides what programs do is allowed for each key and target that sets it")
  func variables() {
    var scene = Scene()
    scene.declare("http_proxy", isUnsafeNameAllowed: true)
    scene.find("http_proxy", "one")
    let item = ExternalAccess(.variable, "HTTP_PROXY")
    #expect(scene.steps() == ["allow surface.variable HTTP_PROXY (manifest)", "store key.http_proxy (manifest)"])
    #expect(after(scene.plan().plan.steps, .store) == ["surface.variable HTTP_PROXY"])
    let selection = Selection([.key(named("http_proxy"))], in: scene.manifest, recorded: scene.observed.recorded)
    #expect(selection.contains(.surface(item)))
    scene.observed.recorded.surface = Surface([item: ["key http_proxy"]])
    #expect(scene.steps() == ["store key.http_proxy (manifest)"])
    let surface = scene.observed.recorded.surface
    #expect(surface.permits(variable: "HTTP_PROXY", from: named("http_proxy")))
    #expect(!surface.permits(variable: "HTTP_PROXY", from: named("b")))
    #expect(!surface.permits(variable: "HTTP_PROXY", from: named("b"), under: named("app")))
    #expect(surface.permits(variable: "GITHUB_TOKEN", from: named("b")))
    scene.settled("b")
    scene.target("app", [from("HTTP_PROXY", "b")], areUnsafeNamesAllowed: true)
    scene.hold([:])
    #expect(scene.steps().first == "allow surface.variable HTTP_PROXY (manifest)", "a target more is a permission more")
    #expect(
      scene.plan().plan.steps.first?.effect
        == .store(
          .allow(
            ExternalAccess(.variable, "HTTP_PROXY"),
            AccessGrant(["key http_proxy", "target app"], was: ["key http_proxy"]))))
    scene.declare("http_proxy")
    scene.target("app", [from("A", "b")])
    #expect(scene.steps().contains("disallow surface.variable HTTP_PROXY (manifest)"))
  }

  @Test("what the manifest has no longer is no longer allowed; what is held back or carried out is still there")
  func disallowed() {
    var scene = Scene()
    scene.observed.recorded.surface = allowed(
      ExternalAccess(.command, "op"), ExternalAccess(.command, "pass"), ExternalAccess(.path, "/etc/legacy"),
      ExternalAccess(.path, "/gone"))
    scene.declare("a", [command("op")])
    scene.record("a")
    scene.find("a", "one")
    scene.declare("b", [command("pass")])
    scene.unsupported = [.init(.key(named("b")), "vault sources", place: nil)]
    scene.declare("c", [])
    scene.record("c")
    let legacy = inFile("/etc/legacy", "C", surface: ExternalAccess(.path, "/etc/legacy"))
    scene.migrations = [Migration(1, .place(legacy, isRemoved: false), to: named("c"))]
    scene.observed.recorded.migrated = [scene.migrations[0].mark]
    #expect(scene.steps() == ["disallow surface.path /gone (manifest)"])
    #expect(scene.plan().plan.steps.map(\.ground) == [Precondition()])
    scene.migrations = []
    scene.declare("a", [command("other")])
    scene.find("a", .notAllowed(index: 0))
    #expect(
      scene.steps() == [
        "allow surface.command other (manifest)", "replace key.a (manifest)",
        "disallow surface.command op (manifest)", "disallow surface.path /etc/legacy (manifest)",
        "disallow surface.path /gone (manifest)",
      ])
  }

  @Test("a place is given up after what was written there, and not before that can be withdrawn")
  func disallowedLast() {
    let item = ExternalAccess(.path, "/out")
    let out = place("/out", surface: item)
    var scene = Scene()
    scene.settled("a")
    scene.observed.recorded.surface = allowed(item)
    scene.recordTarget("app", ["A": ("a", "one")], at: out)
    scene.hold(["A": "one"], at: out)
    #expect(scene.steps() == ["withdraw target.app -A (manifest)", "disallow surface.path /out (manifest)"])
    #expect(after(scene.plan().plan.steps, .disallow) == ["target.app"])
    scene.observed.targets[out] = .unreachable(reason: "No.")
    #expect(scene.steps() == [])
    scene.target("app", [from("A", "a")])
    scene.hold([:])
    #expect(scene.steps() == [], "a target that moves away stays until its old place can be cleared")
    scene.hold(["A": "one"], at: out)
    #expect(scene.steps().suffix(1) == ["disallow surface.path /out (manifest)"])
    let selection = Selection([.surface(item)], in: scene.manifest, recorded: scene.observed.recorded)
    #expect(selection.contains(.target(named("app"))))
    scene.target("app", [from("A", "a")], at: out)
    #expect(
      !Selection([.surface(item)], in: scene.manifest, recorded: scene.observed.recorded)
        .contains(.target(named("app"))))
    #expect(scene.steps() == [])
  }

  @Test("what is not supported blocks itself and nothing else")
  func unsupported() {
    var scene = Scene()
    scene.declare("a", [command("op")])
    scene.declare("b")
    scene.find("b", "one")
    scene.target("app", [from("A", "a"), from("B", "b")])
    scene.hold([:])
    scene.unsupported = [
      .init(.key(named("a")), "vault sources", place: nil),
      .init(.calendar(named("work")), "calendar accounts", place: nil),
    ]
    #expect(scene.steps() == ["store key.b (manifest)", "sync target.app B:new (manifest)"])
    #expect(scene.faults() == ["notSupported calendar.work", "notSupported key.a"])
    #expect(scene.plan().diagnostics.allSatisfy { $0.code.reach == .itself })
    scene.record("a")
    #expect(scene.steps().contains("sync target.app A:new B:new (manifest)"), "what is recorded goes on")
  }

  @Test("an interrupted step that left nothing to do is settled, on its record's revision")
  func settled() {
    var scene = Scene()
    scene.settled("a")
    scene.target("app", [from("A", "a")])
    scene.recordTarget("app", ["A": ("a", "one")])
    scene.hold(["A": "one"])
    scene.observed.recorded.interrupted = [.target(named("app")): now]
    #expect(scene.steps() == ["settle target.app (interrupted)"])
    #expect(scene.plan().plan.steps.map(\.ground) == [Precondition(revision: 5)])
  }

  @Test("an interrupted step with something left is planned again, and one that cannot be asked stays open")
  func interrupted() {
    var scene = Scene()
    scene.settled("a")
    scene.target("app", [from("A", "a")])
    scene.hold(["A": "one"])
    scene.observed.recorded.interrupted = [.target(named("app")): now]
    #expect(scene.steps() == ["sync target.app A:alreadyThere (interrupted)"])
    scene.observed.targets[place(".env")] = .unreachable(reason: "No.")
    #expect(scene.steps() == [])
  }
}
