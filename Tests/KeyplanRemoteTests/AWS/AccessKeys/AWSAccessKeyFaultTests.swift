import KeyplanHTTP
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import TestTools
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// What is lost on the way, and what others answer in the place of IAM.
@Suite("Access keys of IAM, when answers are lost") struct AWSAccessKeyFaultTests {
  private static let label = "keyplan/0b8f2c/aws-ci/7"
  private static let html = ["Content-Type": "text/html"]

  private static func error(_ code: String) -> String {
    "<ErrorResponse><Error><Type>Sender</Type><Code>\(code)</Code><Message>canary</Message></Error></ErrorResponse>"
  }

  private static func made(_ content: String) -> String {
    "<CreateAccessKeyResponse><CreateAccessKeyResult><AccessKey><UserName>u</UserName>\(content)</AccessKey>"
      + "</CreateAccessKeyResult></CreateAccessKeyResponse>"
  }

  /// Answers that show neither that something was done nor that it was not.
  static let doubtful = [
    Fault(status: 500, body: error("ServiceFailure")), Fault(status: 500, body: error("AccessDenied")),
    Fault(status: 502, headers: html, body: "<html>"), Fault(status: 503, headers: ["Retry-After": "7"]),
    Fault(status: 503, body: error("Throttling")), Fault(status: 504), Fault(status: 408),
    Fault(status: 302, headers: ["Location": "https://elsewhere.example/"]),
    Fault(status: 301, body: error("AccessDenied")), Fault(status: 204), Fault(status: 202, body: made("")),
    Fault(status: 200), Fault(status: 200, headers: html, body: "<html><head><title>Sign in</title></head></html>"),
    Fault(status: 200, headers: html, body: "<!DOCTYPE html><title>Sign in</title>"),
    Fault(status: 200, body: #"{"CreateAccessKeyResponse":{}}"#),
    Fault(status: 200, body: "<ListAccessKeysResponse></ListAccessKeysResponse>"),
    Fault(status: 200, body: error("AccessDenied")),
    Fault(status: 200, body: "<CreateAccessKeyResponse><CreateAccessKeyResult>"),
    Fault(status: 200, body: String(repeating: "<CreateAccessKeyResponse>", count: 100_000)),
  ]

  private func check(_ failure: KeyIssuerFailure?, _ what: String = "") {
    let words = "\(failure?.reason ?? "") \(failure?.hint ?? "")"
    #expect(!words.contains("canary"), "\(what): \(words)")
  }

  @Test("a key whose answer was lost is found among those that were not listed before, and is made once")
  func lostAnswer() async throws {
    let fake = try FakeIAM()
    let run = fake.run()
    let issuer = try run.accessKeys()
    // The connection is kept, and libcurl would repeat a request on it that may be repeated.
    let before = try await issuer.list(at: fake.place)
    try await fake.fail(Fault(kind: .dropAfter, writes: true))
    let lost = await failure { try await issuer.mint(Self.label, at: fake.place) }
    #expect(lost?.kind == .unknown && lost?.id == nil, "\(lost?.reason ?? "")")
    check(lost)
    #expect(try await fake.seen().map(\.method) == ["ListAccessKeys", "CreateAccessKey"])
    #expect(run.pauses.list.isEmpty)
    try await fake.recover()
    let new = Set(try await issuer.list(at: fake.place).map(\.id)).subtracting(before.map(\.id))
    #expect(try await new.sorted() == fake.keys().map(\.id) && new.count == 1)
    for id in new { #expect(try await issuer.revoke(id, at: fake.place) == .done) }
    #expect(try await fake.keys() == [])
  }

  @Test("a request that was lost before a key was made leaves nothing, and is not repeated")
  func lostRequest() async throws {
    let fake = try FakeIAM()
    let issuer = try fake.run().accessKeys()
    try await fake.fail(Fault(kind: .drop, writes: true))
    #expect(await failure { try await issuer.mint(Self.label, at: fake.place) }?.kind == .unknown)
    #expect(try await fake.seen().count == 1)
    #expect(try await issuer.list(at: fake.place) == [])
  }

  @Test("what does not show whether a key was made is unknown, and the request is sent once", arguments: doubtful)
  func doubt(fault: Fault) async throws {
    let fake = try FakeIAM()
    let run = fake.run()
    let issuer = try run.accessKeys()
    try await fake.fail(fault)
    let failed = await failure { try await issuer.mint(Self.label, at: fake.place) }
    #expect(failed?.kind == .unknown)
    check(failed)
    #expect(try await fake.seen().count == 1 && run.pauses.list.isEmpty)
  }

  @Test(
    "a key without a usable secret is unknown, and its id is known if the answer has it",
    arguments: [
      ("<AccessKeyId>AKIA0000000000000001</AccessKeyId>", true),
      ("<AccessKeyId>AKIA0000000000000001</AccessKeyId><SecretAccessKey/>", true),
      ("<AccessKeyId>AKIA0000000000000001</AccessKeyId><SecretAccessKey>canary&amp;x</SecretAccessKey>", true),
      ("<AccessKeyId>AKIA0000000000000001</AccessKeyId><SecretAccessKey>canary canary</SecretAccessKey>", true),
      ("<AccessKeyId>AKIA0000000000000001</AccessKeyId><SecretAccessKey>canaré</SecretAccessKey>", true),
      (
        "<AccessKeyId>AKIA0000000000000001</AccessKeyId><SecretAccessKey>canary</SecretAccessKey>"
          + "<SecretAccessKey>canary2</SecretAccessKey>", true
      ),
      ("<SecretAccessKey>canary</SecretAccessKey>", false),
      ("<AccessKeyId>a b</AccessKeyId><SecretAccessKey>canary</SecretAccessKey>", false),
      ("<AccessKeyId>AKIA</AccessKeyId><SecretAccessKey>canary</SecretAccessKey>", false),
    ])
  func unusable(content: String, hasId: Bool) async throws {
    let fake = try FakeIAM()
    try await fake.fail(Fault(body: Self.made(content)))
    let failed = await failure { try await fake.run().accessKeys().mint(Self.label, at: fake.place) }
    #expect(failed?.kind == .unknown && failed?.id == (hasId ? "AKIA0000000000000001" : nil))
    check(failed)
  }

  @Test(
    "a refusal is definite, has its kind by the code, and is not repeated",
    arguments: [
      ("LimitExceeded", 409, .refused), ("NoSuchEntity", 404, .refused), ("ValidationError", 400, .refused),
      ("EntityTemporarilyUnmodifiable", 409, .refused), ("AccessDenied", 403, .denied),
      ("InvalidClientTokenId", 403, .unauthenticated), ("SignatureDoesNotMatch", 403, .unauthenticated),
      ("ExpiredToken", 403, .unauthenticated), ("Throttling", 400, .throttled), ("", 429, .throttled),
      ("", 404, .refused),
    ] as [(String, Int, KeyIssuerFailure.Kind)])
  func refusals(code: String, status: Int, kind: KeyIssuerFailure.Kind) async throws {
    let fake = try FakeIAM()
    let run = fake.run()
    let issuer = try run.accessKeys()
    let body = code.isEmpty ? "<html>" : Self.error(code)
    try await fake.fail(Fault(status: status, headers: ["Retry-After": "7"], body: body))
    let failed = await failure { try await issuer.mint(Self.label, at: fake.place) }
    #expect(failed?.kind == kind && failed?.retryAfter == (kind == .throttled ? Interval(seconds: 7) : nil))
    check(failed)
    #expect(try await fake.seen().count == 1 && run.pauses.list.isEmpty)
  }

  @Test("what is not reached did nothing", arguments: AccessKeyOperation.allCases)
  func unreachable(operation: AccessKeyOperation) async throws {
    let fake = try FakeIAM()
    let issuer = try fake.run(at: "http://127.0.0.1:9").accessKeys()
    #expect(
      await failure { try await issuer.perform(operation, "AKIA0000000000000001", at: fake.place) }?.kind
        == .unreachable)
  }

  @Test("an end whose answer was lost is found out from the list", arguments: doubtful)
  func lostEnd(fault: Fault) async throws {
    let fake = try FakeIAM()
    let issuer = try fake.run().accessKeys()
    let ids = [
      try await issuer.mint(Self.label, at: fake.place).id, try await issuer.mint(Self.label, at: fake.place).id,
    ]
    var fault = fault
    fault.writes = true
    try await fake.fail(fault)
    for operation in [AccessKeyOperation.disable, .revoke] {
      let failed = await failure { try await issuer.perform(operation, ids[0], at: fake.place) }
      #expect(failed?.kind == .unknown, "\(operation)")
      check(failed)
    }
    #expect(try await fake.keys().map(\.id) == ids)
    // Nobody has it any more.
    #expect(try await issuer.disable("AKIAX000000000000000", label: Self.label, at: fake.place) == .alreadyGone)
    #expect(try await issuer.revoke("AKIAX000000000000000", at: fake.place) == .done)
  }

  @Test("an end that was carried out is done, also if its answer was lost")
  func carriedOut() async throws {
    let fake = try FakeIAM()
    let issuer = try fake.run().accessKeys()
    let id = try await issuer.mint(Self.label, at: fake.place).id
    try await fake.fail(Fault(kind: .dropAfter, writes: true))
    _ = try await fake.seen()
    #expect(try await issuer.disable(id, label: Self.label, at: fake.place) == .done)
    #expect(try await fake.keys().map(\.status) == ["Inactive"])
    #expect(try await issuer.revoke(id, at: fake.place) == .done)
    #expect(try await fake.keys() == [])
    #expect(
      try await fake.seen().map(\.method) == [
        "UpdateAccessKey", "ListAccessKeys", "DeleteAccessKey", "ListAccessKeys",
      ])
  }

