import Foundation
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import Synchronization
import Testing

@testable import KeyplanHTTP
@testable import KeyplanRemote
@testable import KeyplanServices

/// Answers that a real server gives rarely, from a script.
@Suite struct VaultFaultTests {
  /// A server that answers from a script.
  final class Script: Sendable {
    typealias Answer = @Sendable (HTTPRequest) throws(HTTPError) -> HTTPResponse
    private let answers: Mutex<[Answer]>
    private let sent = Mutex<[HTTPRequest]>([])

    init(_ answers: [Answer]) { self.answers = Mutex(answers) }

    var requests: [String] { all.map { "\($0.method.rawValue) \($0.address.text)" } }
    var all: [HTTPRequest] { sent.withLock { $0 } }

    func send(_ request: HTTPRequest) throws(HTTPError) -> HTTPResponse {
      sent.withLock { $0.append(request) }
      let next = answers.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      guard let next else { return HTTPResponse(status: 500) }
      return try next(request)
    }
  }

  static func answer(_ status: Int, _ body: String = "{}", _ headers: [String: String] = [:]) -> Script.Answer {
    { (_) throws(HTTPError) in HTTPResponse(status: status, headers: headers, body: SecretBox(Array(body.utf8))) }
  }

  static let lost: Script.Answer = { (request) throws(HTTPError) in
    throw HTTPError(.cut, at: request.address.host)
  }

