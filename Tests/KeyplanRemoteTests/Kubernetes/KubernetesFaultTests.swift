import KeyplanModel
import KeyplanPorts
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// What the API server, and what is in between, answers if it does not answer as it should.
@Suite struct KubernetesFaultTests {
  private let fake: FakeCluster
  private let world: RemoteWorld

  init() throws {
    fake = try FakeCluster()
    world = try fake.world()
  }

  private static func status(_ code: Int, _ reason: String) -> String {
    #"{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"\#(reason)","message":"canary","code":\#(code)}"#
  }

  @Test(
    "only a definite answer of Kubernetes means that a secret is missing",
    arguments: [
      (FakeCluster.Fault(status: 404, body: "404 page not found"), AccessFailure.Kind.unreadable),
      (.init(status: 404, body: status(404, "NotFound")), .unreadable),
      (.init(status: 403, body: status(403, "Forbidden")), .denied),
      (.init(status: 403, body: "<html>"), .unreadable), (.init(status: 401, body: "{}"), .unauthenticated),
      (.init(status: 429, headers: ["Retry-After": "600"], body: status(429, "TooManyRequests")), .throttled),
      (.init(status: 503, body: status(503, "ServiceUnavailable")), .unreachable),
      (.init(status: 500, body: status(500, "InternalError")), .unreachable),
      (.init(status: 504, body: status(504, "Timeout")), .unreachable),
      (.init(status: 200, body: "<html>a portal</html>"), .unreadable), (.init(status: 200, body: "{}"), .unreadable),
      (.init(status: 200, body: ""), .unreadable), (.init(status: 302, headers: ["Location": "/"]), .unreadable),
      (.init(), .unreachable),
    ])
  func reading(fault: FakeCluster.Fault, kind: AccessFailure.Kind) async throws {
    try await fake.fail(fault)
    let failure = try #require(await (try world.cluster()).failure("a"))
    #expect(failure.kind == kind)
    #expect(!failure.reason.contains("canary") && failure.reason.hasSuffix("."))
    #expect(try await world.read("shop/api-keys#a") == [.failed(kind)])
    #expect(try await fake.seen().count <= 10)
  }

  @Test("a read is repeated until the server has recovered; a wait longer than the patience is not begun")
  func repeated() async throws {
    try await fake.fail(.init(status: 503, body: Self.status(503, "ServiceUnavailable"), times: 2))
    #expect(try await world.cluster().values("a") == [:])
    #expect(world.pauses.list.count == 2)
    try await fake.fail(.init(status: 429, headers: ["Retry-After": "7"], times: 1))
    #expect(try await world.cluster().values("a") == [:])
    #expect(world.pauses.list.last == .seconds(7))
    try await fake.fail(.init(status: 429, headers: ["Retry-After": "60"], times: 1))
    #expect(await (try world.cluster()).failure("a")?.retryAfter == Interval(seconds: 60))
  }

  @Test("a write whose answer is lost is looked for, and is unknown if that is not possible")
  func lost() async throws {
    try await fake.fail(.init(methods: ["PATCH"], after: true, times: 1))
    #expect(try await world.cluster().write(["a": "1"]) == ["a": .done])
    #expect(try await fake.seen().map(\.method) == ["GET", "PATCH", "GET"])
    try await fake.fail(.init(methods: ["PATCH"], times: 1))
    #expect(try await world.cluster().write(["a": "2"]) == ["a": .unknown])
    try await fake.fail(.init(status: 500, body: Self.status(500, "InternalError"), methods: ["PATCH"], times: 1))
    #expect(try await world.cluster().write(["a": "2"]) == ["a": .unknown])
    #expect(try await world.cluster().values("a") == ["a": "1"])
    try await fake.fail(.init(methods: ["DELETE"], after: true, times: 1))
    #expect(try await world.cluster().write([:], removing: ["a"]) == ["a": .done])
  }

  @Test("a write without the right, or without the namespace, changes nothing and says what is missing")
  func refused() async throws {
    var reader = try fake.world("{ token: reader }")
    guard case .failure(let denied) = await (try reader.cluster()).results(["a": "1"]) else {
      Issue.record("written")
      return
    }
    #expect(denied.kind == .denied && denied.hint?.contains("patch on secrets in the namespace shop") == true)
    #expect(await (try reader.kubernetes()).signedInAs() == .known("reader"))
    guard case .failure(let missing) = await (try world.cluster(namespace: "nowhere")).results(["a": "1"]) else {
      Issue.record("written")
      return
    }
    #expect(missing.reason == "The namespace \"nowhere\" does not exist.")
    let terminating =
      #"{"kind":"Status","reason":"Forbidden","code":403,"details":{"causes":[{"reason":"NamespaceTerminating"}]}}"#
    try await fake.fail(.init(status: 403, body: terminating, methods: ["PATCH"], times: 1))
    guard case .failure(let ending) = await (try world.cluster()).results(["a": "1"]) else {
      Issue.record("written")
      return
    }
    #expect(ending.reason == KubernetesMessages.terminating && ending.kind != .denied)
    reader = try fake.world("{ token: wrong }")
    #expect(try await reader.cluster().write(["a": "1"]) == ["a": .notAtAll(.unauthenticated)])
  }

  @Test("a secret that changes meanwhile is read again, and a name that changed is stale")
  func races() async throws {
    #expect(try await world.cluster().write(["a": "1", "b": "1"]).values.allSatisfy { $0 == .done })
    // As if the version that was read was no longer the current one.
    try await fake.fail(.init(status: 409, body: Self.status(409, "Conflict"), methods: ["PATCH"], times: 1))
    #expect(try await world.cluster().write(["a": "2"]) == ["a": .done])
    try await fake.fail(.init(status: 409, body: Self.status(409, "Conflict"), methods: ["PATCH"], times: 9))
    #expect(try await world.cluster().write(["a": "3"]) == ["a": .refused(.unreachable)])
    #expect(try await world.cluster().values("a", "b") == ["a": "2", "b": "1"])
  }

  @Test("names that Kubernetes does not have are refused without a request")
  func names() async throws {
    let all = ["a b", "..a", "..", "ü", ""]
    let written = try await world.cluster().write(Dictionary(uniqueKeysWithValues: all.map { ($0, "1") }))
    #expect(written == Dictionary(uniqueKeysWithValues: all.map { ($0, .refused(.unreadable)) }))
    #expect(try await fake.seen() == [])
  }

  @Test("SelfSubjectReview is newer than some servers")
  func older() async throws {
    try await fake.fail(.init(status: 404, body: Self.status(404, "NotFound"), methods: ["POST"]))
    #expect(await (try world.kubernetes()).signedInAs() == .unnamed)
    let wrong = try fake.world("{ token: wrong }")
    try await fake.fail(.init(status: 401, body: Self.status(401, "Unauthorized"), methods: ["GET"]))
    #expect(await (try wrong.kubernetes()).signedInAs() != .known("ci-bot"))
  }
}
