import Foundation
import KeyplanHTTP
import KeyplanModel
import KeyplanOAuth
import KeyplanPorts
import KeyplanSecrets
import Synchronization
import Testing

@testable import KeyplanCalendars

@Suite("Services asked for an account")
struct CalendarServicesTests {
  private static let now = Moment(seconds: 1_800_000_000)

  private func services() -> CalendarServices {
    var settings = HTTPSettings()
    settings.deadline = .seconds(600)
    settings.retrying.firstPause = .milliseconds(1)
    return CalendarServices(settings, clock: { Self.now }, pause: { _ in })
  }

  private func account(
    _ service: AccountFacts.Service = .google, _ root: String, _ signIn: Account.SignIn = .browser
  ) -> Account {
    let paths: [(AccountFacts.Endpoint, String)] = [
      (.authorize, "/authorize"), (.token, "/token"), (.device, "/device"), (.revoke, "/revoke"), (.api, ""),
    ]
    return Account(
      facts: AccountFacts(
        service: service, account: "ada@example.com", client: "id", url: root,
        endpoints: service == .caldav ? [:] : Dictionary(uniqueKeysWithValues: paths.map { ($0, root + $1) })),
      signIn: signIn)
  }

  private func ask(
    _ account: Account, access: String? = nil, refresh: String? = "R1", secret: String? = nil, keyFile: String? = nil,
    password: String? = nil
  ) throws -> AccountAsk {
    AccountAsk(
      id: try #require(Identifier("work")), account: account,
      tokens: AccountTokens(
        access: access.map(SecretBox.init(text:)), refresh: refresh.map(SecretBox.init(text:))),
      clientSecret: secret.map(SecretBox.init(text:)), password: password.map(SecretBox.init(text:)),
      keyFile: keyFile.map(SecretBox.init(text:)))
  }

  private static let scope = "https://www.googleapis.com/auth/calendar"