  @Test(
    "a key is not gone while the list shows it, or while there is no list",
    arguments: [AccessKeyOperation.disable, .revoke])
  func stillThere(operation: AccessKeyOperation) async throws {
    let fake = try FakeIAM()
    let run = fake.run()
    let issuer = try run.accessKeys()
    // The last of several pages.
    var id = ""
    for _ in 1...5 { id = try await issuer.mint(Self.label, at: fake.place).id }
    let missing = Fault(status: 404, body: Self.error("NoSuchEntity"), writes: true)
    try await fake.fail(missing)
    let listed = await failure { try await issuer.perform(operation, id, at: fake.place) }
    #expect(listed?.kind == .refused && listed?.reason == "127.0.0.1 still lists the key.")
    for (status, code) in [(403, "AccessDenied"), (400, "ValidationError"), (200, "AccessDenied")] {
      try await fake.recover()
      try await fake.fail(missing)
      try await fake.fail(Fault(status: status, body: Self.error(code)))
      let unlisted = await failure { try await issuer.perform(operation, id, at: fake.place) }
      #expect(unlisted?.kind == .unknown && (unlisted?.hint != nil) == (status == 403), "\(code)")
      check(unlisted)
    }
    #expect(try await fake.keys().count == 5)
  }

  @Test(
    "a refusal of an end is no end",
    arguments: [
      ("AccessDenied", 403, .denied), ("ExpiredToken", 403, .unauthenticated), ("Throttling", 400, .throttled),
      ("ValidationError", 400, .refused), ("", 404, .refused), ("", 410, .refused),
    ] as [(String, Int, KeyIssuerFailure.Kind)], [AccessKeyOperation.disable, .revoke])
  func refusedEnd(_ answer: (code: String, status: Int, kind: KeyIssuerFailure.Kind), operation: AccessKeyOperation)
    async throws
  {
    let fake = try FakeIAM()
    let issuer = try fake.run().accessKeys()
    let id = try await issuer.mint(Self.label, at: fake.place).id
    let body = answer.code.isEmpty ? "<html>" : Self.error(answer.code)
    try await fake.fail(Fault(status: answer.status, body: body, writes: true))
    let failed = await failure { try await issuer.perform(operation, id, at: fake.place) }
    #expect(failed?.kind == answer.kind)
    check(failed)
    #expect(try await fake.keys().map(\.status) == ["Active"])
  }

