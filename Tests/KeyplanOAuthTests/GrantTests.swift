import KeyplanHTTP
import KeyplanModel
import KeyplanSecrets
import Testing

@testable import KeyplanOAuth

@Suite struct GrantTests {
  private func grant(_ body: String) throws -> Grant { try #require(Grant(ServiceAnswer(HTTPResponse(200, body)))) }

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
      (["https://graph.microsoft.us/Calendars.Read"], "Calendars.ReadWrite", []),
      (["https://www.googleapis.com/auth/calendar.events.readonly"], "https://www.googleapis.com/auth/calendar", []),
      (
        ["https://www.googleapis.com/auth/calendar.events.readonly"],
        "https://www.googleapis.com/auth/calendar.freebusy",
        ["https://www.googleapis.com/auth/calendar.events.readonly"]
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
    dump(TokenRequest.refresh(SecretBox(text: "canary"), scopes: []), to: &dumped)
    #expect(!"\(grant) \(TokenOutcome.granted(grant)) \(dumped)".contains("canary"))
  }
}
