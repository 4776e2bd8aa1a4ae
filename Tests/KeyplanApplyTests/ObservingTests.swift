import KeyplanApply
import KeyplanModel
import KeyplanPlanning
import KeyplanPorts
import KeyplanSecrets
import KeyplanTesting
import Testing

@Suite struct ObservingTests {
  private func finding(_ world: World, _ key: String) async throws -> SourceFinding? {
    try await world.observe().sources[named(key)]
  }

  @Test("sources are asked in rounds: the next one only of those that had nothing")
  func rounds() async throws {
    var world = World()
    world.declare("a", [remote("1"), remote("2"), remote("3")])
    world.declare("b", [remote("4"), remote("5")])
    world.say("two", at: "2")
    world.say("four", at: "4")
    guard case .value(_, let index, _) = try await finding(world, "a") else {
      Issue.record("a value was expected")
      return
    }
    #expect(index == 1)
    #expect(world.source.batches.map(Set.init) == [[remote("1"), remote("4")], [remote("2")]])
  }

  @Test("a reference that many keys name is asked for in one go, and each key has a fingerprint of its own")
  func coalesced() async throws {
    var world = World()
    for name in ["a", "b", "c"] { world.declare(name, [remote("shared")]) }
    world.say("one", at: "shared")
    let observed = try await world.observe()
    #expect(world.source.batches == [[remote("shared"), remote("shared"), remote("shared")]])
    let prints = observed.sources.values.compactMap { finding -> Fingerprint? in
      if case .value(let print, _, _) = finding { print } else { nil }
    }
    #expect(Set(prints).count == 3)
  }

  @Test("unreachable and unreadable end the search; missing everywhere is missing")
  func ends() async throws {
    var world = World()
    world.declare("a", [remote("1"), remote("2")])
    world.say("two", at: "2")
    world.source.say(.unreachable("Down."), to: remote("1"))
    #expect(try await finding(world, "a") == .unreachable(index: 0, reason: "Down."))
    world.source.say(.unreadable("Torn."), to: remote("1"))
    #expect(try await finding(world, "a") == .unreadable(index: 0, reason: "Torn."))
    #expect(!world.source.batches.joined().contains(remote("2")))
    world.say(nil, at: "1")
    world.say(nil, at: "2")
    #expect(try await finding(world, "a") == .missing)
  }

