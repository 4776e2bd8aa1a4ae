import KeyplanApply
import KeyplanModel
import KeyplanPlanning
import KeyplanSecrets
import KeyplanTesting
import TestTools
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// Planning and applying with a target in a service, each in a run of its own.
@Suite struct ConvergingTests {
  private static let destination = Destination(type: "service", location: "place")
  private static let target: Identifier<Target>? = Identifier("app")
  private static let now = Moment(seconds: 1_800_000_000)

  /// Two keys of a store in memory, which a target takes.
  private struct Project {
    let fake: FakeService
    let store: MemoryStore
    let source = MemorySource(
      BackendDescription("mem", reference: ReferenceGrammar(.file, example: "mem://name", isLocal: false)))
    var names: [String: String]

    init(_ sample: ServiceSample) throws {
      fake = try FakeService(sample)
      store = MemoryStore(recipients: [try #require(Identifier("ada")): Recipient(publicKey: "age1ada")])
      names = [sample.name("A"): "a", sample.name("B"): "b"]
      say("value of a", of: "a")
      say("value of b", of: "b")
    }

    func say(_ value: String, of key: String) { source.say(.value(Array(value.utf8)), to: Self.reference(key)) }

    private static func reference(_ key: String) -> Reference {
      Reference(scheme: "mem", location: key, isFile: true, isLocal: false)
    }

    private var manifest: Manifest {
      get throws {
        var keys: [Identifier<Key>: Key] = [:]
        for name in ["a", "b"] {
          let source = Self.reference(name)
          let facts = KeyFacts(
            provider: "openai", variable: name.uppercased(), expiry: nil, sources: [source.description])
          keys[try #require(Identifier(name))] = Key(facts: facts, sources: [source])
        }
        let entries = try names.sorted { $0.key < $1.key }.map { name, key in
          Target.Entry(.fixed(name), from: .key(try #require(Identifier(key))))
        }
        let target = Target(destination: destination, entries: entries, takeOver: false)
        return Manifest(keys: keys, targets: [try #require(ConvergingTests.target): target])
      }
    }

    private func observer() throws -> Observer {
      let run = try fake.run()
      let grammar = TargetGrammar(fields: [], readsBack: run.service.api.readsBack)
      let target = RemoteTarget(run.service, BackendDescription("service", target: grammar)) { _ in run.place }
      return Observer(
        fingerprints: store.copy(), sources: [source], targets: [target], service: MemoryAccountService(.strict),
        tokens: store, clock: { now })
    }

    func plan() async throws -> Plan {
      let observation = try await observer().observe(manifest, recorded: try store.recorded(), given: [:])
      return Plan.reconciling(try manifest, with: observation, allowing: Allowances(), at: now).plan
    }

    func findings() async throws -> [Finding.Kind] {
      let observation = try await observer().observe(manifest, recorded: try store.recorded(), given: [:])
      return Finding.drift(of: try manifest, in: observation, at: now).findings.map(\.kind)
    }

    func apply() async throws -> [StepResult] {
      let applier = Applier(
        store: store, observer: try observer(), manifest: try manifest, allowances: Allowances(), given: [:],
        grants: [:], clock: { now })
      return try await applier.apply(try await plan()).reports.map(\.result)
    }
  }

  @Test("what is applied leaves nothing to do, and no drift", arguments: ServiceSample.all)
  func quiet(sample: ServiceSample) async throws {
    let project = try Project(sample)
    #expect(try await project.apply().allSatisfy { $0 == .done })
    #expect(try await project.plan().steps.isEmpty)
    #expect(try await project.findings() == [])
    #expect(try await project.apply().isEmpty)
  }

  @Test("a new value, a change by someone else and a removal are put right", arguments: ServiceSample.all)
  func changes(sample: ServiceSample) async throws {
    var project = try Project(sample)
    #expect(try await project.apply().allSatisfy { $0 == .done })
    project.say("another value", of: "a")
    #expect(try await project.apply().allSatisfy { $0 == .done })
    #expect(try await project.plan().steps.isEmpty)
    let (a, b) = (sample.name("A"), sample.name("B"))
    if sample.shows == .values { #expect(try await project.fake.run().look(a) == [.value("another value")]) }
    // Presence alone does not show a change.
    if sample.shows != .presence {
      #expect(try await project.fake.run().write([a: "theirs"]) == [a: .done])
      #expect(try await project.findings() == [sample.shows == .values ? .targetChanged : .targetRewritten])
    }
    #expect(try await project.fake.run().write([:], removing: [b]) == [b: .done])
    #expect(try await project.findings().contains(.targetMissing))
    let results = try await project.apply()
    if sample.keepsNames {
      #expect(results.contains { $0 != .done })
    } else {
      #expect(results.allSatisfy { $0 == .done })
      #expect(try await project.plan().steps.isEmpty)
    }
    // What is declared no longer is withdrawn.
    project.names[b] = nil
    #expect(try await project.apply().allSatisfy { $0 == .done })
    #expect(try await project.plan().steps.isEmpty)
    #expect(try await project.fake.run().look(b) == [.missing])
    #expect(try await project.fake.run().look(a) != [.missing])
  }

  @Test("a lost answer is repaired by the next run", arguments: ServiceSample.all)
  func lost(sample: ServiceSample) async throws {
    let project = try Project(sample)
    #expect(try await project.apply().allSatisfy { $0 == .done })
    project.say("another value", of: "a")
    try await project.fake.fail(Fault(kind: .dropAfter, writes: true, times: 1))
    let results = try await project.apply()
    // Where values can be read, it is seen that the write arrived.
    #expect(results.contains { $0 != .done } == (sample.shows != .values))
    try await project.fake.recover()
    _ = try await project.apply()
    #expect(try await project.plan().steps.isEmpty)
    #expect(try await project.findings() == [])
    if sample.shows == .values {
      #expect(try await project.fake.run().look(sample.name("A")) == [.value("another value")])
    }
  }
}
