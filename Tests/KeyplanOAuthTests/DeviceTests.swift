import KeyplanHTTP
import KeyplanModel
import KeyplanSecrets
import Synchronization
import Testing

@testable import KeyplanOAuth

@Suite struct DeviceTests {
  private let start = Moment(seconds: 1_000_000)

  private func begin(_ status: Int, _ body: String) async throws -> DeviceOutcome {
    let client = OAuthClient(id: "id", at: try .microsoft(tenant: "common"))
    let port = ScriptedPort(HTTPResponse(status, body))
    let outcome = await client.beginDevice(scopes: ["a", "b"], through: port)
    #expect(port.form == "client_id=id&scope=a+b")
    return outcome
  }

  private func signIn(_ body: String) async throws -> DeviceSignIn {
    guard case .begun(let signIn) = try await begin(200, body) else { throw Unexpected() }
    return signIn
  }

  private struct Unexpected: Error {}

  @Test(
    "each service's way of beginning is understood",
    arguments: [
      (
        #"{"device_code":"D","user_code":"WDJB-MJHT","verification_uri":"https://x/d","expires_in":1800,"interval":7,"#
          + #""verification_uri_complete":"https://x/d?c=WDJB"}"#, "WDJB-MJHT https://x/d 1800 7 https://x/d?c=WDJB"
      ),
      (
        #"{"device_code":"D","user_code":"wwWW","verification_url":"https://www.google.com/device","expires_in":"1800"}"#,
        "wwWW https://www.google.com/device 1800 5 -"
      ),
      (
        #"{"device_code":"D","user_code":"U","verification_uri":"https://microsoft.com/devicelogin","interval":0,"#
          + #""message":"To sign in, …"}"#, "U https://microsoft.com/devicelogin 900 1 -"
      ),
    ])
  func begun(body: String, told: String) async throws {
    let one = try await signIn(body)
    #expect(
      "\(one.userCode) \(one.address) \(one.lifetime.seconds) \(one.interval.seconds) \(one.completeAddress ?? "-")"
        == told)
  }

  @Test(
    "a sign-in that cannot begin says why",
    arguments: [
      (400, #"{"error":"invalid_scope","error_description":"Invalid device flow scope: x"}"#, "scope invalid_scope"),
      (401, #"{"error":"invalid_client"}"#, "client invalid_client"),
      (403, #"{"error_code":"rate_limit_exceeded"}"#, "busy"),
      (200, #"{"device_code":"D"}"#, "no answer"), (500, "<html>", "busy"),
      (200, #"{"device_code":"D","user_code":"\u001b[2J","verification_uri":"https://x"}"#, "no answer"),
    ])
  func notBegun(status: Int, body: String, told: String) async throws {
    let short: String
    switch try await begin(status, body) {
    case .begun: short = "begun"
    case .refused(let refusal): short = refusal.short
    case .unavailable(let unavailable): short = unavailable.short
    }
    #expect(short == told)
  }

  private static let pending = (428, #"{"error":"authorization_pending"}"#)

  @Test(
    "polling waits as it is told, and ends with the first word that is final",
    arguments: [
      ([pending, (400, #"{"error":"authorization_pending"}"#), (200, #"{"access_token":"a"}"#)], [5, 10], "granted"),
      (
        [(403, #"{"error":"slow_down"}"#), pending, (400, #"{"error":"slow_down"}"#), pending], [10, 20, 35, 50], "asks"
      ),
      ([(503, ""), (500, "<html>"), pending, (200, "hotel")], [10, 30, 50, 90], "asks"),
      ([(429, "")], [10], "asks"),
      ([(403, #"{"error":"access_denied"}"#)], [], "denied access_denied"),
      ([(400, #"{"error":"authorization_declined"}"#)], [], "denied authorization_declined"),
      ([(400, #"{"error":"bad_verification_code"}"#)], [], "codeSpent bad_verification_code"),
      ([(400, #"{"error":"expired_token"}"#)], [], "codeSpent expired_token"),
      ([(404, #"{"error":"device_not_found"}"#)], [], "codeSpent device_not_found"),
      ([(400, #"{"error":"invalid_grant"}"#)], [], "codeSpent invalid_grant"),
      ([(400, #"{"error":"admin_policy_enforced"}"#)], [], "forbidden admin_policy_enforced"),
      ([(403, #"{"error":"org_internal"}"#)], [], "forbidden org_internal"),
      ([(401, #"{"error":"invalid_client"}"#)], [], "client invalid_client"),
      ([(400, #"{"error":"unsupported_grant_type"}"#)], [], "setup unsupported_grant_type"),
      (Array(repeating: pending, count: 60), Array(stride(from: 5, to: 120, by: 5)), "codeSpent expired_token"),
    ] as [([(Int, String)], [Int64], String)])
  func polling(answers: [(Int, String)], asked: [Int64], end: String) async throws {
    let signIn = try await signIn(
      #"{"device_code":"D","user_code":"U","verification_uri":"https://x","expires_in":120,"interval":5}"#)
    var polling = DevicePolling(signIn, at: start)
    var now = start
    var times: [Int64] = []
    var last = "asks"
    for (status, body) in answers {
      switch polling.next(after: TokenOutcome(HTTPResponse(status, body), to: polling.request), at: now) {
      case .ask(let moment):
        now = moment
        times.append((moment - start).seconds)
        continue
      case .ended(let outcome): last = outcome.short
      }
      break
    }
    #expect(times == asked)
    #expect(last == end)
  }

  @Test("a pause that is asked for is kept, and the first question waits too")
  func pause() async throws {
    let signIn = try await signIn(#"{"device_code":"D","user_code":"U","verification_uri":"https://x"}"#)
    var polling = DevicePolling(signIn, at: start)
    guard case .ask(let first) = polling.first(at: start) else { throw Unexpected() }
    #expect(first == start + Interval(seconds: 5))
    let busy = TokenOutcome(HTTPResponse(503, "", ["Retry-After": "42"]), to: polling.request)
    guard case .ask(let next) = polling.next(after: busy, at: start) else { throw Unexpected() }
    #expect(next == start + Interval(seconds: 42))
  }

  @Test(
    "whoever waits no longer than a limit asks until then, and once more at its end",
    arguments: [(3, [3]), (5, [5]), (12, [5, 10, 12]), (600, Array(stride(from: 5, to: 120, by: 5)))]
      as [(Int64, [Int64])])
  func limit(seconds: Int64, asked: [Int64]) async throws {
    let signIn = try await signIn(
      #"{"device_code":"D","user_code":"U","verification_uri":"https://x","expires_in":120,"interval":5}"#)
    let client = OAuthClient(id: "id", at: try .microsoft(tenant: "common"))
    let pending = HTTPResponse(400, #"{"error":"authorization_pending"}"#)
    let clock = Mutex(start)
    let times = Mutex<[Int64]>([])
    let port = ScriptedPort(Array(repeating: .success(pending), count: 60))
    let outcome = await client.end(
      of: signIn, within: Interval(seconds: seconds), through: port, clock: { clock.withLock { $0 } }
    ) { [start] pause in
      let now = clock.withLock { now in
        now = now + pause
        return now
      }
      times.withLock { $0.append((now - start).seconds) }
    }
    #expect(outcome?.short == "codeSpent expired_token")
    #expect(times.withLock { $0 } == asked)
    #expect(port.sent.count == asked.count)
  }

  @Test("the question is Google's and Microsoft's")
  func form() async throws {
    let client = OAuthClient(id: "id", secret: SecretBox(text: "s"), at: try .google())
    let port = ScriptedPort(HTTPResponse(428, #"{"error":"authorization_pending"}"#))
    _ = await client.ask(.device(SecretBox(text: "D")), through: port)
    #expect(
      port.form == "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&client_id=id&client_secret=s"
        + "&device_code=D")
  }
}
