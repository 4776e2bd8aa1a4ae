import KeyplanOperations
import Testing

@Suite struct HelperHostTests {
  @Test(
    "is a name or an address, with a port where there is one",
    arguments: [
      "github.com", "localhost", "git.example.com:8443", "10.0.0.1", "[::1]", "[2001:db8::1]:443", "a_b.example",
    ])
  func valid(text: String) { #expect(HelperHost(text)?.description == text) }

  @Test(
    "is nothing else",
    arguments: [
      "", ".", "github.com.", ".github.com", "a..b", "-a.com", "a-.com", "*.github.com", "https://github.com",
      "github.com/",
      "github.com/a", "ada@github.com", "github.com:", "github.com:0", "github.com:080", "github.com:65536",
      "github.com:x",
      "github.com:1:2", "github.com evil.com", "github.com%0aevil.com", "github.com\nevil.com", "github.com\r",
      "github.com\0",
      "github.com\\evil.com", "github.com?", "github.com#", "[::1", "::1", "[]", "[::1]x", "gıthub.com", "github。com",
    ])
  func invalid(text: String) { #expect(HelperHost(text) == nil) }

  @Test("is compared whole, whatever its case")
  func equal() {
    #expect(HelperHost("GitHub.com") == HelperHost("github.com"))
    for other in ["github.com:443", "www.github.com", "github.co", "github.com.evil.com"] {
      #expect(HelperHost(other) != HelperHost("github.com"))
    }
  }

  @Test(
    "an https URL has a host and a path",
    arguments: [
      ("https://github.com", "github.com", ""),
      ("https://h.example:8443/a/b?c=https://d", "h.example:8443", "/a/b?c=https://d"),
      ("https://h.example?x", "h.example", "?x"), ("https://h.example#@evil.com", "h.example", "#@evil.com"),
    ])
  func address(text: String, host: String, path: String) {
    let address = HTTPSAddress(text)
    #expect(address?.host.description == host && address?.path == path)
  }

  @Test(
    "a URL with another scheme, a user or a doubtful host is not one",
    arguments: [
      "http://github.com", "HTTPS://github.com", "//github.com", "github.com", "https:github.com",
      "https:///github.com",
      "https://ada@github.com/", "https://github.com@evil.com/", "https://github.com:x@evil.com/",
      "https://github.com\\@evil.com/",
      "https://github.com%2f@evil.com", "https://", "https://github.com /", " https://github.com",
      "https://github.com%00.evil.com/",
    ])
  func noAddress(text: String) { #expect(HTTPSAddress(text) == nil) }
}
