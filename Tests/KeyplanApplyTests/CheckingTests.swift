import KeyplanApply
import KeyplanModel
import KeyplanPlanning
import KeyplanPorts
import KeyplanSecrets
import KeyplanTesting
import Synchronization
import Testing

/// New values that an apply stores only if their providers accept them.
@Suite struct CheckingTests {
  /// Answers by value, and notes what it was asked.
  private final class Provider: ValueChecking {
    private let verdicts: [String: CheckVerdict]
    private let asked = Mutex<[String]>([])

    init(_ verdicts: [String: CheckVerdict]) { self.verdicts = verdicts }

    var seen: [String] { asked.withLock { $0 } }

    func check(_ values: [UncheckedValue]) async -> [Identifier<Key>: CheckVerdict] {
      var answers: [Identifier<Key>: CheckVerdict] = [:]
      for value in values {
        let text = value.value.withBytes { String(decoding: $0, as: UTF8.self) }
        asked.withLock { $0.append("\(value.key) \(value.facts.provider) \(text)") }
        answers[value.key] = verdicts[text]
      }
      return answers
    }
  }

  private static let invalid = KeyCheck(.invalid, at: start)

  /// "a" is stored with "one" and written to a target, beside "b"; its source has "two" now.
  private func world() async throws -> World {
    var world = World()
    for (name, value) in [("a", "one"), ("b", "other")] {
      world.declare(name)
      world.say(value, at: name)
    }
    world.choose("s", ["a", "b"])
    world.send("app", ["A": "a"])
    #expect(try await world.apply().isComplete)
    world.say("two", at: "a")
    world.checkable = [named("a"), named("b")]
    return world
  }

  private func stored(_ name: String, in world: World) throws -> String {
    try world.store.value(of: named(name), version: nil).withBytes { String(decoding: $0, as: UTF8.self) }
  }

  @Test("a value that is accepted is stored with the answer, and written")
  func accepted() async throws {
    var world = try await world()
    let provider = Provider(["two": .accepted(KeyCheck(.valid, at: start, expires: start + .days(30)))])
    world.checks = provider
    #expect(try await world.apply().isComplete)
    #expect(provider.seen == ["a openai two"])
    #expect(try stored("a", in: world) == "two" && world.held() == ["A": "two"])
    let version = try world.store.recorded().keys[named("a")]?.version
    #expect(version?.check?.outcome == .valid && version?.check?.expires == start + .days(30))
  }

  @Test(
    "one that is refused is neither stored nor written, nor by later plans, until it is accepted"
  )
  func refused() async throws {
    var world = try await world()
    world.checks = Provider(["two": .refused(Self.invalid, reason: "No.")])
    let outcome = try await world.apply()
    #expect(outcome.reports.map(words) == ["replace key.a: failed", "sync target.app: not tried"])
    #expect(outcome.reports.first?.result.failedReason == "No.")
    #expect(try stored("a", in: world) == "one" && world.held() == ["A": "one"])
    #expect(try world.kept() == ["one", "other"])
    let checkable = world.checkable
    world.checkable = []
    #expect(try await world.plan().isEmpty)
    world.checkable = checkable
    world.checks = Provider(["two": .accepted(KeyCheck(.valid, at: start))])
    #expect(try await world.apply().isComplete)
    #expect(try stored("a", in: world) == "two" && world.held() == ["A": "two"])
  }

  @Test("one about which nothing is known is left for another apply, and nothing is recorded")
  func undecided() async throws {
    var world = try await world()
    world.checks = Provider(["two": .undecided(reason: "Later.", isUnreachable: true)])
    let before = try world.serial
    let outcome = try await world.apply()
    #expect(outcome.reports.first.map(words) == "replace key.a: failed")
    #expect(try stored("a", in: world) == "one" && world.serial == before)
    world.checkable = []
    #expect(try await world.apply().isComplete)
    #expect(try stored("a", in: world) == "two")
  }

  @Test("a refused value stops what waits for it, and no other key")
  func others() async throws {
    var world = try await world()
    world.say("another", at: "b")
    world.send("web", ["B": "b"], to: place("web"))
    world.checks = Provider([
      "two": .refused(Self.invalid, reason: "No."), "another": .accepted(KeyCheck(.restricted, at: start)),
    ])
    let outcome = try await world.apply()
    #expect(
      Set(outcome.reports.map(words)) == [
        "replace key.a: failed", "replace key.b: done", "sync target.app: not tried", "sync target.web: done",
      ])
    #expect(try stored("b", in: world) == "another" && world.held(at: place("web")) == ["B": "another"])
  }

  @Test("where nobody can ask, a value that is to be checked is not stored")
  func nobodyAsks() async throws {
    let world = try await world()
    #expect(try await world.apply().reports.first.map(words) == "replace key.a: failed")
    #expect(try stored("a", in: world) == "one")
  }

  @Test("a value that turns out to be the recorded one is not asked about")
  func same() async throws {
    var world = try await world()
    world.say("one", at: "a")
    world.declare("a", [command("vault"), remote("a")])
    world.source.say(.missing, to: command("vault"))
    let provider = Provider([:])
    world.checks = provider
    _ = try await world.apply()
    #expect(provider.seen.isEmpty)
    #expect(try stored("a", in: world) == "one")
  }
}

extension StepResult {
  fileprivate var failedReason: String? {
    guard case .failed(.reported(let reason, _, _)) = self else { return nil }
    return reason
  }
}
