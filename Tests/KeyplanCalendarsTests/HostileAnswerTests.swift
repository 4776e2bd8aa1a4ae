import KeyplanHTTP
import KeyplanModel
import KeyplanSecrets
import Testing

@testable import KeyplanCalendars

/// What answers is not always the service.
@Suite struct HostileAnswerTests {
  @Test(
    "what is not the service's answer is never taken for one",
    arguments: Vendor.allCases,
    [
      "", " ", "<!doctype html><title>Welcome to our Wi-Fi</title>", "null", "[]", "{}", "true", "\"text\"",
      #"{"kind":"calendar#events","items":[]}"#, #"{"kind":"calendar#calendarList","items":{}}"#,
      #"{"kind":"calendar#calendarList","items":[1,null,"x",{}]}"#, #"{"kind":7,"items":[]}"#, #"{"value":{}}"#,
      #"{"value":[1,null,"x",{}]}"#, #"{"value":"x"}"#, "\u{0}\u{1}\u{2}",
      String(repeating: #"{"error":"#, count: 100_000), String(repeating: "[", count: 100_000),
    ])
  func otherAnswers(vendor: Vendor, body: String) async throws {
    let service = try vendor.service(through: ScriptedPort(HTTPResponse(200, body)))
    let fault = try #require(await service.fault())
    #expect(fault.code == .notAnAnswer)
    guard case .unreachable = AccountFinding(fault) else {
      Issue.record("\(fault)")
      return
    }
  }

  @Test("an answer that is cut anywhere is none", arguments: Vendor.allCases)
  func cut(vendor: Vendor) async throws {
    for length in 0..<vendor.page.utf8.count {
      let service = try vendor.service(through: ScriptedPort(HTTPResponse(200, String(vendor.page.prefix(length)))))
      #expect(await service.fault()?.code == .notAnAnswer, "after \(length)")
    }
  }

  @Test("pages without end are left, whether they go in a circle or not", arguments: Vendor.allCases, [true, false])
  func endless(vendor: Vendor, isCircle: Bool) async throws {
    let port = EndlessPort { number in
      let next = isCircle ? number % 3 : number
      switch vendor {
      case .google: return #"{"kind":"calendar#calendarList","nextPageToken":"\#(next)"}"#
      case .graph:
        let link = "https://graph.microsoft.com/v1.0/me/calendars?$skip=\(next)"
        return #"{"value":[],"@odata.nextLink":"\#(link)"}"#
      }
    }
    let service = try vendor.service(through: port)
    #expect(await service.fault()?.code == .endless)
    #expect(port.count == (isCircle ? 4 : PageWalk.pageLimit))
  }

  @Test("pages that are too much to hold are left")
  func tooMuch() async throws {
    let items = [String](repeating: #"{"id":"a"}"#, count: 10_000).joined(separator: ",")
    let port = EndlessPort { #"{"kind":"calendar#calendarList","nextPageToken":"\#($0)","items":[\#(items)]}"# }
    #expect(try await Vendor.google.service(through: port).fault()?.code == .endless)
    #expect(port.count == 6)
  }

  @Test(
    "no link to another place is followed: the token would go with it",
    arguments: [
      "https://evil.example/v1.0/me/calendars", "https://graph.microsoft.com.evil.example/v1.0",
      "https://graph.microsoft.com:8443/v1.0/me/calendars", "http://graph.microsoft.com/v1.0/me/calendars",
      "http://127.0.0.1/v1.0", "https://graph.microsoft.com@evil.example/", "//evil.example/", "/v1.0/me/calendars",
      "javascript:alert(1)", "https://evil.example\\@graph.microsoft.com/", " ",
    ])
  func elsewhere(link: String) async throws {
    let escaped = link.replacing("\\", with: "\\\\")
    let port = ScriptedPort(HTTPResponse(200, #"{"value":[],"@odata.nextLink":"\#(escaped)"}"#))
    #expect(try await Vendor.graph.service(through: port).fault()?.code == .elsewhere)
    #expect(port.sent.count == 1)
  }

  @Test("the same place may be written with its port, and a link is followed as it stands")
  func samePlace() async throws {
    let link = "https://GRAPH.microsoft.com:443/other/path?$skiptoken=a%2Fb"
    let port = ScriptedPort(
      HTTPResponse(200, #"{"value":[],"@odata.nextLink":"\#(link)"}"#), HTTPResponse(200, Vendor.graph.page))
    #expect(try await Vendor.graph.service(through: port).calendars().count == 1)
    #expect(port.sent.map(\.address.text).last == link)
  }

  @Test("one entry that cannot be read hides no other, and is named")
  func unreadable() async throws {
    let range = try #require(EventRange.november())
    let calendar = FoundCalendar(id: "a", name: "A", isPrimary: true, isWritable: false)
    let google = try Vendor.google.service(
      through: ScriptedPort(
        HTTPResponse(
          200,
          #"{"kind":"calendar#events","items":[7,{"id":"x"},{"id":"y","start":{"date":"2026-02-30"},"end":{"date":"2026-03-01"}},"#
            + #"{"id":"z","summary":5,"start":{"dateTime":"2026-11-01T10:00:00.123+01:00"},"end":{"dateTime":"2026-11-01T11:00:00Z"}}]}"#
        )))
    let found = try await google.events(of: calendar, in: range)
    #expect(found.events.map(\.id) == ["z"])
    #expect(found.events.first?.title == nil)
    #expect(found.unreadable.count == 3)
    let time = #"{"dateTime":"2026-11-01T10:00:00.0000000","timeZone":"#
    let graph = try Vendor.graph.service(
      through: ScriptedPort(
        HTTPResponse(
          200,
          #"{"value":[null,{"id":"x"},{"id":"y","start":\#(time)"Tokyo Standard Time"},"end":\#(time)"UTC"}},"#
            + #"{"id":"z","location":[],"start":\#(time)"UTC"},"end":\#(time)"UTC"}}]}"#)))
    let seen = try await graph.events(of: calendar, in: range)
    #expect(seen.events.map(\.id) == ["z"])
    #expect(seen.unreadable.count == 3)
  }

  @Test("ids are one segment of the address, whatever is in them", arguments: Vendor.allCases)
  func segments(vendor: Vendor) async throws {
    let port = ScriptedPort(HTTPResponse(404, ""))
    let calendar = FoundCalendar(id: "../a?b=c#d/é @", name: "A", isPrimary: false, isWritable: false)
    _ = try? await vendor.service(through: port).events(of: calendar, in: try #require(EventRange.november()))
    let text = try #require(port.sent.first?.address.text)
    #expect(text.contains("/calendars/..%2Fa%3Fb%3Dc%23d%2F%C3%A9%20%40/"))
  }

  @Test("the token goes as a secret in a header, and is nowhere else", arguments: Vendor.allCases)
  func token(vendor: Vendor) async throws {
    let port = ScriptedPort(HTTPResponse(200, vendor.page))
    let service = try vendor.service(through: port, token: "canary")
    _ = try await service.calendars()
    var dumped = ""
    dump(service, to: &dumped)
    #expect(!"\(service) \(dumped)".contains("canary"))
    let request = try #require(port.sent.first)
    #expect(!request.address.text.contains("canary"))
    guard case .secret(let secret, "Bearer ")? = request.headers.first(where: { $0.name == "Authorization" })?.value
    else {
      Issue.record("no token was sent")
      return
    }
    #expect(secret.equals(SecretBox(Array("canary".utf8))))
  }

  @Test("Graph is asked for UTC")
  func preferring() async throws {
    let port = ScriptedPort(HTTPResponse(200, #"{"value":[]}"#))
    let calendar = FoundCalendar(id: "a", name: "A", isPrimary: true, isWritable: false)
    let service = try Vendor.graph.service(through: port)
    let range = try #require(EventRange.november())
    _ = try await service.events(of: calendar, in: range)
    _ = try await service.changes(of: calendar, in: range, since: nil)
    let preferences = port.sent.map { request in
      request.headers.compactMap { header -> String? in
        guard case ("Prefer", .open(let text)) = header else { return nil }
        return text
      }.joined()
    }
    #expect(preferences.count == 2)
    #expect(preferences.allSatisfy { $0.contains(#"outlook.timezone="UTC""#) })
  }
}
