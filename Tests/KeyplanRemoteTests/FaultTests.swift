import KeyplanModel
import KeyplanPorts
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// What services answer when something is wrong: never that a secret is missing.
@Suite struct FaultTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let status: Int
    var headers: [String: String] = [:]
    var body = ""
    /// Nil where it depends on the description.
    let kind: AccessFailure.Kind?
  }

  private static let html = ["Content-Type": "text/html"]

  static let cases = [
    Case(testDescription: "401", status: 401, body: "{\"message\": \"Unauthorized\"}", kind: .unauthenticated),
    Case(testDescription: "403", status: 403, body: "{\"message\": \"Forbidden\"}", kind: nil),
    Case(testDescription: "404 without a body", status: 404, kind: nil),
    Case(testDescription: "404 of a web server", status: 404, headers: html, body: "<h1>Not Found</h1>", kind: nil),
    Case(testDescription: "404 in JSON", status: 404, body: "{\"message\": \"Not Found\"}", kind: nil),
    Case(
      testDescription: "a login page", status: 200, headers: html, body: "<title>Sign in</title>", kind: .unreadable),
    Case(testDescription: "200 without a body", status: 200, kind: .unreadable),
    Case(testDescription: "204", status: 204, kind: .unreadable),
    Case(testDescription: "an object without anything", status: 200, body: "{}", kind: nil),
    Case(testDescription: "null", status: 200, body: "null", kind: .unreadable),
    Case(testDescription: "a number", status: 200, body: "7", kind: .unreadable),
    Case(testDescription: "cut JSON", status: 200, body: "[{\"a\": 1", kind: .unreadable),
    Case(
      testDescription: "a redirection", status: 302, headers: ["Location": "https://elsewhere.example/"],
      kind: .unreadable),
    Case(testDescription: "400", status: 400, body: "{\"error\": \"bad\"}", kind: .unreadable),
    Case(testDescription: "500", status: 500, body: "{}", kind: .unreachable),
    Case(testDescription: "503 of a proxy", status: 503, headers: html, body: "<html>", kind: .unreachable),
    Case(testDescription: "429", status: 429, kind: .throttled),
    Case(testDescription: "429 with a pause", status: 429, headers: ["Retry-After": "60"], kind: .throttled),
    Case(testDescription: "503 with a pause", status: 503, headers: ["Retry-After": "60"], kind: .throttled),
  ]

  @Test("no faulty answer reads as missing or as a value", arguments: ServiceSample.all)
  func neverMissing(sample: ServiceSample) async throws {
    let a = sample.name("A")
    for fault in Self.cases {
      let fake = try FakeService(sample)
      #expect(try await fake.run().write([a: "there"]) == [a: .done])
      let run = try fake.run()
      // Signed in, and all that is looked up once is known.
      _ = await run.look(a)
      try await fake.fail(Fault(status: fault.status, headers: fault.headers, body: fault.body))
      // An empty object is what some services answer for an empty place.
      let isEmptyPlace = fault.testDescription == "an object without anything" && sample.service == "heroku"
      for shown in [await run.look(a), sample.shows == .values ? await run.read(a) : []].joined() where !isEmptyPlace {
        guard case .failed(let kind) = shown else {
          Issue.record("\(fault.testDescription): \(shown)")
          continue
        }
        if let expected = fault.kind { #expect(kind == expected, "\(fault.testDescription)") }
      }
      guard !isEmptyPlace else { continue }
      // Nothing is written where nothing can be read.
      for result in await run.write([a: "new"]).values {
        guard case .done = result else { continue }
        Issue.record("\(fault.testDescription): written")
      }
      try await fake.recover()
      if sample.shows == .values { #expect(try await fake.run().look(a) == [.value("there")]) }
    }
  }

  @Test("a rejected token is told from a missing right", arguments: ServiceSample.all.filter(\.hasToken))
  func tokens(sample: ServiceSample) async throws {
    let fake = try FakeService(sample)
    let a = sample.name("A")
    #expect(try await fake.run(token: "rejected").look(a) == [.failed(.unauthenticated)])
    #expect(try await fake.run(token: "limited").look(a) == [.failed(.denied)])
    #expect(try await fake.run(token: "rejected").write([a: "x"]) == [a: .notAtAll(.unauthenticated)])
  }

  @Test("who lacks a right is told which, where the description knows it")
  func rights() async throws {
    let sample = try #require(ServiceSample.all.first { $0.service == "gitlab" })
    let fake = try FakeService(sample)
    let run = try fake.run(token: "limited")
    guard case .failed(let failure) = await run.sight(TargetQuestion(names: ["A"])).answer else {
      Issue.record("not denied")
      return
    }
    let hint = "The token needs the scope \"read_api\" or \"api\", and the role Maintainer, or Owner of a group."
    #expect(failure.kind == .denied && failure.hint == hint)
    try await fake.fail(Fault(status: 403, writes: true))
    guard case .refused(let refused)? = try await fake.run().results(bytes: ["A": [1]]).get()["A"] else {
      Issue.record("not refused")
      return
    }
    #expect(refused.kind == .denied && refused.hint != nil)
  }

  /// Those that have no way to ask without a credential.
  private static let needingCredentials = ServiceSample.all.filter { sample in
    ((try? sample.api())?.auth ?? []).allSatisfy { !$0.isAnonymous }
  }

  @Test("without a credential nothing is sent", arguments: needingCredentials)
  func noCredential(sample: ServiceSample) async throws {
    let fake = try FakeService(sample)
    let run = try fake.run()
    let connection = RemoteConnection(
      name: "empty",
      fields: run.place.connection.fields.filter { sample.addresses.contains($0.key) || $0.key == "vault" })
    let place = RemotePlace(connection: connection, fields: sample.place)
    let empty = ServiceRun(service: run.service, pauses: run.pauses, place: place)
    #expect(await empty.look(sample.name("A")) == [.failed(.unauthenticated)])
    #expect(try await fake.seen() == [])
  }

  @Test("a session that has expired is renewed once", arguments: ServiceSample.all.filter { !$0.hasToken })
  func renewing(sample: ServiceSample) async throws {
    let fake = try FakeService(sample)
    let a = sample.name("A")
    let run = try fake.run()
    #expect(await run.write([a: "one"]) == [a: .done])
    try await fake.fail(Fault(status: 401, methods: ["GET"], times: 1))
    #expect(await run.look(a) == [.value("one")])
    try await fake.fail(Fault(status: 401, methods: ["GET"]))
    #expect(await run.look(a) == [.failed(.unauthenticated)])
  }

  @Test("a run signs in once, whatever it does at the same time", arguments: ServiceSample.all.filter { !$0.hasToken })
  func oneSignIn(sample: ServiceSample) async throws {
    let fake = try FakeService(sample)
    let run = try fake.run()
    _ = try await fake.seen()
    await withTaskGroup(of: Void.self) { group in
      for index in 0..<8 { group.addTask { _ = await run.look(sample.name("N\(index)")) } }
    }
    let logins = try await fake.seen().filter { seen in
      ["login", "token", "oidc", "generateAccessToken"].contains { seen.method == "POST" && seen.path.hasSuffix($0) }
    }
    #expect(logins.count == (sample.service == "gcp" ? 2 : 1))
  }

  @Test("the requested pause is made if it fits, and reported if not", arguments: ["gitlab", "gcp", "heroku"])
  func throttled(service: String) async throws {
    let sample = try #require(ServiceSample.all.first { $0.service == service })
    let fake = try FakeService(sample)
    let a = sample.name("A")
    #expect(try await fake.run().write([a: "one"]) == [a: .done])
    let patient = try fake.run(patience: 30)
    _ = await patient.look(a)
    try await fake.fail(Fault(status: 429, headers: ["Retry-After": "7"], methods: ["GET"], times: 2))
    #expect(await patient.look(a) == [.value("one")])
    #expect(patient.pauses.list == [.seconds(7), .seconds(7)])
    try await fake.fail(Fault(status: 429, headers: ["Retry-After": "60"], methods: ["GET"]))
    guard case .failed(let failure) = await patient.sight(TargetQuestion(names: [a])).answer else {
      Issue.record("a pause that is too long is made")
      return
    }
    #expect(failure.kind == .throttled && failure.retryAfter == Interval(seconds: 60))
    #expect(patient.pauses.list.count == 2)
    try await fake.recover()
    try await fake.fail(Fault(status: 429, methods: ["GET"]))
    #expect(await patient.look(a) == [.failed(.throttled)])
    #expect(patient.pauses.list.count == 6)
  }

  @Test("GitHub's exhausted rate limit is told from a missing right, with its end")
  func rateLimit() async throws {
    let sample = try #require(ServiceSample.all.first { $0.service == "github-variables" })
    let fake = try FakeService(sample)
    let headers = ["x-ratelimit-remaining": "0", "x-ratelimit-reset": "1800000090"]
    try await fake.fail(Fault(status: 403, headers: headers, body: "{\"message\": \"API rate limit exceeded\"}"))
    guard case .failed(let failure) = try await fake.run().sight(TargetQuestion(names: ["KP_A"])).answer else {
      Issue.record("not failed")
      return
    }
    #expect(failure.kind == .throttled && failure.retryAfter == Interval(seconds: 90))
  }

  @Test("a key of Consul below another one is not that key")
  func below() async throws {
    let sample = try #require(ServiceSample.all.first { $0.service == "consul" })
    let fake = try FakeService(sample)
    #expect(try await fake.run(place: ["prefix": "app/prod/sub"]).write(["A": "other"]) == ["A": .done])
    #expect(try await fake.run().look("A", "sub") == [.missing, .missing])
  }

  @Test("an entry of Vercel that also serves another environment is not changed")
  func shared() async throws {
    let sample = try #require(ServiceSample.all.first { $0.variant == "encrypted" })
    let fake = try FakeService(sample)
    let run = try fake.run()
    let entry = #"{"id": "e", "key": "KP_A", "type": "plain", "updatedAt": 1, "target": ["production", "preview"]}"#
    let list = Fault(body: "{\"envs\": [\(entry)]}", methods: ["GET"], times: 1)
    let value = Fault(body: #"{"value": "shared", "updatedAt": 1}"#, methods: ["GET"], times: 1)
    for fault in [list, value] { try await fake.fail(fault) }
    let intent = TargetQuestion.Intent(setting: ["KP_A", "KP_B"], removing: [])
    let sight = await run.sight(TargetQuestion(names: ["KP_A", "KP_B"], intent: intent))
    #expect(Set(sight.writeBlockers.setting.keys) == ["KP_A"])
    for fault in [list, value, list, value] { try await fake.fail(fault) }
    _ = try await fake.seen()
    #expect(await run.write(["KP_A": "mine"]) == ["KP_A": .refused(.unreadable)])
    #expect(await run.write([:], removing: ["KP_A"]) == ["KP_A": .refused(.unreadable)])
    #expect(try await fake.seen().allSatisfy { $0.method == "GET" })
  }

  @Test("a place has its lasting identity, and a login ends with the run")
  func identity() async throws {
    let sample = try #require(ServiceSample.all.first { $0.variant == "AppRole" })
    let fake = try FakeService(sample)
    let run = try fake.run()
    #expect(await run.sight(TargetQuestion(names: ["A"])).placeId == "uuid-of-secret")
    await run.service.signOut()
    await run.service.signOut()
    #expect(try await fake.seen().filter { $0.path.hasSuffix("/auth/token/revoke-self") }.count == 1)
    // A run that did not log in has nothing to end.
    await (try fake.run()).service.signOut()
    #expect(try await fake.seen() == [])
  }

  @Test("a sealed Vault is sealed")
  func sealed() async throws {
    let sample = try #require(ServiceSample.all.first { $0.service == "vault-kv1" })
    let fake = try FakeService(sample)
    try await fake.fail(Fault(status: 503, body: "{\"errors\": [\"Vault is sealed\"]}"))
    #expect(try await fake.run().look("A") == [.failed(.sealed)])
  }

  @Test("a write whose answer is lost is looked for, and unknown if it is not found", arguments: ServiceSample.all)
  func lost(sample: ServiceSample) async throws {
    let fake = try FakeService(sample)
    let (a, b) = (sample.name("A"), sample.name("B"))
    // For one that exists, so that exactly one request writes.
    #expect(try await fake.run().write([a: "old", b: "other"]) == [a: .done, b: .done])
    for (kind, arrives) in [(Fault.Kind.dropAfter, true), (.drop, false)] {
      let run = try fake.run()
      try await fake.fail(Fault(kind: kind, writes: true, times: 1))
      let result = await run.write([a: arrives ? "arrived" : "did not arrive"])
      #expect(result == [a: arrives && sample.shows == .values ? .done : .unknown], "\(kind)")
      if sample.shows == .values { #expect(try await fake.run().look(a) == [.value("arrived")]) }
    }
    // The next run writes again.
    #expect(try await fake.run().write([a: "again"]) == [a: .done])
  }

  @Test("a server error leaves a write unknown, and is not answered with a second one", arguments: ServiceSample.all)
  func serverError(sample: ServiceSample) async throws {
    let fake = try FakeService(sample)
    let a = sample.name("A")
    #expect(try await fake.run().write([a: "old"]) == [a: .done])
    let run = try fake.run(patience: 30)
    _ = await run.look(a)
    try await fake.fail(Fault(status: 500, writes: true, times: 1))
    _ = try await fake.seen()
    #expect(await run.write([a: "new"]) == [a: .unknown])
    let sent = try await fake.seen().filter { ["POST", "PUT", "PATCH"].contains($0.method) }
    // Railway: looking, writing, looking.
    #expect(sent.count == (sample.service == "railway" ? 3 : 1))
  }

  /// Services that take one secret at a time.
  private static let oneByOne = ServiceSample.all.filter { (try? $0.api())?.putMany == nil }

  @Test("most services take one secret at a time") func manyOneByOne() {
    #expect(Self.oneByOne.count * 2 > ServiceSample.all.count && Self.oneByOne.count < ServiceSample.all.count)
  }

  @Test("what fails in the middle leaves what was done before", arguments: oneByOne)
  func middle(sample: ServiceSample) async throws {
    let fake = try FakeService(sample)
    let names = ["A", "B", "C"].map { sample.name($0) }
    #expect(
      try await fake.run().write([names[0]: "1", names[1]: "2", names[2]: "3"]).values.allSatisfy { $0 == .done })
    let run = try fake.run()
    _ = await run.look(names[0])
    try await fake.fail(Fault(status: 422, body: "{}", writes: true, skip: 1, times: 1))
    let results = await run.write([names[0]: "one", names[1]: "two", names[2]: "three"])
    #expect(results == [names[0]: .done, names[1]: .refused(.unreadable), names[2]: .done])
    if sample.shows == .values {
      #expect(try await fake.run().look(names[0], names[1], names[2]) == [.value("one"), .value("2"), .value("three")])
    }
  }

  @Test("a name that fails alone in an answer that is a success is refused alone")
  func alone() async throws {
    let sample = try #require(ServiceSample.all.first { $0.service == "vercel" })
    let fake = try FakeService(sample)
    let results = try await fake.run().write(["KP_OK": "1", "KP_FAIL": "2"])
    #expect(results == ["KP_OK": .done, "KP_FAIL": .refused(.unreadable)])
  }

  @Test("a list that continues elsewhere, or does not end, is unreadable")
  func pages() async throws {
    let sample = try #require(ServiceSample.all.first { $0.service == "github-variables" })
    let fake = try FakeService(sample)
    let targets = [
      "https://elsewhere.example/x?page=2", "//elsewhere.example/x", "http://127.0.0.1:1/x", "x",
      "\(fake.address)/same",
    ]
    for target in targets {
      try await fake.fail(Fault(headers: ["Link": "<\(target)>; rel=\"next\""], body: "{\"variables\": []}"))
      #expect(try await fake.run().look("KP_A") == [.failed(.unreadable)], "\(target)")
      try await fake.recover()
    }
    #expect(try await fake.seen().count == targets.count + 1)
    let endless = try FakeService(try #require(ServiceSample.all.first { $0.service == "circleci" }))
    try await endless.fail(Fault(body: "{\"items\": [], \"next_page_token\": \"same\"}"))
    #expect(try await endless.run().look("KP_A") == [.failed(.unreadable)])
    #expect(try await endless.seen().count == 2)
  }

  @Test("an answer of more than 1 MiB is unreadable")
  func large() async throws {
    let sample = try #require(ServiceSample.all.first { $0.service == "heroku" })
    let fake = try FakeService(sample)
    func body(_ size: Int) -> String { "{" + String(repeating: " ", count: size - 2) + "}" }
    try await fake.fail(Fault(body: body(1 << 20), times: 1))
    #expect(try await fake.run().look("KP_B") == [.missing])
    try await fake.fail(Fault(body: body(1 << 20 | 1), times: 1))
    #expect(try await fake.run().look("KP_B") == [.failed(.unreadable)])
  }

  @Test("no reason contains a value, a token or an answer's text", arguments: ServiceSample.all)
  func reasons(sample: ServiceSample) async throws {
    let canary = "canary-7f3a91"
    for fault in Self.cases + [
      Case(testDescription: "an echo", status: 422, body: "{\"message\": \"\(canary)\"}", kind: nil)
    ] {
      let fake = try FakeService(sample)
      let a = sample.name("A")
      let run = try fake.run()
      _ = await run.look(a)
      try await fake.fail(
        Fault(
          status: fault.status, headers: fault.headers, body: fault.body, writes: true))
      switch await run.results(bytes: [a: Array(canary.utf8)]) {
      case .failure(let failure): #expect(!"\(failure)".contains(canary) && !"\(failure)".contains("good"))
      case .success(let results): #expect(!"\(results)".contains(canary) && !"\(results)".contains("good"))
      }
    }
  }
}
