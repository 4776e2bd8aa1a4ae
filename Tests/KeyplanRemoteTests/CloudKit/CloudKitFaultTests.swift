import KeyplanModel
import KeyplanPorts
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

@Suite("What CloudKit refuses, against a fake of it") struct CloudKitFaultTests {
  @Test(
    "has its own kind and is never missing",
    arguments: [
      (status: 403, code: "ACCESS_DENIED", kind: AccessFailure.Kind.denied),
      (401, "AUTHENTICATION_FAILED", .unauthenticated), (421, "AUTHENTICATION_REQUIRED", .unauthenticated),
      (400, "BAD_REQUEST", .unreadable), (404, "NOT_FOUND", .unreadable), (404, "ZONE_NOT_FOUND", .unreadable),
      (429, "THROTTLED", .throttled), (503, "ZONE_BUSY", .throttled), (503, "TRY_AGAIN_LATER", .throttled),
      (500, "INTERNAL_ERROR", .unreachable), (413, "QUOTA_EXCEEDED", .unreadable), (409, "CONFLICT", .unreadable),
      (409, "EXISTS", .unreadable), (400, "ATOMIC_ERROR", .unreadable), (418, "SOMETHING_NEW", .unreadable),
      (412, "VALIDATING_REFERENCE_ERROR", .unreadable), (200, "THROTTLED", .throttled),
    ])
  func codes(status: Int, code: String, kind: AccessFailure.Kind) async throws {
    for operation in ["query", "lookup"] {
      let fake = try await FakeCloudKit()
      try await fake.fail(operation, status, code)
      let failure = try #require(await fake.run().failure("A"), "\(operation)")
      #expect(failure.kind == kind && !failure.reason.contains("private"), "\(operation)")
      guard case .failed(let sight) = await fake.run().sight("A").answer else {
        Issue.record("looked at")
        return
      }
      #expect(sight == failure)
    }
  }

  @Test(
    "is judged by its status where there is no code, as behind a proxy",
    arguments: [
      (status: 200, body: "<html>", kind: AccessFailure.Kind.unreadable), (200, "{}", .unreadable),
      (200, #"{"records":7}"#, .unreadable), (200, #"{"records":[{"recordName":"x"}]}"#, .unreadable),
      (302, "", .unreadable), (401, "", .unauthenticated), (403, "<html>", .denied), (404, "<html>", .unreadable),
      (408, "", .unreachable), (421, "", .unreachable), (429, "", .throttled), (502, "<html>", .unreachable),
    ])
  func statuses(status: Int, body: String, kind: AccessFailure.Kind) async throws {
    let fake = try await FakeCloudKit()
    try await fake.fail(.init(status: status, body: body))
    #expect(await fake.run().read("A") == [.failed(kind)])
  }

  @Test("the pause in a response is obeyed, and without one the request is not repeated")
  func pauses() async throws {
    let fake = try await FakeCloudKit()
    try await fake.put(.init("1", "A", "a"))
    try await fake.fail("query", 503, "TRY_AGAIN_LATER", more: #","retryAfter":7"#, times: 2)
    let run = fake.run()
    #expect(await run.read("A") == [.value("a")])
    #expect(run.pauses.list == [.seconds(7), .seconds(7)])
    try await fake.fail("query", 429, "THROTTLED", times: 1)
    #expect(await run.read("A") == [.failed(.throttled)])
    try await fake.fail("query", 429, "THROTTLED", more: #","retryAfter":100"#, times: 1)
    #expect(await run.failure("A")?.retryAfter?.seconds == 100)
    try await fake.fail(.init(operation: "query", drop: true, times: 2))
    #expect(await run.read("A") == [.value("a")])
  }

  @Test("a list that does not end is not read for ever")
  func endless() async throws {
    let fake = try await FakeCloudKit()
    try await fake.fail(.init(status: 200, body: #"{"records":[],"continuationMarker":"1"}"#))
    #expect(await fake.run().failure("A")?.reason == RemoteMessages.endlessList("127.0.0.1"))
    #expect(try await fake.requests().count == 2)
  }

  @Test("a record that a lookup does not mention is not missing")
  func unmentioned() async throws {
    let fake = try await FakeCloudKit()
    try await fake.fail(.init(operation: "lookup", status: 200, body: #"{"records":[]}"#))
    #expect(await fake.run().failure("A")?.reason == RemoteMessages.notAnswered)
  }

  @Test("an unknown record type or a missing index says what to do")
  func schema() async throws {
    let fake = try await FakeCloudKit()
    let failure = try #require(await fake.run(["recordType": .text("Other")]).failure("A"))
    #expect(failure.kind == .unreadable && failure.reason.contains("QUERYABLE index on name"))
    #expect(failure.hint == "Complete the record type in CloudKit Console.")
    let production = fake.run(["nameField": .text("title"), "environment": .text("production")])
    #expect(await production.failure("A")?.hint?.hasSuffix("and deploy the schema to production.") == true)
  }

  @Test("a wrong key, a wrong token and a wrong clock are told apart")
  func credentials() async throws {
    let fake = try await FakeCloudKit()
    #expect(await fake.run().backend.signedInAs() == .unnamed)
    let wrong = try #require(await fake.run(["keyId": .text("ffff")]).failure("A"))
    #expect(wrong.kind == .unauthenticated && wrong.hint?.contains("\"keyId\" is the ID of this private key") == true)
    let late = try #require(await fake.run(clock: -3600).failure("A"))
    #expect(late.kind == .unauthenticated && late.hint == CloudKitMessages.clockHint)
    let token = Connection.Value.secret(Reference(scheme: "env", location: "KEY", isLocal: true))
    let rejected = try #require(await fake.run(["apiToken": token], pem: "bad&x=1").failure("A"))
    #expect(rejected.reason == CloudKitMessages.rejectedToken("127.0.0.1"))
    guard case .failed(let failure) = await fake.run(["keyId": .text("ffff")]).backend.signedInAs() else {
      Issue.record("signed in")
      return
    }
    #expect(failure.kind == .unauthenticated)
  }

  @Test("without a usable credential nothing is sent")
  func noCredential() async throws {
    let fake = try await FakeCloudKit()
    let text: [String: Connection.Value] = [
      "address": .text(fake.root), "container": .text(fake.container), "environment": .text("production"),
    ]
    let key: [String: Connection.Value] = ["keyId": .text("1")]
    let secret = Connection.Value.secret(Reference(scheme: "env", location: "KEY", isLocal: true))
    for (values, reason) in [
      ([:], CloudKitMessages.noCredential), (key, CloudKitMessages.halfKey),
      (["privateKey": secret], CloudKitMessages.halfKey),
      (["keyId": .text("1"), "privateKey": secret], CloudKitMessages.badKey),
      (["keyId": .text("1"), "apiToken": secret], CloudKitMessages.twoCredentials),
    ] as [([String: Connection.Value], String)] {
      let run = CloudKitRun(text.merging(values) { $1 }, variables: ["KEY": "no key"])
      let failure = try #require(await run.failure("A"))
      #expect(failure.kind == .unauthenticated && failure.reason == reason)
    }
    #expect(try await fake.requests().isEmpty)
  }
}