  @Test("nothing outside is contacted before it is allowed, neither by planning nor before its step is done")
  func surface() async throws {
    var world = World()
    let out = place("/out", surface: ExternalAccess(.path, "/out"))
    world.declare("a", [command("op")])
    world.commands.say(.value(Array("one".utf8)), to: command("op"))
    world.send("app", ["K": "a"], to: out)
    #expect(try await finding(world, "a") == .notAllowed(index: 0))
    let plan = try await world.plan()
    #expect(world.commands.batches == [])
    #expect(world.target.reads == 0)
    let refused = try await world.apply(plan, Faults(.once, at: 1))
    #expect(
      refused.reports.map(words) == [
        "allow surface.command op: failed", "allow surface.path /out: failed", "store key.a: not tried",
        "sync target.app: not tried",
      ])
    #expect(world.commands.batches == [])
    #expect(world.target.reads == 0)
    #expect(try await world.apply(plan).isComplete)
    #expect(world.commands.batches == [[command("op")]])
    #expect(world.held(at: out) == ["K": "one"])
  }

  @Test("what left the manifest is asked about again when it comes back, and is not run before")
  func disallowed() async throws {
    var world = World()
    let item = ExternalAccess(.command, "op")
    world.declare("a", [command("op")])
    world.commands.say(.value(Array("one".utf8)), to: command("op"))
    #expect(try await world.apply().isComplete)
    #expect(Set(try world.store.recorded().surface.items) == [item])
    #expect(try await world.plan().steps == [])
    world.declare("a", [remote("a")])
    world.say("one", at: "a")
    let plan = try await world.plan()
    #expect(
      try await world.apply(plan).reports.map(words) == ["update key.a: done", "disallow surface.command op: done"])
    #expect(
      try await world.apply(plan).reports.map(words) == ["update key.a: stale", "disallow surface.command op: stale"])
    #expect(try world.store.recorded().surface.isEmpty)
    world.declare("a", [command("op")])
    let asked = world.commands.batches.count
    #expect(try await world.plan().steps.map(\.effect.action) == [.allow, .replace])
    #expect(world.commands.batches.count == asked)
  }

  @Test("a command that was allowed is not run with another variable, time-out or directory before that was applied")
  func terms() async throws {
    let item = ExternalAccess(.command, "op")
    func op(_ variables: [String] = [], timeout: Interval? = nil, directory: String? = nil) -> Reference {
      Reference(
        scheme: "command", arguments: ["op"], timeout: timeout, variables: variables, directory: directory,
        isLocal: false, surface: item)
    }
    let changes = [op(["GH_TOKEN"]), op(timeout: Interval(seconds: 5)), op(directory: "tools")]
    for changed in changes {
      var world = World()
      world.declare("a", [op()])
      for reference in [op()] + changes { world.commands.say(.value(Array("one".utf8)), to: reference) }
      #expect(try await world.apply().isComplete)
      #expect(try await world.plan().isEmpty)
      let asked = world.commands.batches.count
      world.declare("a", [changed])
      let plan = try await world.plan()
      #expect(plan.steps.map(\.effect.action) == [.allow, .replace])
      #expect(world.commands.batches.count == asked, "it was run")
      #expect(try await world.apply(plan).isComplete)
      #expect(try world.store.recorded().surface[item] == changed.terms)
      #expect(try await world.plan().isEmpty)
      // What is taken back is taken back by a step, too.
      world.declare("a", [op()])
      #expect(try await world.apply().isComplete)
      #expect(try world.store.recorded().surface[item] == [])
    }
  }

  @Test("a place stays allowed until what was written there has been withdrawn")
  func withdrawnFirst() async throws {
    var world = World()
    let out = place("/out", surface: ExternalAccess(.path, "/out"))
    world.declare("a")
    world.say("one", at: "a")
    world.send("app", ["K": "a"], to: out)
    #expect(try await world.apply().isComplete)
    world.targets = [:]
    let plan = try await world.plan()
    #expect(plan.steps.map(\.effect.action) == [.withdraw, .disallow])
    // That the withdrawal begins is written down, then the place is read, and then the write fails.
    let outcome = try await world.apply(plan, Faults(.once, at: 3))
    #expect(outcome.reports.map(words) == ["withdraw target.app: failed", "disallow surface.path /out: not tried"])
    #expect(try await world.apply().isComplete)
    #expect(world.held(at: out) == [:])
    #expect(try world.store.recorded().surface.isEmpty)
    #expect(try await world.plan().steps == [])
  }

  @Test("a fallback that needs leave is reached only when all before it are missing")
  func fallback() async throws {
    var world = World()
    world.declare("a", [remote("1"), command("op")])
    world.say("one", at: "1")
    guard case .value = try await finding(world, "a") else {
      Issue.record("a value was expected")
      return
    }
    world.say(nil, at: "1")
    #expect(try await finding(world, "a") == .notAllowed(index: 1))
    #expect(world.commands.batches == [])
  }

  @Test("a given value is taken for the source's, which is not asked")
  func given() async throws {
    var world = World()
    world.declare("a")
    world.declare("b", [])
    world.given = [named("a"): secret("mine"), named("b"): secret("too")]
    for name in ["a", "b"] {
      guard case .given = try await finding(world, name) else {
        Issue.record("a given value was expected")
        return
      }
    }
    #expect(world.source.batches == [])
    #expect(try await world.apply().isComplete)
    let value = try world.store.value(of: named("a"), version: nil)
    #expect(value.equals(secret("mine")))
    #expect(try world.store.recorded().keys[named("a")]?.version.origin == nil)
  }

  @Test("schemes and types that this version does not know are answers, not crashes")
  func unknown() async throws {
    var world = World()
    world.declare("a", [Reference(scheme: "moon", location: "x", isLocal: false)])
    world.targets[named("app")] = Target(destination: Destination(type: "moon", location: "x"), entries: [])
    let observed = try await world.observe()
    guard case .failed(0, _) = observed.sources[named("a")],
      case .failed = observed.targets[Destination(type: "moon", location: "x")]
    else {
      Issue.record("both should say that they are not known")
      return
    }
  }

  @Test("a value is held against its provider's format, unless it is the recorded one")
  func formats() async throws {
    var world = World()
    world.declare("a", provider: "acme")
    world.say("nothing like it", at: "a")
    let format = try FormatPattern("acme_[a-z]{4}")
    func looksRight() async throws -> Bool? {
      let manifest = Manifest(providers: ["acme": Provider(format: format)], keys: world.keys)
      let observed = await world.observer().observe(manifest, recorded: try world.store.recorded())
      if case .value(_, _, let looksRight) = observed.sources[named("a")] { return looksRight } else { return nil }
    }
    #expect(try await looksRight() == false)
    try await world.apply()
    #expect(try await looksRight() == true)
    world.say("acme_abcd", at: "a")
    #expect(try await looksRight() == true)
  }
}
