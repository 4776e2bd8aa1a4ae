import Foundation
import KeyplanHTTP
import KeyplanModel
import Testing

@testable import KeyplanCalendars

/// Answers that a server should not give.
@Suite struct HostileTests {
  private let range = DAVRange(start: Moment(seconds: 1_700_000_000), end: Moment(seconds: 1_800_000_000))

  private func code(_ body: () async throws(DAVError) -> some Any) async -> DAVError.Code? {
    do throws(DAVError) {
      _ = try await body()
      return nil
    } catch {
      #expect(!"\(error) \(error.hint ?? "")".contains("canary"))
      return error.code
    }
  }

  private func discovering(_ answer: @escaping @Sendable (Peer.Asked) -> String) async throws -> DAVError.Code? {
    let peer = try Peer(answer)
    let client = try CalDAVClient(peer.address)
    return await code { () throws(DAVError) in try await client.calendars() }
  }

  @Test("nothing is sent to another host, port or scheme, however an answer leads there")
  func elsewhere() async throws {
    let trap = try Peer { _ in Peer.reply(200) }
    let other = "http://127.0.0.1:\(trap.port)/x/"
    let places = [other, "//127.0.0.1:\(trap.port)/x/", "http://localhost:\(trap.port)/x/", "http://evil.example/x/"]
    for place in places {
      for status in [301, 302, 307, 308] {
        guard case .elsewhere = try await discovering({ _ in Peer.reply(status, headers: ["Location: \(place)"]) })
        else {
          Issue.record("\(place)")
          continue
        }
      }
      for property in ["d:current-user-principal", "c:calendar-home-set"] {
        let code = try await discovering { _ in
          Peer.multistatus(Peer.found("/", "<\(property)><d:href>\(place)</d:href></\(property)>"))
        }
        guard case .elsewhere = code else {
          Issue.record("\(place)")
          continue
        }
      }
    }
    #expect(trap.asked.isEmpty)
  }

  @Test("a calendar on another host is named and left out, and the others are taken")
  func oneElsewhere() async throws {
    let peer = try Peer { asked in
      let home = "<c:calendar-home-set><d:href>/home/</d:href></c:calendar-home-set>"
      guard asked.path == "/home/" else { return Peer.multistatus(Peer.found("/", home)) }
      let type = "<d:resourcetype><d:collection/><c:calendar/></d:resourcetype>"
      return Peer.multistatus(
        Peer.found("/home/", "<d:resourcetype><d:collection/></d:resourcetype>"), Peer.found("my%20own/", type),
        Peer.found("https://other.example/c/", type + "<d:displayname>Other</d:displayname>"))
    }
    let found = try await CalDAVClient(peer.address).calendars()
    #expect(found.calendars.map(\.name) == ["my own"])
    #expect(found.calendars.map(\.address.text) == ["\(peer.address)/home/my%20own/"])
    #expect(found.elsewhere == ["other.example"])
    #expect(peer.asked.map(\.path) == ["/.well-known/caldav", "/home/"])
    #expect(peer.asked.allSatisfy { $0.method == "PROPFIND" && $0.isAuthorized })
    #expect(peer.asked.map { $0.head.contains("\r\nDepth: 1\r\n") } == [false, true])
  }

  @Test("redirections on the same host are followed as they were asked, and not for ever")
  func redirections() async throws {
    let peer = try Peer { asked in
      asked.path == "/dav/"
        ? Peer.multistatus(
          Peer.found("/dav/", "<c:calendar-home-set><d:href>/dav/</d:href></c:calendar-home-set>"))
        : Peer.reply(301, headers: ["Location: \(asked.path == "/dav" ? "/dav/" : "/dav")"])
    }
    #expect(try await CalDAVClient(peer.address).calendars() == DAVCalendars())
    #expect(peer.asked.map(\.path) == ["/.well-known/caldav", "/dav", "/dav/", "/dav/"])
    #expect(peer.asked.allSatisfy { $0.method == "PROPFIND" && $0.body.contains("propfind") })

    let circle = try Peer { _ in Peer.reply(302, headers: ["Location: /again"]) }
    let client = try CalDAVClient("\(circle.address)/dav/")
    #expect(await code { () throws(DAVError) in try await client.calendars() } == .unexpected(status: 301))
    #expect(circle.asked.count == 4)
  }

