import KeyplanApply
import KeyplanModel
import KeyplanPlanning
import KeyplanPorts
import KeyplanSecrets
import KeyplanTesting
import TestTools
import Testing

/// Values that an apply makes of those of other keys.
@Suite struct ComposingTests {
  private func world(_ template: String = "postgres://app:{db:url}@{host}/app") throws -> World {
    var world = World()
    world.declare("db")
    world.declare("host")
    world.say("p@ss/1", at: "db")
    world.say("db.internal", at: "host")
    try world.compose("url", template)
    world.send("app", ["URL": "url", "DB": "db"])
    return world
  }

  private func stored(_ name: String, in world: World) throws -> String {
    try world.store.value(of: named(name), version: nil).withBytes { String(decoding: $0, as: UTF8.self) }
  }

  @Test("the apply that stores the parts makes the value, and the next plan is empty") func once() async throws {
    let world = try world()
    #expect(try await world.apply().isComplete)
    #expect(world.held() == ["URL": "postgres://app:p%40ss%2F1@db.internal/app", "DB": "p@ss/1"])
    let record = try #require(try world.store.recorded().keys[named("url")])
    #expect(
      record.version.parts.map(\.key) == [named("db"), named("host")] && record.version.parts.map(\.number) == [1, 1])
    #expect(record.version.origin == "compose: postgres://app:{db:url}@{host}/app")
    #expect(try await world.plan().isEmpty)
    #expect(try await world.apply().isComplete)
  }

  @Test("the apply that replaces a part replaces the value, at the target, too") func followed() async throws {
    let world = try world()
    try await world.apply()
    world.say("other", at: "db")
    #expect(try await world.apply().isComplete)
    #expect(world.held() == ["URL": "postgres://app:other@db.internal/app", "DB": "other"])
    let record = try #require(try world.store.recorded().keys[named("url")])
    #expect(record.version.number == 2 && record.version.parts.first?.number == 2)
    #expect(try await world.plan().isEmpty)
  }

  @Test("of values that are made themselves, in one apply") func nested() async throws {
    var world = try world()
    try world.compose("aa", "{zz:json}")
    try world.compose("zz", "\"{url}\"")
    world.send("web", ["A": "aa"], to: place("web"))
    #expect(try await world.apply().isComplete)
    #expect(world.held(at: place("web")) == ["A": #"\"postgres://app:p%40ss%2F1@db.internal/app\""#])
    world.say("new", at: "db")
    #expect(try await world.apply().isComplete)
    #expect(world.held(at: place("web")) == ["A": #"\"postgres://app:new@db.internal/app\""#])
    #expect(try await world.plan().isEmpty)
  }

  @Test("of a generated value, which exists only once the apply has made it") func generated() async throws {
    var world = World()
    let value = try #require(GeneratedValue(.hex))
    let facts = KeyFacts(provider: "generic", variable: "A", sources: [value.description])
    world.keys[named("a")] = Key(facts: facts, sources: [], generated: value)
    try world.compose("b", "<{a}>")
    #expect(try await world.apply().isComplete)
    #expect(try stored("b", in: world) == "<\(try stored("a", in: world))>")
    #expect(try await world.plan().isEmpty)
  }

  @Test("a template that makes the same value keeps the version, and records what it is made of") func same()
    async throws
  {
    var world = try world("{host}{host}")
    try await world.apply()
    world.say("db.internal", at: "db")
    try world.compose("url", "{db}{host}")
    #expect(try await world.apply().isComplete)
    let record = try #require(try world.store.recorded().keys[named("url")])
    #expect(record.version.number == 1 && record.version.parts.map(\.key) == [named("db"), named("host")])
    #expect(record.version.origin == "compose: {db}{host}")
    #expect(try await world.plan().isEmpty)
  }

  @Test("whichever effect fails, or after whichever the machine dies, the next apply completes it") func broken()
    async throws
  {
    for mode in Faults.Mode.allCases {
      let counting = Faults()
      let first = try world()
      try await first.apply()
      first.say("other", at: "db")
      try await first.apply(try await first.plan(), counting)
      for number in 1...counting.effects {
        let world = try world()
        try await world.apply()
        world.say("other", at: "db")
        try await world.apply(try await world.plan(), Faults(mode, at: number))
        #expect(try await world.apply().isComplete, "\(mode) at \(number)")
        #expect(world.held() == ["URL": "postgres://app:other@db.internal/app", "DB": "other"], "\(mode) at \(number)")
        #expect(try await world.plan().isEmpty, "\(mode) at \(number)")
      }
    }
  }

  @Test("a plan that is older than the revocation of a part makes nothing of it") func revoked() async throws {
    var world = try world()
    try await world.apply()
    try world.compose("url", "{db}")
    let plan = try await world.plan()
    let recorded = try world.store.recorded()
    let record = try #require(recorded.keys[named("db")])
    let serial = try world.serial
    _ = try world.store.commit(
      [.key(named("db"), record.revoking(reason: nil, revision: serial + 1, at: start), value: nil)],
      expecting: serial, at: start)
    let outcome = try await world.apply(plan)
    #expect(outcome.reports.first.map(words) == "replace key.url: stale")
    #expect(try stored("url", in: world).hasPrefix("postgres://"))
    #expect(try world.store.recorded().keys[named("url")]?.revocation?.part == named("db"))
  }

  @Test(
    "versions made of a part with fewer readers are opened to nobody else, by another template, without one, or once the part is gone",
    arguments: [["host"], [], nil])
  func versions(template: [String]?) async throws {
    var world = try world()
    let (part, whole): (Identifier<Key>, Identifier<Key>) = (named("db"), named("url"))
    world.targets = [:]
    for id in [part, whole] {
      let key = try #require(world.keys[id])
      world.keys[id] = Key(
        facts: key.facts.with(recipients: [named("ada")]), sources: key.sources, composition: key.composition)
    }
    #expect(try await world.apply().isComplete)
    if template == nil { world.keys[part] = nil }
    // The same key for all recipients, made of something else, or set by hand.
    if let name = template?.first { try world.compose("url", "{\(name)}") } else { world.declare("url") }
    if template != ["host"] { world.say("mine", at: "url") }
    let outcome = try await world.apply()
    let result = outcome.reports.first { $0.step.address == .key(whole) }?.result
    guard case .failed(.uncomposed(.versionsWiderThan(part, of: whole))) = result else {
      Issue.record("\(outcome.reports.map(words))")
      return
    }
    #expect(try world.store.recorded().keys[whole]?.facts.recipients == [named("ada")])
    #expect(try await world.apply().isComplete == false)
  }

  @Test("a part with fewer readers than the value has is not made into it, whatever part of a plan is applied")
  func readers() async throws {
    var world = try world()
    try await world.apply()
    let id: Identifier<Key> = named("db")
    let narrow = try #require(world.keys[id]).facts.with(recipients: [named("ada")])
    world.keys[id] = Key(facts: narrow, sources: [remote("db")])
    try await world.apply()
    // The manifest opens both again, and only the composed value is applied.
    world.keys[id] = Key(facts: narrow.with(recipients: nil), sources: [remote("db")])
    try world.compose("url", "{db}")
    let plan = try await world.plan().limited { $0 == .key(named("url")) }
    let outcome = try await world.apply(plan)
    #expect(outcome.reports.map(words) == ["replace key.url: failed"])
    guard case .failed(.uncomposed(.widerThan(id))) = outcome.reports.first?.result else {
      Issue.record("\(String(describing: outcome.reports.first?.result))")
      return
    }
  }

  @Test(
    "a value that is too large, or a part that is no text, is an error that names it",
    arguments: [
      ([0x61, 0] as [UInt8], CompositionFault.holdsNUL(named("a"))), ([0xFF, 0xFE], .notText(named("a"))),
      ([UInt8](repeating: 0x61, count: 40_000), .tooLarge), ([0x20], .blank),
    ])
  func faults(bytes: [UInt8], fault: CompositionFault) throws {
    let composition = try Composition("{a}{a}")
    #expect(throws: fault) { _ = try composition.makeSecret(of: [named("a"): SecretBox(bytes)]) }
    #expect(throws: CompositionFault.missing(named("a"))) { _ = try composition.makeSecret(of: [:]) }
  }

  @Test(
    "each form, with all bytes that matter in it",
    arguments: [
      ("{a}", "x y", "x y"),
      (
        "{a:url}", "aZ0-._~ /?#[]@!$&'()*+,;=%é",
        "aZ0-._~%20%2F%3F%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D%25%C3%A9"
      ),
      ("{a:json}", "\"\\/\n\r\t\u{1}\u{1F}é€", "\\\"\\\\/\\n\\r\\t\\u0001\\u001fé€"), ("{a:base64}", "a", "YQ=="),
      ("{a:base64}", "ab?", "YWI/"),
      ("{{{a}}}", "x", "{x}"), ("a{{b}}{a}", "x", "a{b}x"),
    ])
  func forms(template: String, value: String, made: String) throws {
    let secret = try Composition(template).makeSecret(of: [named("a"): secret(value)])
    #expect(secret.withBytes { String(decoding: $0, as: UTF8.self) } == made)
  }

  @Test(
    "what is no template",
    arguments: [
      ("", Composition.Fault.noPart), ("x", .noPart), ("{{a}}", .noPart), ("{a", .unclosed), ("a}", .unopened),
      ("{A}", .notAName(place: 1)), ("{{x}}{a}{}", .notAName(place: 2)),
      ("{a:hex}", .notAForm("hex", place: 1)), ("{a}{a:}", .notAForm("", place: 2)),
      ("{a:url:json}", .notAForm("url:json", place: 1)), (String(repeating: "x", count: 65534) + "{a}", .tooLong),
      ((0..<33).map { "{k\($0)}" }.joined(), .tooManyParts),
    ])
  func templates(text: String, fault: Composition.Fault) {
    #expect(throws: fault) { _ = try Composition(text) }
  }

  @Test("a renamed part is renamed in the template, and nothing else is") func renamed() throws {
    let composition = try Composition("{{a}} {a} {a.x:json} {b}")
    let renamed = composition.renaming([named("a"): named("c"), named("a.x"): named("c.x")])
    #expect(renamed.template == "{{a}} {c} {c.x:json} {b}")
    #expect(renamed.parts == [named("c"), named("c.x"), named("b")])
    #expect(try Composition(renamed.template) == renamed)
    #expect(Composition(canonical: renamed.description) == renamed)
  }

  @Test("the record follows a part's new name, and the value stays") func moved() async throws {
    var world = try world()
    try await world.apply()
    world.move("db", to: "password")
    world.keys[named("db")] = nil
    world.declare("password", [remote("db")])
    try world.compose("url", "postgres://app:{password:url}@{host}/app")
    world.send("app", ["URL": "url", "DB": "password"])
    #expect(try await world.apply().isComplete)
    let record = try #require(try world.store.recorded().keys[named("url")])
    #expect(record.version.number == 1 && record.version.parts.map(\.key) == [named("password"), named("host")])
    #expect(record.facts.sources == ["compose: postgres://app:{password:url}@{host}/app"])
    #expect(try await world.plan().isEmpty)
  }

  @Test("under a fresh root key the value is still known to be made of its parts") func rekeyed() async throws {
    let world = try world()
    try await world.apply()
    let serial = try world.serial
    _ = try world.store.commit(
      [.recipients([named("ada"): World.ada], freshRoot: true, leaving: [])], expecting: serial, at: start)
    #expect(try await world.plan().isEmpty)
  }
}

extension World {
  mutating func compose(_ name: String, _ template: String) throws {
    let composition = try Composition(template)
    let facts = KeyFacts(provider: "generic", variable: "V_\(name.uppercased())", sources: [composition.description])
    keys[named(name)] = Key(facts: facts, sources: [], composition: composition)
  }
}