  private static func secret(_ fields: String, version: Int = 1) -> Script.Answer {
    answer(200, #"{"data":{"data":\#(fields),"metadata":{"version":\#(version)}}}"#)
  }

  private func backend(
    _ script: Script, _ values: [String: Connection.Value] = [:], pauses: Pauses = Pauses()
  ) throws -> VaultBackend {
    let values = values.merging(["kv": .text("2")]) { first, _ in first }
    return VaultBackend(try Self.context(script, VaultBackend.backend, values, pauses: pauses))
  }

  static func context(
    _ script: Script, _ backend: BackendDescription, _ values: [String: Connection.Value] = [:],
    pauses: Pauses = Pauses()
  ) throws -> ConnectionContext {
    var values = values
    values["address"] = .text("https://vault.test:8200/")
    let environment = RemoteEnvironment(
      variables: ["VAULT_TOKEN": "t"], home: nil, folder: "/", http: HTTPSettings(),
      transport: { _ in
        RemoteTransport(
          send: { (request) async throws(HTTPError) in try script.send(request) }, pause: { pauses.add($0) }, now: { 0 }
        )
      },
      read: { _ in .missing() }, programs: NoPrograms())
    return ConnectionContext(
      Connection(try #require(Identifier("bao")), to: backend, values), to: backend, in: environment)
  }

  private struct NoPrograms: ProgramRunning {
    func run(_ call: ProgramCall) async -> ProgramResult { .failed(reason: "There are no programs.") }
  }

  private func read(_ backend: VaultBackend) async -> SourceAnswer {
    await backend.source?.read([VaultRun.reference("secret/a", "key")]).first ?? .missing()
  }

  private func kind(_ answer: SourceAnswer) -> AccessFailure.Kind? {
    if case .failed(let failure) = answer { failure.kind } else { nil }
  }

  @Test(
    "no answer but a definite one means that a secret is missing",
    arguments: [
      (404, "<html>Not found</html>", .unreadable), (404, "{}", .unreadable), (404, #"{"errors":["x"]}"#, .unreadable),
      (404, #"{"data":null}"#, .unreadable), (200, "<html>Welcome</html>", .unreadable), (200, "{}", .unreadable),
      (200, #"{"data":{"data":{"key":"v"}}}"#, .unreadable), (200, #"{"data":{"data":[]}}"#, .unreadable),
      (403, "Forbidden", .denied), (401, "{}", .denied), (400, #"{"errors":["x"]}"#, .unreadable),
      (301, "", .unreadable), (412, #"{"errors":["x"]}"#, .unreachable), (429, "", .throttled),
      (500, #"{"errors":["x"]}"#, .unreachable), (503, "", .unreachable),
      (503, #"{"errors":["Vault is sealed"]}"#, .sealed),
      (503, #"{"errors":["API access to this namespace has been locked by an administrator - \"a/\""]}"#, .sealed),
      (472, "", .unreadable), (502, "<html>Bad gateway</html>", .unreachable),
    ] as [(Int, String, AccessFailure.Kind)])
  func neverMissing(status: Int, body: String, kind: AccessFailure.Kind) async throws {
    // A 403 is followed by looking the token up.
    let answers = Array(repeating: Self.answer(status, body), count: 5)
    let isDenied = status == 401 || status == 403
    let script = Script(isDenied ? [Self.answer(status, body), Self.answer(200)] : answers)
    let answer = await read(try backend(script))
    #expect(self.kind(answer) == kind)
    if case .failed(let failure) = answer { #expect(!failure.reason.contains("html")) }
  }

  @Test("what passes is tried again, five times at most, and pauses that are too long are not made")
  func retries() async throws {
    let pauses = Pauses()
    let passing = Script([
      Self.answer(503), Self.lost, Self.answer(429, "{}", ["Retry-After": "7"]), Self.answer(412),
      Self.secret(#"{"key":"value"}"#),
    ])
    guard case .value(let secret) = await read(try backend(passing, pauses: pauses)) else {
      Issue.record("not read")
      return
    }
    #expect(secret.text == "value")
    #expect(pauses.list.count == 4 && pauses.list[2] == .seconds(7))
    let long = Script([Self.answer(429, "{}", ["Retry-After": "3600"])])
    guard case .failed(let failure) = await read(try backend(long)) else {
      Issue.record("It did not fail.")
      return
    }
    #expect(failure.kind == .throttled && failure.retryAfter == Interval(seconds: 3600))
    #expect(long.requests.count == 1)
  }

  @Test("a standby's redirection is followed to a listed node only, and the node is kept")
  func redirection() async throws {
    let there = ["Location": "https://vault-2.test:8200/v1/secret/data/a"]
    let value = Self.secret(#"{"key":"value"}"#)
    let strange = Script([Self.answer(307, "", there), value])
    let answer = await read(try backend(strange))
    #expect(kind(answer) == .unreadable && strange.requests.count == 1)
    if case .failed(let failure) = answer { #expect(failure.hint?.contains("\"nodes\"") == true) }

    let listed = Script([Self.answer(307, "", there), value, value])
    let nodes = try backend(listed, ["nodes": .list(["https://vault-3.test", "https://VAULT-2.test:8200/"])])
    for _ in 0..<2 { #expect(kind(await read(nodes)) == nil) }
    #expect(
      listed.requests.map { $0.split(separator: "/")[1] } == [
        "vault.test:8200", "VAULT-2.test:8200", "VAULT-2.test:8200",
      ])
    for address in [
      "https://vault-2.test:8200.evil.test/v1/secret/data/a", "http://vault-2.test:8200/v1/secret/data/a",
      "https://vault-2.test:8200@evil.test/", "https://vault-2.test/v1/secret/data/a", "/v1/x", "",
    ] {
      let evil = Script([Self.answer(307, "", ["Location": address]), value])
      #expect(kind(await read(try backend(evil, ["nodes": .list(["https://vault-2.test:8200"])]))) == .unreadable)
      #expect(evil.requests.count == 1)
    }
  }

  private func write(_ answers: [Script.Answer], _ values: [String: String] = ["A": "new"]) async throws -> (
    results: [String: WriteResult], requests: [String]
  ) {
    let script = Script(answers)
    let set = values.sorted { $0.key < $1.key }.map { (name: $0.key, value: SecretBox(Array($0.value.utf8))) }
    let results = try await backend(script).target?.write(
      TargetChanges(set: set, remove: []), at: VaultRun.place("secret/a"))
    return (results ?? [:], script.requests)
  }

  @Test("a write whose answer is lost is sent once and looked for, and unknown if it is not found")
  func lostAnswers() async throws {
    let old = Self.secret(#"{"A":"old"}"#)
    for fault in [Self.lost, Self.answer(500), Self.answer(502, "<html>"), Self.answer(504)] {
      let arrived = try await write([old, fault, Self.secret(#"{"A":"new"}"#, version: 2)])
      #expect(arrived.results == ["A": .done()])
      #expect(arrived.requests.map { $0.prefix(5) } == ["GET h", "PATCH", "GET h"])
      let isLost = try await write([old, fault, old])
      guard case .unknown = isLost.results["A"] else {
        Issue.record("not unknown")
        continue
      }
      let isSilent = try await write([old, fault] + Array(repeating: Self.lost, count: 5))
      guard case .unknown = isSilent.results["A"] else {
        Issue.record("not unknown")
        continue
      }
    }
  }

  @Test("a write that was definitely not carried out is sent again, and never as two versions")
  func notCarriedOut() async throws {
    let old = Self.secret(#"{"A":"old"}"#)
    let done = Self.answer(200, #"{"data":{"version":2}}"#)
    let again = try await write([old, Self.answer(429), Self.answer(412), done])
    #expect(again.results == ["A": .done()])
    for (fault, kind) in [
      (Self.answer(503, #"{"errors":["Vault is sealed"]}"#), AccessFailure.Kind.sealed),
      (Self.answer(307), .unreadable),
    ] {
      guard case .refused(let failure) = try await write([old, fault]).results["A"] else {
        Issue.record("not refused")
        continue
      }
      #expect(failure.kind == kind)
    }
    let refused: Script.Answer = { (request) throws(HTTPError) in throw HTTPError(.refused, at: request.address.host) }
    guard case .refused(let failure) = try await write([old, refused]).results["A"] else {
      Issue.record("not refused")
      return
    }
    #expect(failure.kind == .unreachable)
  }

  @Test("what follows a chunk that failed is not sent")
  func chunks() async throws {
    let values = Dictionary(uniqueKeysWithValues: (0..<900).map { (String(format: "N%03d", $0), "v") })
    let old = Self.secret(#"{"A":"old"}"#)
    let first = Self.answer(200, #"{"data":{"version":2}}"#)
    let conflict = Self.answer(400, #"{"errors":["check-and-set parameter did not match the current version"]}"#)
    let results = try await write([old, first, conflict], values).results
    #expect(results.values.count { $0 == .done() } == 400)
    #expect(results.values.count { $0 == .stale } == 500)
    let strange = try await write([old, Self.answer(200)], values).results
    #expect(strange.values.count { $0 == .done() } == 400)
    #expect(
      strange.values.count { if case .refused(let failure) = $0 { !failure.reason.isEmpty } else { false } } == 500)
    let lost = try await write([old, first, Self.lost, old], values).results
    #expect(lost.values.count { if case .unknown = $0 { true } else { false } } == 400)
    #expect(lost.values.count { if case .refused = $0 { true } else { false } } == 100)
  }
}