  @Test(
    "what a token address answers is a grant, an end, a fault of the setup, or nothing that is known",
    arguments: [
      (
        200, #"{"access_token":"A2","expires_in":3599,"scope":"\#(scope)","token_type":"Bearer"}"#,
        "granted A2 - 3599 0"
      ),
      (200, #"{"access_token":"A2","refresh_token":"R2","scope":"openid"}"#, "granted A2 R2 - 2"),
      (200, #"{"error":"invalid_grant"}"#, "unavailable, perhaps done"), (400, "", "unavailable"),
      (401, "", "unavailable"), (400, #"{"error":"invalid_grant"}"#, "ended ended invalid_grant"),
      (403, #"{"error":"invalid_grant"}"#, "refused other invalid_grant"),
      (400, #"{"error":"temporarily_unavailable"}"#, "unavailable"),
      (
        400, #"{"error":"invalid_grant","error_codes":[700082],"suberror":"bad_token"}"#,
        "ended ended invalid_grant, bad_token, AADSTS700082"
      ),
      (
        400, #"{"error":"invalid_grant","error_subtype":"invalid_rapt"}"#,
        "ended sessionEnded invalid_grant, invalid_rapt"
      ),
      (400, #"{"error":"interaction_required"}"#, "ended personNeeded interaction_required"),
      (400, #"{"error":"consent_required"}"#, "ended consentNeeded consent_required"),
      (401, #"{"error":"invalid_client"}"#, "refused client invalid_client"),
      (403, #"{"error":"admin_policy_enforced"}"#, "refused forbidden admin_policy_enforced"),
      (
        401,
        #"{"error":"invalid_client","error_description":"AADSTS7000222: The provided client secret keys are expired."}"#,
        "refused secretExpired invalid_client, AADSTS7000222"
      ),
      (
        400, #"{"error":"invalid_grant","error_codes":[53003],"suberror":"message_only"}"#,
        "refused conditionalAccess invalid_grant, message_only, AADSTS53003"
      ),
      (
        400, #"{"error":"invalid_grant","error_codes":[50057],"suberror":"bad_token"}"#,
        "refused accountDisabled invalid_grant, bad_token, AADSTS50057"
      ),
      (
        400, #"{"error":"invalid_grant","error_codes":[65001]}"#, "ended consentNeeded invalid_grant, AADSTS65001"
      ),
      (400, #"{"error":"invalid_scope"}"#, "refused scope invalid_scope"),
      (400, #"{"error":"what"}"#, "refused other what"),
      (400, "<html>", "unavailable"), (428, "", "unavailable"), (403, "<html>", "unavailable"),
      (429, #"{"error":"rate_limit_exceeded"}"#, "unavailable"), (503, "", "unavailable"), (408, "", "unavailable"),
      (200, "<html>", "unavailable, perhaps done"), (200, "", "unavailable, perhaps done"),
      (200, #"{"access_token":""}"#, "unavailable, perhaps done"), (500, "<html>", "unavailable, perhaps done"),
      (502, #"{"error":"server_error"}"#, "unavailable, perhaps done"), (504, "", "unavailable, perhaps done"),
    ])
  func refreshed(status: Int, body: String, outcome: String) async throws {
    let peer = try Peer { _ in Peer.reply(status, body) }
    let answer = await services().refresh(try ask(account(.google, peer.address)))
    #expect(answer.short == outcome)
    // Only what the service says it has not done is asked for again: up to three times.
    #expect(peer.asked.count == ([408, 429, 503].contains(status) ? 4 : 1))
    #expect(peer.asked.allSatisfy { $0.body == "grant_type=refresh_token&client_id=id&refresh_token=R1" })
  }

  @Test("an answer that is cut is perhaps done, and is not asked for again")
  func cut() async throws {
    let peer = try Peer { _ in "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{" }
    let answer = await services().refresh(try ask(account(.google, peer.address)))
    #expect(answer.short == "unavailable, perhaps done")
    #expect(peer.asked.count == 1)
  }

  @Test("a service that is not there is tried again three times, and nothing is lost")
  func away() async throws {
    let address = try Peer { _ in "" }.address
    let pauses = Mutex(0)
    let services = CalendarServices(
      HTTPSettings(), clock: { Self.now }, pause: { _ in pauses.withLock { $0 += 1 } })
    let answer = await services.refresh(try ask(account(.google, address)))
    #expect(answer.short == "unavailable")
    #expect(pauses.withLock { $0 } == 3)
  }

  @Test("an account without a person asks anew: with a signed statement, or in the client's own name")
  func unattended() async throws {
    let peer = try Peer { _ in Peer.reply(200, #"{"access_token":"A","expires_in":3600}"#) }
    let key = try openssl("genrsa", "2048").replacingOccurrences(of: "\n", with: "\\n")
    let file = #"{"type":"service_account","client_email":"bot@p.example","private_key":"\#(key)"}"#
    let google = await services().refresh(
      try ask(account(.google, peer.address, .serviceAccount), refresh: nil, keyFile: file))
    #expect(google.short == "granted A - 3600 -")
    let form = try #require(peer.asked.last?.body)
    #expect(form.hasPrefix("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion="))
    let parts = try #require(form.split(separator: "=").last).split(separator: ".")
    #expect(parts.count == 3)
    let claims = try decoded(parts[1])
    #expect(claims.contains(#""iss":"bot@p.example""#) && claims.contains(#""sub":"ada@example.com""#))
    #expect(claims.contains(#""aud":"\#(peer.address)/token","iat":1800000000,"exp":1800003600"#))

    let outlook = await services().refresh(
      try ask(account(.outlook, peer.address, .clientCredentials), refresh: nil, secret: "s&1"))
    #expect(outlook.short == "granted A - 3600 -")
    #expect(
      peer.asked.last?.body == "grant_type=client_credentials&client_id=id&client_secret=s%261"
        + "&scope=https%3A%2F%2Fgraph.microsoft.com%2F.default")
    let broken = await services().refresh(
      try ask(account(.google, peer.address, .serviceAccount), refresh: nil, keyFile: "{}"))
    #expect(broken.short == "not allowed")
    #expect(peer.asked.count == 2)
  }

  @Test("Microsoft is told for which service; the scopes are those of the cloud that is asked")
  func scopes() async throws {
    let peer = try Peer { _ in Peer.reply(200, #"{"access_token":"A","scope":"Calendars.Read"}"#) }
    let answer = await services().refresh(try ask(account(.outlook, peer.address)))
    #expect(answer.short == "granted A - - 0")
    #expect(
      peer.asked.last?.body.hasSuffix("&scope=offline_access+https%3A%2F%2Fgraph.microsoft.com%2FCalendars.Read")
        == true)
    let facts = AccountFacts(
      service: .outlook, account: "a", endpoints: [.api: "https://graph.microsoft.us/v1.0"])
    #expect(
      Account(facts: facts, signIn: .browser).scopes == ["offline_access", "https://graph.microsoft.us/Calendars.Read"])
  }

  @Test("tokens are given back where the service has a way of it")
  func revoked() async throws {
    let peer = try Peer { _ in Peer.reply(200) }
    #expect(await services().revoke(try ask(account(.google, peer.address), access: "A1")) == .done)
    #expect(peer.asked.last?.body == "token=R1&token_type_hint=refresh_token&client_id=id")
    let facts = AccountFacts(service: .outlook, account: "a", client: "id")
    #expect(await services().revoke(try ask(Account(facts: facts, signIn: .browser))) == .notOffered)
    #expect(await services().revoke(try ask(account(.caldav, peer.address, .password))) == .notOffered)
    #expect(peer.asked.count == 1)
  }

  @Test(
    "what a service says of the calendars is an answer, a no, a fault of the setup, or nothing that is known",
    arguments: [
      (200, #"{"kind":"calendar#calendarList","items":[{"id":"a","summary":"A","accessRole":"owner"}]}"#, "answered a"),
      (200, #"{"kind":"calendar#calendarList"}"#, "answered "),
      (401, #"{"error":{"status":"UNAUTHENTICATED"}}"#, "refused"),
      (403, #"{"error":{"errors":[{"reason":"insufficientPermissions"}]}}"#, "scopeMissing"),
      (403, #"{"error":{"errors":[{"reason":"accessNotConfigured"}]}}"#, "not allowed"), (500, "", "unreachable"),
      (200, "<html>", "unreachable"), (403, "<html>", "unreachable"), (302, "", "unreachable"),
    ])
  func asked(status: Int, body: String, outcome: String) async throws {
    let peer = try Peer { _ in Peer.reply(status, body) }
    let finding = await services().ask(try ask(account(.google, peer.address), access: "A1"))
    #expect(finding.short == outcome)
    #expect(peer.asked.allSatisfy { $0.head.contains("\r\nAuthorization: Bearer A1\r\n") })
  }

  private static let list =
    #"{"kind":"calendar#calendarList","items":[{"id":"OWN","summary":"A","primary":true,"accessRole":"owner"}]}"#
  private static let calendars =
    #"{"value":[{"id":"c","name":"Calendar","isDefaultCalendar":true,"owner":{"name":"A","address":"OWN"}}]}"#
  private static let names =
    #"{"id":"4-D","mail":"OWN","userPrincipalName":"al@x.onmicrosoft.com","otherMails":["ADA@example.com"]}"#

  @Test(
    "the account is held to who the service says it is, by any name that it has",
    arguments: [
      (AccountFacts.Service.google, "ada@example.com", "", "answered ada@example.com"),
      (.google, "Ada@Example.com", "", "answered Ada@Example.com"),
      (.google, "mallory@example.com", "", "other mallory@example.com"), (.google, "opaque", "", "answered opaque"),
      (.outlook, "ADA@example.com", "never asked", "answered c"), (.outlook, "a@b.c", "names", "answered c"),
      (.outlook, "mallory@b.c", "others", "other mallory@b.c"), (.outlook, "mallory@b.c", "403", "other mallory@b.c"),
      (.outlook, "mallory@b.c", "500", "unreachable"), (.outlook, "", "403", "answered c"),
    ])
  func identity(service: AccountFacts.Service, own: String, told: String, outcome: String) async throws {
    let peer = try Peer { asked in
      if asked.path.hasPrefix("/me?") {
        switch told {
        case "names": return Peer.reply(200, Self.names.replacing("OWN", with: own))
        case "others":
          return Peer.reply(200, #"{"mail":"mallory@b.c","proxyAddresses":["SMTP:m@b.c"],"otherMails":[]}"#)
        case "403": return Peer.reply(403, #"{"error":{"code":"Authorization_RequestDenied"}}"#)
        default: return Peer.reply(500)
        }
      }
      return Peer.reply(200, (service == .google ? Self.list : Self.calendars).replacing("OWN", with: own))
    }
    let finding = await services().ask(try ask(account(service, peer.address), access: "A1"))
    #expect(finding.short == outcome)
    #expect(peer.asked.contains { $0.path.hasPrefix("/me?") } == (service == .outlook && told != "never asked"))
    #expect(peer.asked.allSatisfy { $0.head.contains("\r\nAuthorization: Bearer A1\r\n") })
  }

  @Test("a person is asked for the names that Microsoft has, and a refresh for no more than before")
  func signInScopes() {
    let facts = AccountFacts(service: .outlook, account: "a")
    #expect(
      Account(facts: facts, signIn: .device).signInScopes == [
        "offline_access", "https://graph.microsoft.com/Calendars.Read", "https://graph.microsoft.com/User.Read",
      ])
    let alone = Account(facts: facts, signIn: .clientCredentials)
    #expect(alone.signInScopes == alone.scopes)
  }

  @Test("without a token nobody is asked, and an app says whose calendars it means")
  func unasked() async throws {
    let peer = try Peer { _ in Peer.reply(200, #"{"value":[]}"#) }
    for service in [AccountFacts.Service.google, .outlook] {
      #expect(await services().ask(try ask(account(service, peer.address))) == .expired)
    }
    #expect(await services().ask(try ask(account(.caldav, peer.address, .password))) == .expired)
    #expect(peer.asked.isEmpty)
    let app = try ask(account(.outlook, peer.address, .clientCredentials), access: "A", refresh: nil)
    #expect(await services().ask(app) == .answered([]))
    #expect(peer.asked.last?.path.hasPrefix("/users/ada%40example.com/calendars?") == true)
  }

  @Test("a CalDAV server's no to a password is a no, and its other words are not")
  func caldav() async throws {
    for (status, outcome) in [(401, "refused"), (403, "not allowed"), (500, "unreachable"), (200, "unreachable")] {
      let peer = try Peer { _ in Peer.reply(status, "<html>") }
      let finding = await services().ask(
        try ask(account(.caldav, peer.address + "/dav/", .password), refresh: nil, password: "p"))
      #expect(finding.short == outcome, "\(status): \(finding)")
    }
  }

  @Test("a reason is a sentence")
  func sentences() {
    #expect("the service refuses".asSentence == "The service refuses.")
    #expect("api.example.com could not be reached".asSentence == "api.example.com could not be reached.")
  }

  private func decoded(_ part: Substring) throws -> String {
    var text = part.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
    while text.count % 4 != 0 { text += "=" }
    return String(decoding: try #require(Data(base64Encoded: text)), as: UTF8.self)
  }

  private func openssl(_ arguments: String...) throws -> String {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["openssl"] + arguments
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }
}

extension RefreshAnswer {
  fileprivate var short: String {
    switch self {
    case .granted(let grant):
      [
        "granted", grant.access.text, grant.refresh?.text ?? "-", grant.lifetime.map { "\($0.seconds)" } ?? "-",
        grant.missing.map { "\($0.count)" } ?? "-",
      ]
      .joined(separator: " ")
    case .ended(let reason, let code): "ended \(reason) \(code)"
    case .refused(let reason, let code): "refused \(reason) \(code)"
    case .notAllowed: "not allowed"
    case .unavailable(_, let isUnanswered): isUnanswered ? "unavailable, perhaps done" : "unavailable"
    }
  }
}

extension AccountFinding {
  fileprivate var short: String {
    switch self {
    case .answered(let calendars): "answered \(calendars.map(\.id).joined(separator: " "))"
    case .notAllowed: "not allowed"
    case .unreachable: "unreachable"
    case .otherAccount(let name): "other \(name)"
    default: "\(self)"
    }
  }
}

extension SecretBox {
  convenience init(text: String) { self.init(Array(text.utf8)) }
  var text: String { withBytes { String(decoding: $0, as: UTF8.self) } }
}
