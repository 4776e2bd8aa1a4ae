import KeyplanModel
import KeyplanPorts
import KeyplanTesting
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

@Suite("CloudKit, against a fake of it") struct CloudKitContractTests {
  @Test("is a source like any other, with a key in either form or a token")
  func source() async throws {
    for isPKCS8 in [false, true] {
      let fake = try await FakeCloudKit(isPKCS8: isPKCS8)
      try await fake.put(.init("1", "weather", "one"))
      try await fake.put(.init("2", "maps", "two"))
      try await fake.put(.init("3", "twice", "a"))
      try await fake.put(.init("4", "twice", "b"))
      try await fake.put(.init("5", "bytes", "AAAA", type: "BYTES"))
      try await fake.put(.init("6", "bare", nil))
      let token = Connection.Value.secret(Reference(scheme: "env", location: "TOKEN", isLocal: true))
      for values in [[:], ["apiToken": token]] {
        let source = try #require(fake.run(values).backend.source)
        let contract = SourceContract(
          source, present: [(CloudKitRun.reference("weather"), "one"), (CloudKitRun.reference("maps"), "two")],
          missing: [CloudKitRun.reference("none"), CloudKitRun.reference("Weather")],
          unreadable: ["twice", "bytes", "bare", "a\nb"].map { CloudKitRun.reference($0) })
        #expect(await contract.violations() == [])
      }
    }
  }

  @Test("is a target like any other")
  func target() async throws {
    let fake = try await FakeCloudKit()
    let target = try #require(fake.run().backend.target)
    #expect(await TargetContract(target, at: CloudKitRun.place).violations() == [])
  }

  @Test("records, names and values can be in another type and other fields")
  func schema() async throws {
    let fake = try await FakeCloudKit()
    let run = fake.run([
      "recordType": .text("Secrets"), "nameField": .text("title"), "valueField": .text("content"),
    ])
    #expect(try await run.write(["A": "1"])["A"]?.word == "done")
    #expect(await run.read("A") == [.value("1")])
    #expect(await fake.run().read("A") == [.missing])
    let record = try #require(try await fake.records().first)
    #expect(record.recordType == "Secrets" && record.fields["title"]?.value == "A")
  }

  @Test("450 names take three requests to read and three to write")
  func batches() async throws {
    let fake = try await FakeCloudKit()
    let values = Dictionary(uniqueKeysWithValues: (0..<450).map { ("KEY_\($0)", "value \($0)") })
    let results = try await fake.run().write(values)
    #expect(results.count == 450 && results.values.allSatisfy { $0.word == "done" })
    // What is not found by a query is looked up.
    #expect(
      try await fake.requests().map { "\($0.operation) \($0.count)" } == [
        "query 200", "query 200", "query 50", "lookup 200", "lookup 200", "lookup 50", "modify 200", "modify 200",
        "modify 50",
      ])
    #expect(await fake.run().values(values.keys) == values)
    #expect(try await fake.requests().map { "\($0.operation) \($0.count)" } == ["query 200", "query 200", "query 50"])
  }

  @Test("pages of a list and responses that are too large are read to the end")
  func pages() async throws {
    let fake = try await FakeCloudKit()
    let values = Dictionary(
      uniqueKeysWithValues: (0..<60).map { ("KEY_\($0)", String(repeating: "x", count: 40_000) + "\($0)") })
    #expect(try await fake.run().write(values).values.allSatisfy { $0.word == "done" })
    #expect(await fake.run().values(values.keys) == values)
    try await fake.set(["page": 7])
    #expect(await fake.run().values(values.keys) == values)
  }

  @Test("a record that queries do not find yet is looked up")
  func lag() async throws {
    let fake = try await FakeCloudKit()
    try await fake.set(["lag": 1])
    let run = fake.run()
    #expect(try await run.write(["A": "1"])["A"]?.word == "done")
    #expect(await run.read("A", "B") == [.value("1"), .missing])
    #expect(try await run.write(["A": "2"])["A"]?.word == "done")
    #expect(try await run.write([:], removing: ["A"])["A"]?.word == "done")
    #expect(try await fake.records().isEmpty)
  }

  @Test("the records of others keep their names and other fields")
  func others() async throws {
    let fake = try await FakeCloudKit()
    var record = FakeCloudKit.Record("5E1B", "weather", "old")
    record.fields["note"] = .init(value: "kept")
    try await fake.put(record)
    #expect(try await fake.run().write(["weather": "new"])["weather"]?.word == "done")
    let after = try await fake.records()
    #expect(after.map(\.recordName) == ["5E1B"])
    #expect(after.first?.fields["note"]?.value == "kept" && after.first?.fields["key"]?.value == "new")
  }
}
