import KeyplanApply
import KeyplanModel
import KeyplanPlanning
import KeyplanTesting
import TestTools
import Testing

@Suite struct PlanIdTests {
  private let store = MemoryStore()
  private let state = StoreState(id: "5", serial: 3, epoch: 1)

  private func id(_ steps: [Step], _ state: StoreState? = nil, environment: String? = nil) -> String {
    PlanId(of: Plan(steps: steps), store: state ?? self.state, environment: environment, signing: store).description
  }

  @Test("the same plan has the same id at any time, and the id has its shape")
  func stable() async throws {
    var world = World()
    world.declare("a", expiry: Expiry(.after(.days(90)), warn: .days(9), then: .retire))
    world.say("one", at: "a")
    world.send("app", ["K": "a"])
    let early = try await world.plan()
    world.now = world.now + .days(400)
    let late = try await world.plan()
    #expect(early == late)
    let later = StoreState(id: state.id, serial: 99, epoch: 1, appliedAt: start)
    #expect(id(early.steps) == id(late.steps, later))
    #expect(id(early.steps).wholeMatch(of: /kp1-[0-9a-hjkmnp-tv-z]{26}/) != nil)
  }

  @Test("another store, epoch, environment, order or key gives another id")
  func surroundings() {
    let steps = [
      Step(.store(.settle(.key(named("a")))), because: .manifest),
      Step(.store(.key(named("b"), .retire)), because: .drift),
    ]
    let ids = [
      id(steps), id(steps, StoreState(id: "6", serial: 3, epoch: 1)),
      id(steps, StoreState(id: "5", serial: 3, epoch: 2)),
      id(steps, environment: "staging"), id(steps, environment: ""), id(steps.reversed()), id([]), id([steps[0]]),
      PlanId(of: Plan(steps: steps), store: state, environment: nil, signing: MemoryStore()).description,
    ]
    #expect(Set(ids).count == ids.count)
  }

  private static func facts(
    provider: String = "p", model: String? = nil, variable: String? = nil, owns: Bool = false, expiry: Expiry? = nil,
    issued: Moment? = nil, sources: [String] = [], isProtected: Bool = false, labels: [String: String] = [:]
  ) -> Effect {
    .store(
      .key(
        named("a"),
        .store(
          KeyWrite(
            facts: KeyFacts(
              provider: provider, model: model, variable: variable, ownsVariable: owns, expiry: expiry, issued: issued,
              sources: sources, isProtected: isProtected, labels: labels), source: nil))))
  }

  private static func rewrap(
    _ added: [String], _ removed: [String], key: String = "k", role: Recipient.Role = .full
  )
    -> Effect
  {
    .store(
      .rewrap(
        Rewrap(
          recipients: [.init(name: named("r"), value: Recipient(publicKey: key, role: role))], added: added,
          removed: removed)))
  }

  private static func sync(
    _ at: Destination = place("x"), _ name: String = "K", _ key: String = "a", _ reason: TargetWrite.Reason = .new,
    _ total: Int = 1
  ) -> Effect {
    .outside(
      .sync(
        named("app"),
        TargetWrite(destination: at, entries: [.init(name: name, key: named(key), reason: reason)], total: total)))
  }

  private static func withdraw(
    _ names: [String], _ released: [String], at: Destination = place("x"), isMove: Bool = false
  ) -> Effect {
    .outside(.withdraw(named("app"), TargetRemoval(destination: at, names: names, released: released, isMove: isMove)))
  }

  private static func print(_ byte: UInt8) -> Fingerprint? { Fingerprint([UInt8](repeating: byte, count: 16)) }

  private static func rollback(_ to: Int64, _ was: Int64, _ rejected: UInt8? = nil) -> Effect {
    .store(.key(named("a"), .rollback(KeyRollback(to: to, was: was, rejected: rejected.flatMap(print)))))
  }

  private static func accept(
    target: String = "a", at: Destination = place("x"), name: String = "K", rejected: UInt8? = nil
  ) -> Effect {
    .store(
      .key(
        named("a"),
        .accept(
          KeyAcceptance(target: named(target), destination: at, name: name, rejected: rejected.flatMap(print)))))
  }

