import KeyplanApply
import KeyplanCore
import KeyplanLocal
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

  @Test("a target that keeps half of a failed write is caught")
  func half() async {
    struct Half: SecretTarget {
      let inner = MemoryTarget()
      var type: String { inner.type }
      func read(_ names: Set<String>, at place: Destination) async -> TargetAnswer {
        await inner.read(names, at: place)
      }
      func write(_ changes: TargetChanges, at place: Destination) async throws(TargetFailure) {
        for one in changes.set { try await inner.write(TargetChanges(set: [one], remove: []), at: place) }
        try await inner.write(TargetChanges(set: [], remove: changes.remove), at: place)
      }
    }
    let contract = TargetContract(Half(), at: Destination(type: "memory", location: "here"))
    let violations = await contract.violations()
    #expect(violations.contains("a write that failed changed nothing"))
  }

  @Test("one write of the twin can be made to fail")
  func failingWrite() async throws {
    let (target, place) = (MemoryTarget(), Destination(type: "memory", location: "here"))
    target.failWrite(number: 2, with: TargetFailure(reason: "Full."))
    try await target.write(TargetChanges(set: [], remove: ["A"]), at: place)
    await #expect(throws: TargetFailure(reason: "Full.")) {
      try await target.write(TargetChanges(set: [], remove: ["A"]), at: place)
    }
    try await target.write(TargetChanges(set: [], remove: ["A"]), at: place)
    #expect(target.writes == 3)
  }

  @Test("files", arguments: ["dotenv", "json", "plist", "yaml"])
  func files(type: String) async throws {
    let scratch = try Scratch()
    try scratch.folder("folder")
    let targets = LocalTargets.all(TargetContext(folder: scratch.path, home: nil))
    let target = try #require(targets.first { $0.type == type })
    let contract = TargetContract(
      target, at: Destination(type: type, location: "file"), unusable: Destination(type: type, location: "folder"))
    let violations = await contract.violations()
    #expect(violations == [])
  }

  @Test("each target is registered once, under its type")
  func registry() {
    #expect(LocalTargets.all(TargetContext(folder: "/", home: nil)).map(\.type) == ["dotenv", "json", "plist", "yaml"])
  }
}
