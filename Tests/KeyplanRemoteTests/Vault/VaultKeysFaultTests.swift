import KeyplanHTTP
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// Answers about credentials that a real server gives rarely, from a script.
@Suite struct VaultKeysFaultTests {
  private typealias Script = VaultFaultTests.Script

  private static let lost = VaultFaultTests.lost
  private static let html = "<html><title>Sign in</title></html>"
  private static let id = "database/creds/app/abc"
  private static let place = Destination(type: "bao", location: "app, mount database")

  /// What a token says of itself.
  private static func token(
    ttl: String = "7200", end: String = "\"2026-12-01T00:00:00Z\"", orphan: String = "true", uses: String = "0"
  ) -> Script.Answer {
    reply(200, #"{"data":{"ttl":\#(ttl),"expire_time":\#(end),"orphan":\#(orphan),"num_uses":\#(uses)}}"#)
  }

  private static func reply(_ status: Int, _ body: String = "{}", _ headers: [String: String] = [:]) -> Script.Answer {
    VaultFaultTests.answer(status, body, headers)
  }

  private static func lease(_ id: String = id, duration: String = "3600") -> String {
    #"{"lease_id":"\#(id)","lease_duration":\#(duration),"data":{"username":"u","password":"canary"}}"#
  }

  private static let exists = reply(200, #"{"data":{"id":"\#(id)","ttl":60}}"#)
  private static let gone = reply(400, #"{"errors":["invalid lease"]}"#)

  private func run(_ answers: [Script.Answer]) throws -> (any KeyIssuing, Script) {
    let script = Script(answers)
    let backend = VaultKeysBackend(try VaultFaultTests.context(script, VaultKeysBackend.backend))
    return (try #require(backend.issuer), script)
  }

  private func mint(_ answers: [Script.Answer]) async throws -> (KeyIssuerFailure?, Script) {
    let (issuer, script) = try run(answers)
    return (await failure { try await issuer.mint("", at: Self.place) }, script)
  }

  @Test(
    "an answer that does not show what happened is unknown, and the request is not sent again",
    arguments: [
      (200, html), (200, ""), (204, ""), (200, "{}"), (200, "[]"), (200, String(lease().dropLast(5))),
      (200, #"{"lease_id":"","lease_duration":0,"data":{"keys":[]}}"#), (200, lease("other/creds/app/abc")),
      (200, lease("database/creds/app/../x")), (200, #"{"lease_duration":60,"data":{"username":"u","password":"p"}}"#),
      (500, #"{"errors":["x"]}"#), (502, html), (503, ""), (504, ""), (408, ""), (302, ""), (307, ""), (511, html),
    ])
  func unknown(status: Int, body: String) async throws {
    let (failed, script) = try await mint([Self.token(), Self.reply(status, body), Self.reply(200, Self.lease())])
    #expect(failed?.kind == .unknown && failed?.id == nil, "\(failed?.reason ?? "")")
    #expect(script.requests.count == 2)
    #expect(failed?.reason.contains("html") == false && failed?.reason.hasSuffix(".") == true)
  }

  @Test(
    "the id of a credential whose values were not received is known",
    arguments: [
      #"{"lease_id":"\#(id)"}"#, #"{"lease_id":"\#(id)","lease_duration":60,"data":{"username":"u"}}"#,
      #"{"lease_id":"\#(id)","lease_duration":60,"data":{"username":"u","password":""}}"#,
      #"{"lease_id":"\#(id)","lease_duration":60,"data":{"username":1,"password":"p"}}"#,
      #"{"lease_id":"\#(id)","data":{"username":"u","password":"p"}}"#, lease(duration: "-1"), lease(duration: "1e9"),
      lease(duration: "99999999999999999999"),
    ])
  func valuesMissing(body: String) async throws {
    let (failed, _) = try await mint([Self.token(), Self.reply(200, body)])
    #expect(failed?.kind == .unknown && failed?.id == Self.id)
  }

  @Test("a request whose answer is lost is not sent again, and one that was not sent made nothing")
  func lostAnswers() async throws {
    let (isLost, script) = try await mint([Self.token(), Self.lost, Self.reply(200, Self.lease())])
    #expect(isLost?.kind == .unknown && script.requests.count == 2)
    // On a connection of its own: libcurl sends again what a server has dropped with an old connection.
    #expect(script.all.last?.isRepeatable == false)
    let refused: Script.Answer = { (request) throws(HTTPError) in throw HTTPError(.refused, at: request.address.host) }
    let (unsent, _) = try await mint([Self.token(), refused])
    #expect(unsent?.kind == .unreachable)
  }

  @Test(
    "a refusal is definite, and is not tried again",
    arguments: [
      (400, #"{"errors":["x"]}"#, .refused), (400, #"{"errors":["unknown role: app"]}"#, .refused),
      (403, #"{"errors":["permission denied"]}"#, .denied), (401, "", .denied), (403, html, .denied),
      (404, #"{"errors":["no handler for route"]}"#, .refused), (404, html, .refused), (429, "", .throttled),
      (412, "", .refused), (503, #"{"errors":["Vault is sealed"]}"#, .unreachable),
    ] as [(Int, String, KeyIssuerFailure.Kind)])
  func refusals(status: Int, body: String, kind: KeyIssuerFailure.Kind) async throws {
    let (failed, script) = try await mint([
      Self.token(), Self.reply(status, body, ["Retry-After": "1"]), Self.reply(200, Self.lease()),
    ])
    #expect(failed?.kind == kind && script.requests.count == 2, "\(failed?.reason ?? "")")
    if status == 429 { #expect(failed?.retryAfter == Interval(seconds: 1)) }
  }

  @Test("nothing is minted while it is not known how long the token lives")
  func unknownToken() async throws {
    for answer in [
      Self.reply(200, Self.html), Self.reply(200, "{}"), Self.reply(302), Self.token(ttl: "\"x\""),
      Self.token(orphan: "1"), Self.token(uses: "null"), Self.reply(400), Self.token(ttl: "-1"),
    ] {
      let (failed, script) = try await mint([answer, Self.reply(200, Self.lease())])
      #expect(failed != nil && script.requests.count == 1, "\(failed?.reason ?? "")")
    }
    // What passes is tried again: nothing has been made yet.
    let (issuer, script) = try run([Self.reply(503), Self.lost, Self.token(), Self.reply(200, Self.lease())])
    #expect(try await issuer.mint("", at: Self.place).id == Self.id && script.requests.count == 4)
  }

  @Test(
    "a credential expires with its lease or its token, whichever is first",
    arguments: [
      ("7200", "\"2026-12-01T00:00:00Z\"", 3600), ("60", "\"2026-12-01T00:00:00Z\"", 60),
      ("0", "\"2026-12-01T00:00:00Z\"", 0), ("0", "null", 3600),
    ] as [(String, String, Int64)])
  func expiry(ttl: String, end: String, expected: Int64) async throws {
    let (issuer, _) = try run([Self.token(ttl: ttl, end: end), Self.reply(200, Self.lease())])
    #expect(try await issuer.mint("", at: Self.place).expires == Moment(seconds: expected))
    let (renewing, _) = try run([Self.token(ttl: ttl, end: end), Self.reply(200, Self.lease())])
    #expect(try await renewing.renew(Self.id, at: Self.place) == Moment(seconds: expected))
  }

  @Test(
    "no faulty answer reads as a list",
    arguments: [
      (200, html), (200, ""), (200, "{}"), (200, #"{"data":{"keys":null}}"#), (200, #"{"data":{"keys":[1]}}"#),
      (200, #"{"data":{"keys":["a","a"]}}"#), (200, #"{"data":{"keys":[".."]}}"#), (200, #"{"data":{"keys":["a/"]}}"#),
      (200, #"{"data":{"keys":["a"]"#), (404, ""), (404, html), (404, "{}"), (404, #"{"errors":["x"]}"#), (302, ""),
      (400, #"{"errors":["x"]}"#), (500, ""), (503, #"{"errors":["Vault is sealed"]}"#),
    ])
  func faultyLists(status: Int, body: String) async throws {
    let (issuer, _) = try run(Array(repeating: Self.reply(status, body), count: 5))
    let failed = await failure { try await issuer.list(at: Self.place) }
    #expect(failed?.kind == (status >= 500 ? .unreachable : .unreadable), "\(failed?.reason ?? "")")
  }

  @Test("a revocation is what the lease shows afterwards")
  func revocation() async throws {
    let denied = Self.reply(403, #"{"errors":["permission denied"]}"#)
    // Who may not look a lease up may look itself up.
    let unseen = [denied, Self.token()]
    let cases: [(String, [Script.Answer], IssuedKeyEnd?, KeyIssuerFailure.Kind?)] = [
      ("confirmed", [Self.exists, Self.reply(204, ""), Self.gone], .done, nil),
      ("gone before", [Self.gone], .alreadyGone, nil),
      ("a portal's page", [Self.exists, Self.reply(200, Self.html), Self.gone], .done, nil),
      ("success, and still there", [Self.exists, Self.reply(204, ""), Self.exists], nil, .refused),
      ("refused", [Self.exists, Self.reply(400, #"{"errors":["x"]}"#), Self.exists], nil, .refused),
      ("refused, and gone", [Self.exists, Self.reply(400, #"{"errors":["x"]}"#), Self.gone], .done, nil),
      ("cut, and still there", [Self.exists] + five(Self.lost) + [Self.exists], nil, .unknown),
      ("cut, and gone", [Self.exists] + five(Self.lost) + [Self.gone], .done, nil),
      ("failing, and no more answers", [Self.exists, Self.reply(302)] + five(Self.reply(500)), nil, .unknown),
      ("not looked up, confirmed", unseen + [Self.reply(204, ""), denied], .done, nil),
      ("not looked up, a portal's page", unseen + [Self.reply(200, Self.html), denied], nil, .unknown),
      ("looking up fails", five(Self.reply(500)), nil, .unreachable),
      ("another lease", [Self.reply(200, #"{"data":{"id":"other"}}"#)], nil, .unreachable),
      ("the id is in a message", [Self.reply(400, #"{"errors":["x invalid lease x"]}"#)], nil, .refused),
    ]
    for (name, answers, end, kind) in cases {
      let (issuer, script) = try run(answers)
      do throws(KeyIssuerFailure) {
        #expect(try await issuer.revoke(Self.id, at: Self.place) == end, "\(name)")
      } catch {
        #expect(error.kind == kind, "\(name): \(error.reason)")
      }
      #expect(script.requests.count == answers.count, "\(name)")
    }
  }

  @Test("an id is sent in bodies only, and the server is to end the credential before it answers")
  func bodies() async throws {
    let (issuer, script) = try run([Self.exists, Self.reply(204, ""), Self.gone])
    #expect(try await issuer.revoke(Self.id, at: Self.place) == .done)
    #expect(
      script.all.map { $0.body?.bytes.text } == [
        #"{"lease_id":"database/creds/app/abc"}"#, #"{"lease_id":"database/creds/app/abc","sync":true}"#,
        #"{"lease_id":"database/creds/app/abc"}"#,
      ])
    #expect(script.requests.allSatisfy { !$0.contains("abc") })
  }

  private func five(_ answer: @escaping Script.Answer) -> [Script.Answer] { Array(repeating: answer, count: 5) }

  @Test("a renewal that nothing confirms is unknown")
  func renewal() async throws {
    for answers in [
      five(Self.lost), five(Self.reply(500)), [Self.reply(200, Self.html)], [Self.reply(200, "{}")],
      [
        Self.reply(200, Self.lease("database/creds/app/other"))
      ],
    ] {
      let (issuer, _) = try run([Self.token()] + answers)
      #expect(await failure { try await issuer.renew(Self.id, at: Self.place) }?.kind == .unknown)
    }
    let (issuer, _) = try run([Self.token(), Self.reply(403), Self.token()])
    let denied = await failure { try await issuer.renew(Self.id, at: Self.place) }
    #expect(denied?.kind == .denied && denied?.hint == VaultMessages.renewHint)
  }

  @Test("keys of other issuers are not renewed unless they say how")
  func unsupported() async throws {
    struct Other: KeyIssuing {
      let connection: Connection
      let hasLabels = false
      func list(at place: Destination) async throws(KeyIssuerFailure) -> [ListedKey] { [] }
      func mint(_ label: String, at place: Destination) async throws(KeyIssuerFailure) -> MintedKey {
        MintedKey(id: "", parts: KeyParts([:]))
      }
      func orphans(
        of labels: [String], at place: Destination
      ) async throws(KeyIssuerFailure) -> [String: [String]] { [:] }
      func disable(_ id: String, label: String, at place: Destination) async throws(KeyIssuerFailure) -> IssuedKeyEnd {
        .done
      }
      func revoke(_ id: String, at place: Destination) async throws(KeyIssuerFailure) -> IssuedKeyEnd { .done }
    }
    let (issuer, _) = try run([])
    let other = Other(connection: issuer.connection)
    #expect(await failure { try await other.renew("x", at: Self.place) }?.kind == .unsupported)
  }
}
