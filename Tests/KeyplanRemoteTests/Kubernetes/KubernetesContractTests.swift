import KeyplanModel
import KeyplanPorts
import KeyplanTesting
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// The contracts of sources and targets, against the fake API server.
@Suite struct KubernetesContractTests {
  @Test("a secret in a cluster is a target like any other")
  func target() async throws {
    let world = try FakeCluster().world()
    let here = try world.cluster()
    let unusable = try world.cluster("api-keys", namespace: "locked").destination
    #expect(await TargetContract(here.target, at: here.destination, unusable: unusable).violations() == [])
  }

  @Test("a secret in a cluster is a source like any other")
  func source() async throws {
    let world = try FakeCluster().world()
    #expect(try await world.cluster("one").write(["a": "first", "b.c": "second"]) == ["a": .done, "b.c": .done])
    #expect(try await world.cluster("two").write(["only": "third"]) == ["only": .done])
    func reference(_ location: String, _ key: String?) -> Reference {
      Reference(scheme: "kubernetes", location: location, selector: key, isLocal: false)
    }
    let source = try #require(try world.kubernetes().source)
    let contract = SourceContract(
      source,
      present: [
        (reference("shop/one", "a"), "first"), (reference("shop/one", "b.c"), "second"),
        (reference("shop/two", nil), "third"),
      ],
      missing: [reference("shop/one", "z"), reference("shop/three", "a"), reference("nowhere/one", "a")],
      failing: [
        (reference("locked/one", "a"), .denied), (reference("shop/one", nil), .unreadable),
        (reference("shop", "a"), .unreadable), (reference("shop/../one", "a"), .unreadable),
      ])
    #expect(await contract.violations() == [])
  }

  @Test("many keys of one secret are one request")
  func batches() async throws {
    let fake = try FakeCluster()
    let world = try fake.world()
    #expect(try await world.cluster().write(["a": "1", "b": "2"]).values.allSatisfy { $0 == .done })
    _ = try await fake.seen()
    #expect(
      try await world.read("shop/api-keys#a", "shop/api-keys#b", "shop/api-keys#z") == [
        .value("1"), .value("2"), .missing,
      ])
    #expect(try await fake.seen().map(\.method) == ["GET"])
  }
}
