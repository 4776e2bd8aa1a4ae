import KeyplanHTTP
import KeyplanSecrets
import Testing

@testable import KeyplanCalendars

@Suite struct AddressingTests {
  @Test(
    "references lead to where a browser would go, whatever they forgot to encode",
    arguments: [
      ("/dav/x/", "https://h.example:8443/dav/x/"), ("y.ics", "https://h.example:8443/a/y.ics"),
      ("https://other.example/z", "https://other.example/z"), ("//other.example/z", "https://other.example/z"),
      ("/my cal/ü#f", "https://h.example:8443/my%20cal/%C3%BC"), ("/a%20b", "https://h.example:8443/a%20b"),
      ("", "https://h.example:8443/a/"), ("?q", "https://h.example:8443/a/?q"),
      ("mailto:a@b", nil), ("javascript:alert(1)", nil), ("file:///etc/passwd", nil), ("https://u:p@h.example/", nil),
    ] as [(String, String?)])
  func references(text: String, expected: String?) throws {
    let base = try HTTPAddress("https://h.example:8443/a/b.ics?x=/y")
    #expect((try? DAVReference(text).resolved(at: base))?.text == expected)
  }

  @Test("a path is the same in all its spellings")
  func paths() throws {
    let spellings = ["https://h/a%40b/c%20d/", "https://h/a@b/c%20d", "https://h/%61%40b/c%20d?x"]
    #expect(Set(try spellings.map { try HTTPAddress($0).path }) == ["/a@b/c%20d"])
    #expect(try HTTPAddress("https://h/a%2Fb").path == "/a%2Fb")
    #expect(try HTTPAddress("https://h").path == "")
    #expect(try HTTPAddress("https://h/x/caf%C3%A9%20%zz/").lastName == "café %zz")
  }

  @Test(
    "the password goes to where it was given for, and to Apple's own hosts from Apple",
    arguments: [
      ("https://dav.example/", "https://DAV.example:443/x", true),
      ("https://dav.example/", "https://dav.example:444/", false),
      ("https://dav.example/", "https://a.dav.example/", false), ("https://dav.example/", "https://example/", false),
      ("http://localhost:1/", "http://localhost:2/", false), ("http://localhost:1/", "http://127.0.0.1:1/", false),
      ("http://localhost:443/", "https://localhost:443/", false),
      ("https://caldav.icloud.com/", "https://p42-caldav.icloud.com/1/calendars/", true),
      ("https://p42-caldav.icloud.com/", "https://p7-caldav.icloud.com:443/", true),
      ("https://caldav.icloud.com/", "https://p42-caldav.icloud.com:8443/", false),
      ("https://caldav.icloud.com/", "https://p42-caldav.icloud.com.evil.example/", false),
      ("https://caldav.icloud.com/", "https://p4x-caldav.icloud.com/", false),
      ("https://caldav.icloud.com/", "https://p-caldav.icloud.com/", false),
      ("https://caldav.icloud.com/", "https://evil.p42-caldav.icloud.com/", false),
      ("https://dav.example/", "https://p42-caldav.icloud.com/", false),
    ])
  func trust(server: String, other: String, expected: Bool) throws {
    let account = DAVAccount(server: try HTTPAddress(server), user: "a", password: SecretBox([]))
    #expect(account.trusts(try HTTPAddress(other)) == expected)
  }
}
