import KeyplanLocal
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import KeyplanTesting
import TestTools
import Testing

@Suite("Every target keeps the contract")
struct TargetContractTests {
  @Test("the twin in memory")
  func memory() async {
    let target = MemoryTarget()
    let asleep = Destination(type: "memory", location: "asleep")
    target.fail(.unreachable("It is asleep."), at: asleep)
    let contract = TargetContract(target, at: Destination(type: "memory", location: "here"), unusable: asleep)
    let violations = await contract.violations()
    #expect(violations == [])
  }

  @Test("the contract detects a target that takes an empty value and should not")
  func empty() async {
    let contract = TargetContract(
      MemoryTarget(), at: Destination(type: "memory", location: "here"), takesEmpty: false)
    #expect(await contract.violations() == ["an empty value is written", "an empty value is refused"])
  }

  @Test("the twins in memory that do not show values", arguments: [TargetGrammar.ReadBack.marks, .presence])
  func writeOnly(readsBack: TargetGrammar.ReadBack) async {
    let target = MemoryTarget(readsBack: readsBack)
    let asleep = Destination(type: "memory", location: "asleep")
    target.fail(.unreachable("It is asleep."), at: asleep)
    let contract = TargetContract(target, at: Destination(type: "memory", location: "here"), unusable: asleep)
    let violations = await contract.violations()
    #expect(violations == [])
  }

  @Test("a target that writes over what was changed meanwhile is caught")
  func unguarded() async {
    let unguarded = Careless(MemoryTarget(readsBack: .marks)) { (target, changes, place) throws(AccessFailure) in
      try await target.write(TargetChanges(set: changes.set, remove: changes.remove), at: place)
    }
    let contract = TargetContract(unguarded, at: Destination(type: "memory", location: "here"))
    let violations = await contract.violations()
    #expect(violations == ["a name that was changed meanwhile is written"])
  }

  @Test("a target that keeps half of a failed write is caught")
  func half() async {
    let half = Careless { (target, changes, place) throws(AccessFailure) in
      for one in changes.set {
        guard !one.value.withBytes({ $0.contains(0) }) else {
          throw AccessFailure(.unreadable, "It holds a NUL byte.")
        }
        _ = try await target.write(TargetChanges(set: [one], remove: []), at: place)
      }
      return try await target.write(TargetChanges(set: [], remove: changes.remove), at: place)
    }
    let contract = TargetContract(half, at: Destination(type: "memory", location: "here"))
    let violations = await contract.violations()
    #expect(violations.contains("a partially failed write changed only what it reports"))
  }

  @Test("a target that writes all names or none is caught")
  func allOrNone() async {
    let allOrNone = Careless { (target, changes, place) throws(AccessFailure) in
      guard !changes.set.contains(where: { $0.value.withBytes { $0.contains(0) } }) else {
        throw AccessFailure(.unreadable, "A value contains a NUL byte.")
      }
      return try await target.write(changes, at: place)
    }
    let contract = TargetContract(allOrNone, at: Destination(type: "memory", location: "here"))
    let violations = await contract.violations()
    #expect(violations == ["a name that cannot be written holds back its neighbours"])
  }

  @Test("one write of the twin can be made to fail")
  func failingWrite() async throws {
    let (target, place) = (MemoryTarget(), Destination(type: "memory", location: "here"))
    target.failWrite(number: 2, with: AccessFailure(.unreadable, "Full."))
    _ = try await target.write(TargetChanges(set: [], remove: ["A"]), at: place)
    await #expect(throws: AccessFailure(.unreadable, "Full.")) {
      _ = try await target.write(TargetChanges(set: [], remove: ["A"]), at: place)
    }
    _ = try await target.write(TargetChanges(set: [], remove: ["A"]), at: place)
    #expect(target.writes == 3)
  }

  @Test("files", arguments: ["dotenv", "json", "yaml", "plist"])
  func files(type: String) async throws {
    let scratch = try Scratch()
    try scratch.folder("folder")
    let targets = LocalBackends.targets(TargetContext(folder: scratch.path, home: nil))
    let target = try #require(targets.first { $0.backend.name == type })
    let contract = TargetContract(
      target, at: Destination(type: type, location: "file"), unusable: Destination(type: type, location: "folder"))
    let violations = await contract.violations()
    #expect(violations == [])
  }

  @Test("each target is registered once, under its type")
  func registry() {
    #expect(
      LocalBackends.targets(TargetContext(folder: "/", home: nil)).map(\.backend.name) == [
        "file", "dotenv", "json", "yaml", "plist", "sops", "secret-service", "command",
      ])
  }
}

/// A target in memory that writes in a way of its own.
private struct Careless: SecretTarget {
  typealias Writing =
    @Sendable (MemoryTarget, TargetChanges, Destination) async throws(AccessFailure)
    -> [String: WriteResult]

  let inner: MemoryTarget
  let writing: Writing
  var backend: BackendDescription { inner.backend }

  init(_ inner: MemoryTarget = MemoryTarget(), _ writing: @escaping Writing) {
    (self.inner, self.writing) = (inner, writing)
  }

  func look(_ question: TargetQuestion, at place: Destination) async -> TargetSight {
    await inner.look(question, at: place)
  }

  func write(_ changes: TargetChanges, at place: Destination) async throws(AccessFailure) -> [String: WriteResult] {
    try await writing(inner, changes, place)
  }
}