  /// Effects that differ in one field each.
  static let effects: [Effect] =
    [
      .store(.key(named("a"), .adopt(KeyWrite(facts: KeyFacts(provider: "p"), source: nil), from: "env://A"))),
      .store(.key(named("a"), .adopt(KeyWrite(facts: KeyFacts(provider: "p"), source: nil), from: "env://B"))),
      .outside(.removeOriginal(migration: 1, of: .key(named("a")), from: "env://A")),
      .outside(.removeOriginal(migration: 1, of: .key(named("a")), from: "env://B")),
      .outside(.removeOriginal(migration: 1, of: .key(named("b")), from: "env://A")),
      .outside(.removeOriginal(migration: 1, of: .account(named("a")), from: "env://A")),
      .store(.key(named("a"), .move(from: named("a")))),
      .store(.key(named("a"), .move(from: named("b")))),
      .store(.allow(ExternalAccess(.path, "/a"), AccessGrant([]))),
      .store(.allow(ExternalAccess(.path, "/a"), AccessGrant(["variable A"]))),
      .store(.allow(ExternalAccess(.path, "/a"), AccessGrant(["variable A"], was: []))),
      .store(.allow(ExternalAccess(.path, "/a"), AccessGrant(["variable A"], was: ["variable B"]))),
      .store(.disallow(ExternalAccess(.path, "/a"))),
      .store(.settle(.key(named("a")))),
      .store(.key(named("a"), .retire)),
      .store(.key(named("a"), .forget)),
      .store(.deactivate(named("s"), was: named("a"))),
      .store(.deactivate(named("s"), was: named("b"))),
      .store(.activate(named("s"), named("a"), was: nil)),
      .store(.activate(named("s"), named("b"), was: nil)),
      .store(.activate(named("s"), named("a"), was: named("b"))),
      facts(),
      facts(provider: "q"),
      facts(model: "m"),
      facts(model: ""),
      facts(variable: "m"),
      facts(owns: true),
      facts(isProtected: true),
      facts(issued: start),
      facts(sources: ["s"]),
      facts(sources: ["s", ""]),
      facts(labels: ["a": "b"]),
      facts(labels: ["a": "c"]),
      facts(labels: ["ab": ""]),
      facts(expiry: Expiry(.after(.days(1)), warn: .days(1), then: .warn)),
      facts(expiry: Expiry(.after(.days(2)), warn: .days(1), then: .warn)),
      facts(expiry: Expiry(.on(Moment(seconds: 86400)), warn: .days(1), then: .warn)),
      facts(expiry: Expiry(.after(.days(1)), warn: .days(2), then: .warn)),
      facts(expiry: Expiry(.after(.days(1)), warn: .days(1), then: .retire)),
      .store(.key(named("a"), .store(KeyWrite(facts: KeyFacts(provider: "p"), source: 0)))),
      .store(.key(named("a"), .replace(KeyWrite(facts: KeyFacts(provider: "p"), source: nil)))),
      .store(.key(named("a"), .update(KeyWrite(facts: KeyFacts(provider: "p"), source: nil)))),
    ]
    + [
      rewrap([], []),
      rewrap([], [], key: "l"),
      rewrap([], [], role: .plan),
      rewrap(["a"], []),
      rewrap([], ["a"]),
      sync(),
      sync(place("y")),
      sync(place("x", surface: ExternalAccess(.path, "x"))),
      sync(Destination(type: "other", location: "x")),
      sync(place("x"), "L"),
      sync(place("x"), "K", "b"),
      sync(place("x"), "K", "a", .takeOver),
      sync(place("x"), "K", "a", .new, 2),
      withdraw([], []),
      withdraw(["a"], []),
      withdraw([], ["a"]),
      withdraw(["a", "b"], []),
      withdraw(["a"], ["b"]),
      withdraw([], [], isMove: true),
      withdraw([], [], at: place("y")),
      .outside(.run(named("app"), TargetHook(reload("x")))),
      .outside(.run(named("app"), TargetHook(reload("y")))),
      .outside(.run(named("other"), TargetHook(reload("x")))),
      rollback(1, 2),
      rollback(2, 1),
      rollback(1, 1),
      rollback(1, 2, 7),
      rollback(1, 2, 8),
      .store(.key(named("a"), .restore(KeyRestoration(serial: 1, rejected: nil)))),
      .store(.key(named("a"), .restore(KeyRestoration(serial: 2, rejected: nil)))),
      .store(.key(named("a"), .restore(KeyRestoration(serial: 1, rejected: print(7))))),
      accept(),
      accept(target: "b"),
      accept(at: place("y")),
      accept(name: "L"),
      accept(rejected: 7),
    ]

  static let grounds: [Precondition] = [
    Precondition(), Precondition(revision: 0), Precondition(revision: 1),
    Precondition(source: Fingerprint([UInt8](repeating: 0, count: 16))),
    Precondition(source: Fingerprint([UInt8](repeating: 1, count: 16))), Precondition(target: [:]),
    Precondition(target: ["K": Fingerprint([UInt8](repeating: 1, count: 16))].compactMapValues(\.self)),
    Precondition(target: ["L": Fingerprint([UInt8](repeating: 1, count: 16))].compactMapValues(\.self)),
    Precondition(target: ["K": Fingerprint([UInt8](repeating: 2, count: 16))].compactMapValues(\.self)),
  ]

  @Test("every field of a step goes into the id")
  func sensitive() {
    let here = Address.key(named("a"))
    var steps = Self.effects.map { Step($0, because: .manifest) }
    steps += Self.grounds.dropFirst().map {
      Step(.store(.allow(ExternalAccess(.path, "/a"), AccessGrant([]))), because: .manifest, on: $0)
    }
    steps += Cause.allCases.dropFirst().map {
      Step(.store(.allow(ExternalAccess(.path, "/a"), AccessGrant([]))), because: $0)
    }
    steps += [
      Step(.store(.allow(ExternalAccess(.path, "/b"), AccessGrant([]))), because: .manifest),
      Step(.store(.allow(ExternalAccess(.path, "/a"), AccessGrant([]))), because: .manifest, after: [here]),
      Step(
        .store(.allow(ExternalAccess(.path, "/a"), AccessGrant([]))), because: .manifest, after: [here, .recipients]),
    ]
    #expect(Set(steps).count == steps.count)
    #expect(Set(steps.map { id([$0]) }).count == steps.count)
  }
}