  @Test(
    "a hostile server makes no key, lists none, ends none, and gets nothing repeated",
    arguments: HostileServer.Deed.allCases, AccessKeyOperation.allCases)
  func hostile(deed: HostileServer.Deed, operation: AccessKeyOperation) async throws {
    let server = try HostileServer.shared.get()
    let sent = HostileServer.Sent()
    var run = try FakeIAM().run()
    run.send = try server.transport(HTTPSettings(), deed, sent).send
    let issuer = try run.accessKeys()
    let failed = await failure {
      try await issuer.perform(operation, "AKIA0000000000000001", at: AWSRun.place("ci"))
    }
    let isTLS = [.wrongCertificate, .expired].contains(deed)
    switch operation {
    case .list: #expect([.unreadable, .unreachable].contains(failed?.kind))
    case .mint: #expect(failed?.kind == (isTLS ? .unreachable : deed == .parrotRefusal ? .refused : .unknown))
    case .disable, .revoke: #expect([.unknown, .unreachable, .refused].contains(failed?.kind))
    }
    check(failed, deed.rawValue)
    #expect(operation != .mint || sent.count == 1)
    #expect(try await server.trapped() == [])
  }
}

extension Fault: CustomTestStringConvertible {
  var testDescription: String { "\(status) \(body.prefix(60))" }
}
