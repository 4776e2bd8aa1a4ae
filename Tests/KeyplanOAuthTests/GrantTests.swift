import KeyplanCore
import KeyplanHTTP
import KeyplanSecrets
import Testing

@testable import KeyplanOAuth

@Suite struct GrantTests {
  private func grant(_ body: String) throws -> Grant { try #require(Grant(ServiceAnswer(HTTPResponse(200, body)))) }

  @Test("a refresh token that is not given again is kept, and a new one takes its place")
  func keeping() throws {
    let stored = SharedSecret(text: "stored")
    #expect(try grant(#"{"access_token":"a"}"#).refreshToken(keeping: stored)?.text == "stored")
    #expect(try grant(#"{"access_token":"a","refresh_token":"new"}"#).refreshToken(keeping: stored)?.text == "new")
    #expect(try grant(#"{"access_token":"a"}"#).refreshToken(keeping: nil) == nil)
  }

  @Test(
    "lifetimes are seconds, however they are written; what makes no sense is not said",
    arguments: [
      ("3599", 3599), ("\"3599\"", 3599), ("3599.7", 3599), ("0", 0), ("-1", nil), ("1e300", nil), ("\"soon\"", nil),
      ("null", nil), ("[]", nil), ("99999999999999999999", nil),
    ] as [(String, Int64?)])
  func lifetimes(written: String, seconds: Int64?) throws {
    let grant = try grant(
      #"{"access_token":"a","expires_in":\#(written),"refresh_token_expires_in":\#(written),"refresh_in":\#(written)}"#)
    let expected = seconds.map { Interval(seconds: $0) }
    #expect(grant.lifetime == expected)
    #expect(grant.refreshLifetime == expected)
    #expect(grant.refreshHint == expected)
  }

  @Test(
    "what was asked for and not granted is told",
    arguments: [
      (["https://www.googleapis.com/auth/calendar.readonly"], "https://www.googleapis.com/auth/calendar.readonly", []),
      (["a", "b"], "b", ["a"]), (["a", "b"], "", ["a", "b"]), (["a"], nil, []),
      (["openid", "email", "a"], "https://www.googleapis.com/auth/userinfo.email openid a", []),
      (["offline_access", "https://graph.microsoft.com/Calendars.Read"], "Calendars.Read profile openid email", []),
      (["https://graph.microsoft.com/Calendars.Read"], "https://graph.microsoft.com/calendars.read", []),
      (
        ["https://graph.microsoft.com/Calendars.Read"], "https://graph.microsoft.com/User.Read",
        ["https://graph.microsoft.com/Calendars.Read"]
      ),
    ] as [([String], String?, [String])])
  func partly(wanted: [String], told: String?, missing: [String]) throws {
    let scope = told.map { #","scope":"\#($0)""# } ?? ""
    #expect(try grant(#"{"access_token":"a"\#(scope)}"#).missing(of: wanted) == missing)
  }

  @Test("a grant shows nothing of its tokens")
  func redacted() throws {
    let grant = try grant(#"{"access_token":"canary","refresh_token":"canary"}"#)
    var dumped = ""
    dump([TokenOutcome.granted(grant)], to: &dumped)
    dump(TokenRequest.refresh(SharedSecret(text: "canary"), scopes: []), to: &dumped)
    #expect(!"\(grant) \(TokenOutcome.granted(grant)) \(dumped)".contains("canary"))
  }

  @Test(
    "why a token ended is told from its times",
    arguments: [
      (issued: 8, used: 1, isTesting: true, EndCause.testing), (issued: 7, used: 0, isTesting: true, .testing),
      (issued: 6, used: 1, isTesting: true, .revoked), (issued: 8, used: 1, isTesting: false, .revoked),
      (issued: 200, used: 90, isTesting: false, .unused), (issued: 200, used: 89, isTesting: false, .revoked),
    ])
  func cause(issued: Int64, used: Int64, isTesting: Bool, cause: EndCause) {
    let now = Moment(seconds: 1_800_000_000)
    let history = GrantHistory(issued: now - .days(issued), used: now - .days(used), isTesting: isTesting)
    #expect(history.cause(at: now) == cause)
  }
}
