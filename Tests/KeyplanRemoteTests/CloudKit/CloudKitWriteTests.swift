import KeyplanModel
import KeyplanPorts
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

@Suite("What is written to CloudKit, against a fake of it") struct CloudKitWriteTests {
  @Test("is not written over what somebody else wrote after it was looked at")
  func stale() async throws {
    let fake = try await FakeCloudKit()
    #expect(try await fake.run().write(["A": "1", "B": "1", "D": "1"]).count == 3)
    let run = fake.run()
    #expect(await run.values(["A", "B", "C", "D"]) == ["A": "1", "B": "1", "D": "1"])
    #expect(try await fake.run().write(["A": "theirs", "C": "theirs"], removing: ["D"]).count == 3)
    let results = try await run.write(["A": "2", "B": "2", "C": "2", "D": "2"])
    #expect(results.mapValues(\.word) == ["A": "stale", "B": "done", "C": "stale", "D": "stale"])
    #expect(await run.values(["A", "B", "C", "D"]) == ["A": "theirs", "B": "2", "C": "theirs"])
  }

  @Test("is not written unless the marks are those that the changes expect")
  func marks() async throws {
    let fake = try await FakeCloudKit()
    let first = try await fake.run().write(["A": "1", "B": "1"])
    guard case .done(let mark?)? = first["A"] else {
      Issue.record("no mark")
      return
    }
    let results = try await fake.run().write(
      ["A": "2", "B": "2", "C": "2"], expecting: ["A": mark, "B": Mark("other")])
    #expect(results.mapValues(\.word) == ["A": "done", "B": "stale", "C": "done"])
  }

  @Test("errors of single records in a response with status 200 concern these records only")
  func partial() async throws {
    let fake = try await FakeCloudKit()
    try await fake.errors(
      #"""
      {"A":[{"code":"CONFLICT"}], "B":[{"code":"EXISTS"}], "C":[{"code":"ACCESS_DENIED"}], "D":[{"code":"BAD_REQUEST"}],
       "E":[{"code":"THROTTLED"}], "F":[{"code":"QUOTA_EXCEEDED"}], "G":[{"code":"INTERNAL_ERROR"}],
       "H":[{"code":"SOMETHING_NEW"}], "I":[{"code":"NOT_FOUND"}]}
      """#)
    let names = ["A", "B", "C", "D", "E", "F", "G", "H", "I", "J"]
    let results = try await fake.run().write(Dictionary(uniqueKeysWithValues: names.map { ($0, "1") }))
    #expect(
      results.mapValues(\.word) == [
        "A": "stale", "B": "stale", "C": "refused denied", "D": "refused unreadable", "E": "refused throttled",
        "F": "refused unreadable", "G": "unknown", "H": "refused unreadable", "I": "refused unreadable", "J": "done",
      ])
    #expect(try await fake.records().count == 1)
    for case .refused(let failure) in results.values { #expect(!failure.reason.contains("private")) }
    guard case .refused(let failure)? = results["C"] else {
      Issue.record("C was not refused.")
      return
    }
    #expect(failure.hint?.contains("grant READ, CREATE and WRITE on the record type Keys") == true)
  }

  @Test("records that the service was too busy for are sent again when it wants them, within 30 seconds")
  func busy() async throws {
    let fake = try await FakeCloudKit()
    try await fake.errors(
      #"""
      {"A":[{"code":"ZONE_BUSY","retryAfter":2},{"code":"THROTTLED","retryAfter":3}],
       "B":[{"code":"THROTTLED","retryAfter":60}]}
      """#)
    let run = fake.run()
    #expect(try await run.write(["A": "1", "C": "1"]).mapValues(\.word) == ["A": "done", "C": "done"])
    #expect(run.pauses.list == [.seconds(2), .seconds(3)])
    let results = try await run.write(["B": "1"])
    guard case .refused(let failure)? = results["B"] else {
      Issue.record("written")
      return
    }
    #expect(failure.kind == .throttled && failure.retryAfter?.seconds == 60)
  }

  @Test("a lost answer is unknown, unless the records show what became of it")
  func lost() async throws {
    let fake = try await FakeCloudKit()
    try await fake.fail(.init(operation: "modify", drop: true, after: true, times: 1))
    #expect(try await fake.run().write(["A": "1"])["A"]?.word == "done")
    try await fake.fail(.init(operation: "modify", drop: true, times: 1))
    #expect(try await fake.run().write(["A": "2"])["A"]?.word == "unknown")
    for (status, code) in [(500, "INTERNAL_ERROR"), (503, "TRY_AGAIN_LATER")] {
      try await fake.fail("modify", status, code, more: #","retryAfter":1"#, times: 1)
      #expect(try await fake.run().write(["A": "2"])["A"]?.word == "unknown", "\(code)")
    }
    try await fake.fail(.init(operation: "modify", status: 502, body: "<html>", times: 1))
    #expect(try await fake.run().write([:], removing: ["A"])["A"]?.word == "unknown")
    try await fake.fail(.init(operation: "modify", status: 421, body: "misdirected", times: 1))
    #expect(try await fake.run().write(["A": "3"])["A"]?.word == "done")
  }

  @Test("after a refusal of a whole request no other is sent")
  func refused() async throws {
    let fake = try await FakeCloudKit()
    try await fake.fail("modify", 403, "ACCESS_DENIED")
    let values = Dictionary(uniqueKeysWithValues: (0..<300).map { ("KEY_\($0)", "1") })
    let results = try await fake.run().write(values)
    #expect(results.values.allSatisfy { $0.word == "refused denied" } && results.count == 300)
    #expect(try await fake.requests().count { $0.operation == "modify" } == 1)
  }

  @Test("an API token does not write, and nothing is written over several records")
  func blocked() async throws {
    let fake = try await FakeCloudKit()
    let token = Connection.Value.secret(Reference(scheme: "env", location: "TOKEN", isLocal: true))
    let run = fake.run(["apiToken": token])
    #expect(await run.sight("A").writeBlockers.place?.reason == CloudKitMessages.tokenReads)
    await #expect(throws: AccessFailure.self) { try await run.write(["A": "1"]) }
    try await fake.put(.init("1", "A", "a"))
    try await fake.put(.init("2", "A", "b"))
    #expect(try await fake.run().write(["A": "1"])["A"]?.word == "refused unreadable")
    guard case .failed(let failure) = await fake.run().sight("A").answer else {
      Issue.record("two records are one")
      return
    }
    #expect(failure.kind == .unreadable && failure.hint == CloudKitMessages.severalHint)
    try await fake.put(.init("3", "B", "c"))
    guard case .values(let values) = await fake.run().sight("A", "B").answer, case .failed? = values["A"],
      case .text? = values["B"]
    else {
      Issue.record("several records of one name hold back another name")
      return
    }
  }
}
