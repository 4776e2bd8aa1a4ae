import KeyplanModel
import KeyplanPorts
import KeyplanTesting
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// The contracts that sources and targets of every kind meet, of services that take any value.
@Suite struct PortContractTests {
  @Test(
    "a target of a service is a target like any other",
    arguments: ServiceSample.all.filter {
      ["heroku", "gitlab", "consul", "vault-kv1", "cloudflare", "doppler"].contains($0.service)
    })
  func targets(sample: ServiceSample) async throws {
    let fake = try FakeService(sample)
    // Any number of requests in one run.
    let run = try fake.run()
    let readsBack: TargetGrammar.ReadBack =
      switch sample.shows {
      case .values: .values
      case .marks: .marks
      case .presence: .presence
      }
    #expect(run.service.api.readsBack == readsBack)
    let backend = BackendDescription("test", target: TargetGrammar(fields: [], readsBack: readsBack))
    let elsewhere = sample.elsewhere.map {
      RemotePlace(connection: run.place.connection, fields: sample.place.merging($0.place) { $1 })
    }
    let target = RemoteTarget(run.service, backend) { $0.location == "elsewhere" ? elsewhere : run.place }
    let unusable = elsewhere.map { _ in Destination(type: "test", location: "elsewhere") }
    let contract = TargetContract(target, at: Destination(type: "test", location: "here"), unusable: unusable)
    #expect(await contract.violations() == [])
  }

  @Test(
    "a source of a service is a source like any other",
    arguments: ServiceSample.all.filter { $0.shows == .values && $0.elsewhere != nil })
  func sources(sample: ServiceSample) async throws {
    let fake = try FakeService(sample)
    let names = ["A", "B", "C", "D"].map { sample.name($0) }
    #expect(try await fake.run().write([names[0]: "one", names[1]: "two"]).values.allSatisfy { $0 == .done })
    let run = try fake.run()
    let (place, kind) = try #require(sample.elsewhere)
    let elsewhere = RemotePlace(connection: run.place.connection, fields: sample.place.merging(place) { $1 })
    let grammar = ReferenceGrammar(
      .place(what: "a place"), selector: .name, example: "test://here#NAME", isLocal: false)
    let source = RemoteSource(run.service, BackendDescription("test", reference: grammar)) { reference in
      guard let name = reference.selector else { return nil }
      return RemoteSource.Address(place: reference.location == "here" ? run.place : elsewhere, name: name)
    }
    func reference(_ name: String, at location: String = "here") -> Reference {
      Reference(scheme: "test", location: location, selector: name, isLocal: false)
    }
    let contract = SourceContract(
      source, present: [(reference(names[0]), "one"), (reference(names[1]), "two")],
      missing: [reference(names[2]), reference(names[3])],
      failing: [
        (reference(names[0], at: "elsewhere"), kind), (Reference(scheme: "test", isLocal: false), .unreadable),
      ])
    #expect(await contract.violations() == [])
  }
}