  @Test(
    "each refusal and each answer that makes no sense has its own reason",
    arguments: [
      (Peer.reply(401), .credentialsRefused), (Peer.reply(403), .forbidden), (Peer.reply(404), .notFound),
      (Peer.reply(405), .notCalDAV), (Peer.reply(200, "<html>Welcome to the hotel"), .notCalDAV),
      (Peer.reply(503, headers: ["Retry-After: 7"]), .busy(status: 503, pause: .seconds(7))),
      (Peer.reply(400), .unexpected(status: 400)),
      (Peer.multistatus(Peer.found("/", "<d:current-user-principal/>")), .notCalDAV),
      (
        Peer.multistatus(
          Peer.found("/", "<d:current-user-principal><d:unauthenticated/></d:current-user-principal>")),
        .credentialsRefused
      ),
      (Peer.multistatus(), .notCalDAV), (Peer.reply(207, "<canary"), .unreadable(.xml(.malformed(line: 1)))),
      (Peer.reply(207, "<a/>"), .unreadable(.notMultistatus)),
      (Peer.reply(207, "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"), .unreadable(.xml(.doctype))),
      (Peer.reply(207, String(repeating: "<a>", count: 100_000)), .unreadable(.xml(.tooLarge))),
      (
        Peer.multistatus(
          Peer.found("/", "<c:calendar-home-set><d:href>mailto:canary</d:href></c:calendar-home-set>")),
        .unreadable(.address)
      ),
    ] as [(String, DAVError.Code)])
  func reasons(answer: String, expected: DAVError.Code) async throws {
    #expect(try await discovering { _ in answer } == expected)
  }

