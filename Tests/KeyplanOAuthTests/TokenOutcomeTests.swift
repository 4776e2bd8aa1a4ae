import KeyplanHTTP
import KeyplanSecrets
import Testing

@testable import KeyplanOAuth

/// Answers in the shape that the services give them.
@Suite struct TokenOutcomeTests {
  struct Case: CustomTestStringConvertible {
    let testDescription: String
    let request: TokenRequest
    let status: Int
    let body: String
    let outcome: String
    var headers: [String: String] = [:]

    init(
      _ name: String, _ request: TokenRequest, _ status: Int, _ body: String, _ outcome: String,
      _ headers: [String: String] = [:]
    ) {
      testDescription = name
      self.request = request
      self.status = status
      self.body = body
      self.outcome = outcome
      self.headers = headers
    }
  }

  private static let html = "<!DOCTYPE html><html><title>Error 500 (Server Error)!!1</title></html>"

  static let granted = [
    Case(
      "Google, sign-in", .anyCode, 200,
      #"{"access_token":"ya29.a","expires_in":3599,"refresh_token":"1//0g","scope":"s","token_type":"Bearer"}"#,
      "granted with refresh"),
    Case(
      "Google, refresh: no new refresh token", .anyRefresh, 200,
      #"{"access_token":"ya29.a","expires_in":3599,"scope":"s","token_type":"Bearer"}"#, "granted"),
    Case(
      "Microsoft, refresh: a new one each time", .anyRefresh, 200,
      #"{"token_type":"Bearer","scope":"Calendars.Read","expires_in":3599,"ext_expires_in":3599,"access_token":"E","#
        + #""refresh_token":"0.A","refresh_in":1800,"client_info":"x"}"#, "granted with refresh"),
    Case(
      "numbers as strings", .anyRefresh, 200, #"{"access_token":"a","expires_in":"3600","token_type":"bearer"}"#,
      "granted"),
    Case("no expires_in, no token_type", .anyRefresh, 200, #"{"access_token":"a"}"#, "granted"),
    Case("an empty refresh token is none", .anyRefresh, 200, #"{"access_token":"a","refresh_token":""}"#, "granted"),
    Case("a refresh token of null is none", .anyRefresh, 200, #"{"access_token":"a","refresh_token":null}"#, "granted"),
  ]

  static let refused = [
    Case(
      "Google, revoked", .anyRefresh, 400,
      #"{"error":"invalid_grant","error_description":"Token has been expired or revoked."}"#, "ended invalid_grant"),
    Case(
      "Google, Cloud session length", .anyRefresh, 400,
      #"{"error":"invalid_grant","error_description":"reauth related error (invalid_rapt)","error_subtype":"invalid_rapt"}"#,
      "sessionEnded invalid_grant"),
    Case(
      "Google, Restricted by the admin", .anyRefresh, 400, #"{"error":"admin_policy_enforced"}"#,
      "forbidden admin_policy_enforced"),
    Case("Google, internal app", .anyRefresh, 403, #"{"error":"org_internal"}"#, "forbidden org_internal"),
    Case(
      "Google, secret missing", .anyCode, 400,
      #"{"error":"invalid_request","error_description":"client_secret is missing."}"#, "setup invalid_request"),
    Case(
      "Google, wrong secret", .anyRefresh, 401, #"{"error":"invalid_client","error_description":"Unauthorized"}"#,
      "client invalid_client"),
    Case("Google, client deleted", .anyRefresh, 401, #"{"error":"deleted_client"}"#, "clientDisabled deleted_client"),
    Case(
      "Google, delegation missing", .anyAssertion, 401,
      #"{"error":"unauthorized_client","error_description":"Client is unauthorized to retrieve access tokens"}"#,
      "needsConsent unauthorized_client"),
    Case(
      "Google, a scope not delegated", .anyAssertion, 403, #"{"error":"access_denied"}"#,
      "needsConsent access_denied"),
    Case(
      "Google, clock or user of a service account", .anyAssertion, 400,
      #"{"error":"invalid_grant","error_description":"Invalid JWT: Token must be a short-lived token"}"#,
      "assertion invalid_grant"),
    Case(
      "Microsoft, inactive for 90 days", .anyRefresh, 400,
      #"{"error":"invalid_grant","error_description":"AADSTS700082: …","error_codes":[700082],"suberror":"bad_token"}"#,
      "ended invalid_grant"),
    Case(
      "Microsoft, sign-in frequency", .anyRefresh, 400,
      #"{"error":"invalid_grant","error_codes":[70043],"suberror":"token_expired"}"#, "sessionEnded invalid_grant"),
    Case(
      "Microsoft, another factor", .anyRefresh, 400,
      #"{"error":"interaction_required","error_codes":[50076],"suberror":"basic_action","claims":"{}"}"#,
      "needsPerson interaction_required"),
    Case(
      "Microsoft, another factor, as invalid_grant", .anyRefresh, 400,
      #"{"error":"invalid_grant","error_codes":[50076],"suberror":"basic_action"}"#, "needsPerson invalid_grant"),
    Case(
      "Microsoft, consent withdrawn", .anyRefresh, 400,
      #"{"error":"invalid_grant","error_codes":[65001],"suberror":"consent_required"}"#, "needsConsent invalid_grant"),
    Case(
      "Microsoft, a secret that has expired, told in words only", .anyRefresh, 401,
      #"{"error":"invalid_client","error_description":"AADSTS7000222: The provided client secret keys are expired."}"#,
      "secretExpired invalid_client"),
    Case(
      "Microsoft, conditional access", .anyRefresh, 400,
      #"{"error":"invalid_grant","error_codes":[53003],"suberror":"message_only"}"#, "conditionalAccess invalid_grant"),
    Case(
      "Microsoft, a disabled account", .anyRefresh, 400, #"{"error":"invalid_grant","error_codes":[50057]}"#,
      "accountDisabled invalid_grant"),
    Case(
      "Microsoft, no consent", .anyRefresh, 400, #"{"error":"invalid_grant","error_codes":[65001]}"#,
      "needsConsent invalid_grant"),
    Case(
      "a number with a status that is not for it", .anyRefresh, 403,
      #"{"error":"invalid_grant","error_codes":[50057]}"#, "other invalid_grant"),
    Case(
      "Microsoft, device policy", .anyRefresh, 400,
      #"{"error":"invalid_grant","suberror":"protection_policy_required"}"#, "forbidden invalid_grant"),
    Case(
      "Microsoft, another client's token", .anyRefresh, 400,
      #"{"error":"invalid_grant","suberror":"client_mismatch"}"#, "client invalid_grant"),
    Case(
      "Microsoft, public client with a secret", .anyCode, 401,
      #"{"error":"invalid_client","error_codes":[700025]}"#, "client invalid_client"),
    Case(
      "Microsoft, unknown app", .anyRefresh, 400, #"{"error":"unauthorized_client","error_codes":[700011]}"#,
      "client unauthorized_client"),
    Case(
      "code used before", .anyCode, 400, #"{"error":"invalid_grant","error_codes":[54005]}"#,
      "codeSpent invalid_grant"),
    Case("Glewlwyd, code used before", .anyCode, 403, #"{"error":"invalid_code"}"#, "codeSpent invalid_code"),
    Case(
      "invalid_grant with a status that is not for it", .anyRefresh, 403, #"{"error":"invalid_grant"}"#,
      "other invalid_grant"),
    Case(
      "interaction_required with a status that is not for it", .anyRefresh, 409, #"{"error":"interaction_required"}"#,
      "other interaction_required"),
    Case("invalid_grant with 401", .anyRefresh, 401, #"{"error":"invalid_grant"}"#, "ended invalid_grant"),
    Case(
      "invalid_grant where OAuth has no error", .anyRefresh, 400, #"{"error":{"status":"invalid_grant"}}"#,
      "other invalid_grant"),
    Case("a device's code for a refresh", .anyRefresh, 400, #"{"error":"expired_token"}"#, "other expired_token"),
    Case("a person's no, on another device", .anyDevice, 403, #"{"error":"access_denied"}"#, "denied access_denied"),
    Case("scope unknown", .anyCredentials, 400, #"{"error":"invalid_scope"}"#, "scope invalid_scope"),
    Case("a code that nobody knows", .anyRefresh, 400, #"{"error":"teapot"}"#, "other teapot"),
    Case(
      "an error that quotes is not quoted", .anyRefresh, 400, #"{"error":"token 1//0gSECRET is bad"}"#,
      "other unknown"),
    Case(
      "Google's error object", .anyRefresh, 400,
      #"{"error":{"code":400,"message":"…","status":"INVALID_ARGUMENT"}}"#, "setup invalid_argument"),
  ]

  static let unavailable = [
    Case("HTML 500", .anyRefresh, 500, html, "busy"),
    Case("HTML 502 with a pause", .anyRefresh, 502, html, "busy 7", ["Retry-After": "7"]),
    Case("429 with nothing", .anyRefresh, 429, "", "busy 120", ["Retry-After": "120"]),
    Case("429 with an error", .anyRefresh, 429, #"{"error":"invalid_grant"}"#, "busy"),
    Case("503 with an error", .anyRefresh, 503, #"{"error":"invalid_grant"}"#, "busy"),
    Case("temporarily_unavailable in 400", .anyRefresh, 400, #"{"error":"temporarily_unavailable"}"#, "busy"),
    Case("server_error in 400", .anyRefresh, 400, #"{"error":"server_error","error_codes":[50087]}"#, "busy"),
    Case("Google, internal_failure", .anyRefresh, 400, #"{"error":"internal_failure"}"#, "busy"),
    Case("Google, over quota", .anyRefresh, 403, #"{"error_code":"rate_limit_exceeded"}"#, "busy"),
    Case("408", .anyRefresh, 408, "", "busy"),
    Case("400 with nothing", .anyRefresh, 400, "", "no answer"),
    Case("400 with nothing but white space", .anyRefresh, 400, " \r\n", "no answer"),
    Case("401 with nothing", .anyCredentials, 401, "", "no answer"),
    Case("invalid_grant inside 200", .anyRefresh, 200, #"{"error":"invalid_grant"}"#, "no answer"),
    Case("invalid_grant that is no text", .anyRefresh, 400, #"{"error":["invalid_grant"]}"#, "no answer"),
    Case("a hotel's page", .anyRefresh, 200, html, "no answer"),
    Case("a proxy's page", .anyRefresh, 403, html, "no answer"),
    Case("400 as a page", .anyRefresh, 400, html, "no answer"),
    Case("a redirection", .anyRefresh, 302, "", "no answer"),
    Case("404 with nothing", .anyRefresh, 404, "", "no answer"),
    Case("200 with nothing", .anyRefresh, 200, "", "no answer"),
    Case("200 without a token", .anyRefresh, 200, #"{"token_type":"Bearer"}"#, "no answer"),
    Case("an empty token", .anyRefresh, 200, #"{"access_token":""}"#, "no answer"),
    Case("a token that is no text", .anyRefresh, 200, #"{"access_token":{}}"#, "no answer"),
    Case("a token of another type", .anyRefresh, 200, #"{"access_token":"a","token_type":"mac"}"#, "no answer"),
    Case("a list", .anyRefresh, 200, #"["access_token"]"#, "no answer"),
    Case("cut JSON", .anyRefresh, 200, #"{"access_token":"a","expires"#, "no answer"),
    Case("two tokens", .anyRefresh, 200, #"{"access_token":"a","access_token":"b"}"#, "no answer"),
    Case("deep JSON", .anyRefresh, 200, String(repeating: "[", count: 10_000), "no answer"),
  ]

  @Test("an answer is classified by its error and status", arguments: granted + refused + unavailable)
  func classified(one: Case) {
    let outcome = TokenOutcome(HTTPResponse(one.status, one.body, one.headers), to: one.request)
    #expect(outcome.short == one.outcome)
  }

  @Test("only what says that the token itself is dead ends a grant")
  func endsGrant() {
    let ending = Set(Self.refused.map(\.outcome).filter { $0.hasPrefix("ended") || $0.hasPrefix("sessionEnded") })
    for one in Self.refused {
      guard case .refused(let refusal) = TokenOutcome(HTTPResponse(one.status, one.body), to: one.request) else {
        Issue.record("\(one.testDescription)")
        continue
      }
      #expect(refusal.endsGrant == ending.contains(one.outcome), "\(one.testDescription)")
    }
  }

  @Test("numbers of Microsoft's that mean nothing here are told, and not acted on")
  func numbers() {
    let body = #"{"error":"invalid_grant","error_codes":[700082,"50173"],"suberror":"bad_token"}"#
    guard case .refused(let refusal) = TokenOutcome(HTTPResponse(400, body), to: .anyRefresh) else {
      Issue.record("not refused")
      return
    }
    #expect(
      "\(refusal)" == "The sign-in is no longer valid (invalid_grant, bad_token, AADSTS700082, AADSTS50173)")
  }

  @Test("nothing that a service writes beside its code is told")
  func quiet() {
    for one in Self.refused + Self.unavailable {
      let outcome = TokenOutcome(HTTPResponse(one.status, one.body, one.headers), to: one.request)
      let told =
        switch outcome {
        case .granted: ""
        case .refused(let refusal): "\(refusal)"
        case .unavailable(let unavailable): "\(unavailable)"
        }
      #expect(!told.contains("SECRET") && !told.contains("missing.") && !told.contains("<"), "\(one.testDescription)")
    }
  }
}
