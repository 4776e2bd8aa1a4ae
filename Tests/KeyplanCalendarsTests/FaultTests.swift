import KeyplanHTTP
import KeyplanModel
import KeyplanSecrets
import Testing

@testable import KeyplanCalendars

@Suite struct FaultTests {
  private static func googleBody(_ reason: String, _ code: Int, details: String = "") -> String {
    #"{"error":{"errors":[{"domain":"d","reason":"\#(reason)","message":"canary"}],"code":\#(code),"message":"canary"\#(details)}}"#
  }

  private static func graphBody(_ code: String, inner: String = "") -> String {
    #"{"error":{"code":"\#(code)","message":"canary","innerError":{"request-id":"0","date":"d"\#(inner)}}}"#
  }

  @Test(
    "Google's errors say what to do",
    arguments: [
      (401, googleBody("authError", 401), [:], "tokenRefused authError"),
      (401, googleBody("required", 401), [:], "tokenRefused required"),
      (403, googleBody("rateLimitExceeded", 403), [:], "busy rateLimitExceeded"),
      (403, googleBody("userRateLimitExceeded", 403), ["Retry-After": "7"], "busy userRateLimitExceeded 7"),
      (403, googleBody("quotaExceeded", 403), [:], "busy quotaExceeded"),
      (403, googleBody("insufficientPermissions", 403), [:], "scopeMissing insufficientPermissions"),
      (
        403,
        googleBody(
          "forbidden", 403,
          details: #","status":"PERMISSION_DENIED","details":[{"reason":"ACCESS_TOKEN_SCOPE_INSUFFICIENT"}]"#),
        [:], "scopeMissing ACCESS_TOKEN_SCOPE_INSUFFICIENT"
      ),
      (403, googleBody("accessNotConfigured", 403), [:], "interfaceOff accessNotConfigured"),
      (403, googleBody("forbidden", 403), [:], "forbidden forbidden"),
      (403, googleBody("<b>canary</b>", 403), [:], "forbidden"),
      (404, googleBody("notFound", 404), [:], "notFound notFound"),
      (410, googleBody("fullSyncRequired", 410), [:], "resyncNeeded fullSyncRequired"),
      (410, googleBody("updatedMinTooLongAgo", 410), [:], "resyncNeeded updatedMinTooLongAgo"),
      (410, googleBody("deleted", 410), [:], "notFound deleted"),
      (400, googleBody("timeRangeEmpty", 400), [:], "refused timeRangeEmpty"),
      (429, googleBody("rateLimitExceeded", 429), ["Retry-After": "3"], "busy rateLimitExceeded 3"),
      (429, "", [:], "busy"),
      (500, googleBody("backendError", 500), [:], "busy backendError"),
      (503, "<html>", ["Retry-After": "9"], "busy 9"),
      (200, googleBody("authError", 401), [:], "tokenRefused authError"),
      (200, #"{"error":{}}"#, [:], "notAnAnswer"),
      (401, "", ["WWW-Authenticate": "Bearer realm=\"x\""], "tokenRefused"),
      (401, "<html>", [:], "notAnAnswer"), (403, "<html>", [:], "notAnAnswer"), (404, "<html>", [:], "notAnAnswer"),
      (400, "", [:], "notAnAnswer"), (302, "", ["Location": "https://login.example"], "notAnAnswer"),
    ] as [(Int, String, [String: String], String)])
  func google(status: Int, body: String, headers: [String: String], short: String) async throws {
    let service = try Vendor.google.service(through: ScriptedPort(HTTPResponse(status, body, headers)))
    let error = try #require(await service.fault())
    #expect(error.short == short)
    #expect(!"\(error) \(error.hint ?? "")".contains("canary"))
  }

  @Test(
    "Graph's errors say what to do",
    arguments: [
      (401, graphBody("InvalidAuthenticationToken"), [:], "tokenRefused InvalidAuthenticationToken"),
      (401, graphBody("unauthenticated"), [:], "tokenRefused unauthenticated"),
      (
        401, graphBody("InvalidAuthenticationToken"),
        ["WWW-Authenticate": #"Bearer realm="", error="insufficient_claims", claims="eyJ9""#],
        "personNeeded InvalidAuthenticationToken"
      ),
      (403, graphBody("insufficient_claims"), [:], "personNeeded insufficient_claims"),
      (403, graphBody("ErrorAccessDenied"), [:], "scopeMissing ErrorAccessDenied"),
      (403, graphBody("Other"), [:], "forbidden Other"),
      (404, graphBody("ErrorItemNotFound"), [:], "notFound ErrorItemNotFound"),
      (404, graphBody("MailboxNotEnabledForRESTAPI"), [:], "refused MailboxNotEnabledForRESTAPI"),
      (400, graphBody("ErrorInvalidIdMalformed"), [:], "notFound ErrorInvalidIdMalformed"),
      (400, graphBody("badRequest", inner: #","code":"syncStateNotFound""#), [:], "resyncNeeded syncStateNotFound"),
      (400, graphBody("resyncRequired"), [:], "resyncNeeded resyncRequired"),
      (410, graphBody("Anything"), [:], "resyncNeeded Anything"),
      (410, "", ["Location": "https://graph.microsoft.com/v1.0/me"], "resyncNeeded"), (410, "", [:], "notAnAnswer"),
      (429, graphBody("TooManyRequests"), ["Retry-After": "12"], "busy TooManyRequests 12"),
      (429, graphBody("ApplicationThrottled", inner: #","retryAfterSeconds":5"#), [:], "busy ApplicationThrottled 5"),
      (503, graphBody("serviceNotAvailable"), [:], "busy serviceNotAvailable"), (509, "", [:], "busy"),
      (504, "<html>", [:], "busy"),
      (200, graphBody("InvalidAuthenticationToken"), [:], "tokenRefused InvalidAuthenticationToken"),
      (400, graphBody("canary <b>"), [:], "refused"), (400, "", [:], "notAnAnswer"), (401, "{}", [:], "notAnAnswer"),
      (401, "", ["WWW-Authenticate": "Bearer"], "tokenRefused"),
    ] as [(Int, String, [String: String], String)])
  func graph(status: Int, body: String, headers: [String: String], short: String) async throws {
    let service = try Vendor.graph.service(through: ScriptedPort(HTTPResponse(status, body, headers)))
    let error = try #require(await service.fault())
    #expect(error.short == short)
    #expect(!"\(error) \(error.hint ?? "")".contains("canary"))
  }

  @Test("requests are repeated after what a service says in its body, and not for a quota that is spent")
  func pauses() async throws {
    func pause(_ vendor: Vendor, _ response: HTTPResponse) async throws -> Duration? {
      let port = ScriptedPort(HTTPResponse(200, vendor.page))
      _ = try await vendor.service(through: port).calendars()
      return port.sent.first?.pauseAsked?(response)
    }
    #expect(try await pause(.google, HTTPResponse(403, Self.googleBody("rateLimitExceeded", 403))) == .seconds(1))
    #expect(
      try await pause(.google, HTTPResponse(403, Self.googleBody("userRateLimitExceeded", 403), ["Retry-After": "4"]))
        == .seconds(4))
    #expect(try await pause(.google, HTTPResponse(403, Self.googleBody("quotaExceeded", 403))) == nil)
    #expect(try await pause(.google, HTTPResponse(403, Self.googleBody("insufficientPermissions", 403))) == nil)
    let inBody = Self.graphBody("TooManyRequests", inner: #","retryAfterSeconds":"5""#)
    #expect(try await pause(.graph, HTTPResponse(429, inBody)) == .seconds(5))
    #expect(try await pause(.graph, HTTPResponse(403, inBody)) == nil)
  }
}