  @Test(
    "a password that was refused is not sent again, which could lock the account: not to another address, and not as an answer to a challenge",
    arguments: ["", "/dav/"])
  func refusedOnce(path: String) async throws {
    let peer = try Peer { _ in
      Peer.reply(401, headers: [#"WWW-Authenticate: Digest realm="a", nonce="b", qop="auth""#, "Location: /dav/"])
    }
    let client = try CalDAVClient(peer.address + path)
    #expect(await code { () throws(DAVError) in try await client.calendars() } == .credentialsRefused)
    #expect(peer.asked.map(\.path) == [path.isEmpty ? "/.well-known/caldav" : path])
    // Another refusal is not one of the password.
    let other = try Peer { _ in Peer.reply(403) }
    let forbidden = try CalDAVClient(other.address)
    #expect(await code { () throws(DAVError) in try await forbidden.calendars() } == .forbidden)
    #expect(other.asked.map(\.path) == ["/.well-known/caldav", "/"])
  }

  @Test("a service that is not there is unreachable, and one that says no is not")
  func unreachable() async throws {
    let port = try Peer { _ in "" }.port
    let client = try CalDAVClient("http://127.0.0.1:\(port)")
    do throws(DAVError) {
      _ = try await client.calendars()
      Issue.record("somebody listens")
    } catch {
      #expect(error.isUnreachable)
    }
    let address = try HTTPAddress("https://dav.example/")
    #expect(!DAVError(.credentialsRefused, at: address).isUnreachable)
    #expect(!DAVError(.forbidden, at: address).isUnreachable)
    #expect(DAVError(.busy(status: 503, pause: nil), at: address).isUnreachable)
  }

  @Test("one broken entry is named and hides nothing else; nothing is expanded by the server")
  func brokenEntries() async throws {
    func entry(_ name: String, _ lines: String) -> String {
      let text = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:\(name)\n\(lines)\nEND:VEVENT\nEND:VCALENDAR"
      return Peer.found("/c/\(name).ics", "<c:calendar-data><![CDATA[\(text)]]></c:calendar-data>")
    }
    let all = [
      entry("good", "DTSTART;TZID=Asia/Tokyo:20241122T090000"), entry("broken", "SUMMARY:Title\nDTSTART:canary"),
      entry("series", "DTSTART:20241122T090000Z\nRRULE:FREQ=DAILY;COUNT=3"), entry("cut", "DTSTART:20241122\nno colon"),
      Peer.found("/c/my%20own.ics", "<c:calendar-data>nothing</c:calendar-data>"),
      entry("other", "DTSTART:20241122T090000Z\nRRULE:FREQ=DAILY;RSCALE=HEBREW"),
    ].joined()
    let peer = try Peer { _ in Peer.multistatus(all) }
    let client = try CalDAVClient(peer.address)
    let found = try await client.events(of: try DAVCalendar("\(peer.address)/c/"), in: range)
    #expect(found.events.map(\.occurrence.event.uid) == ["good", "series", "series", "series"])
    #expect(found.unread.map(\.name) == ["Title", "cut", "my own.ics", "other"])
    #expect(found.unread.map(\.fault.reason) == [.value("DTSTART"), .line, .line, .unsupported("RSCALE")])
    #expect(found.unread.map(\.resource) == ["/c/broken.ics", "/c/cut.ics", "/c/my%20own.ics", "/c/other.ics"])
    #expect(peer.asked.count == 1)
    let body = peer.asked.first?.body
    #expect(body?.contains(#"<c:time-range start="20231114T221320Z" end="20270115T080000Z"/>"#) == true)
    #expect(body?.contains("expand") == false)
  }

  @Test("changes come in pieces until there are no more; a list without an end or a token is none")
  func pieces() async throws {
    let cut = "<d:response><d:href>/c/</d:href><d:status>HTTP/1.1 507 Insufficient Storage</d:status></d:response>"
    @Sendable func piece(_ name: String, _ status: Int, _ token: String, _ more: String = "") -> String {
      let one = "<d:response><d:href>/c/\(name)</d:href><d:status>HTTP/1.1 \(status) X</d:status></d:response>"
      return Peer.multistatus(one, more, "<d:sync-token>\(token)</d:sync-token>")
    }
    let peer = try Peer { asked in
      if asked.body.contains("<sync-token>one<") { return piece("a", 200, "two", cut) }
      if asked.body.contains("<sync-token>two<") { return piece("a", 404, "three") }
      if asked.body.contains("<sync-token>endless<") { return piece("a", 200, "endless", cut) }
      return Peer.multistatus()
    }
    let client = try CalDAVClient(peer.address)
    let calendar = try DAVCalendar("\(peer.address)/c/")
    let changes = try await client.changes(in: calendar, since: "one")
    #expect(changes == DAVChanges(token: "three", changed: [], removed: ["/c/a"]))
    let endless = await code { () throws(DAVError) in try await client.changes(in: calendar, since: "endless") }
    #expect(endless == .unreadable(.endless))
    let none = await code { () throws(DAVError) in try await client.changes(in: calendar, since: "none") }
    #expect(none == .unreadable(.noToken))
  }

  @Test("where a server knows no tokens its tag says whether something changed, and without either all is read")
  func tags() async throws {
    for property in [#"<s:getctag xmlns:s="http://calendarserver.org/ns/">7</s:getctag>"#, ""] {
      let peer = try Peer { _ in Peer.multistatus(Peer.found("/c/", property)) }
      let client = try CalDAVClient(peer.address)
      let calendar = try DAVCalendar("\(peer.address)/c/")
      let mark = property.isEmpty ? nil : DAVMark.tag("7")
      #expect(try await client.events(of: calendar, in: range) == .read(DAVEvents(), mark, restarted: false))
      let again = try await client.events(of: calendar, in: range, since: .tag("7"))
      #expect(again == (mark.map { .unchanged($0) } ?? .read(DAVEvents(), nil, restarted: false)))
    }
  }
}
