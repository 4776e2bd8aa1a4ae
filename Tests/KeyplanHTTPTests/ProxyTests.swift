import Testing

@testable import KeyplanHTTP

@Suite struct ProxyTests {
  @Test(
    "a proxy's address may leave out what it need not say, and its password is not shown",
    arguments: [
      ("http://proxy:3128", "http://proxy:3128", "proxy:3128"), ("proxy:3128", "http://proxy:3128", "proxy:3128"),
      ("http://proxy", "http://proxy:80", "proxy:80"), ("https://proxy/", "https://proxy:443", "proxy:443"),
      ("http://user:pass@proxy:3128/", "http://user:pass@proxy:3128", "proxy:3128"),
      ("user:p@ss@PROXY", "http://user:p@ss@proxy:80", "proxy:80"), ("[::1]:8080", "http://[::1]:8080", "[::1]:8080"),
    ])
  func addresses(text: String, address: String, shown: String) throws {
    let proxy = try HTTPProxy(text)
    #expect(proxy.address == address)
    #expect("\(proxy)" == shown)
    #expect(String(reflecting: proxy) == shown)
    var dumped = ""
    dump(proxy, to: &dumped)
    #expect(!dumped.contains("pass"))
  }

  @Test(
    "what is no proxy is refused", arguments: ["socks5://proxy", "ftp://proxy", "http://", "pro xy", "proxy:99999"])
  func refused(text: String) {
    #expect(throws: HTTPError(.proxyAddress)) { try HTTPProxy(text) }
    #expect(throws: HTTPError(.proxyAddress)) { try HTTPSettings(variables: ["HTTPS_PROXY": text]) }
  }

  @Test(
    "hosts are excepted by name, with those below; by address; by range",
    arguments: [
      ("", "https://api.example.com", true), ("*", "https://api.example.com", false),
      ("example.com", "https://api.example.com", false), ("example.com", "https://example.com", false),
      (".example.com", "https://api.example.com", false), ("*.example.com", "https://api.example.com", false),
      ("example.com", "https://badexample.com", true), ("api.example.com", "https://example.com", true),
      ("a.com, b.com", "https://b.com", false), ("Example.COM", "https://EXAMPLE.com", false),
      ("example.com:8443", "https://example.com:8443", false), ("example.com:8443", "https://example.com", true),
      ("example.com:443", "https://example.com", false),
      ("10.0.0.0/8", "https://10.200.1.1", false), ("10.0.0.0/8", "https://11.0.0.1", true),
      ("10.1.2.3", "https://10.1.2.3:8443", false), ("0.0.0.0/0", "https://8.8.8.8", false),
      ("10.1.2.3/32", "https://10.1.2.4", true), ("10.0.0.0/33", "https://10.0.0.1", true),
      ("10.0.0.0/8", "https://10.example.com", true), ("2001:db8::1", "https://[2001:db8::1]", false),
      ("", "https://localhost", false), ("", "http://127.0.0.1:1", false), ("", "https://[::1]", false),
    ])
  func exceptions(list: String, address: String, isCarried: Bool) throws {
    let proxy = try HTTPProxy("proxy:3128", except: list)
    #expect(proxy.carries(try HTTPAddress(address)) == isCarried)
  }

  @Test("the usual variables are read, the lower case ones first, empty ones as none")
  func variables() throws {
    var settings = try HTTPSettings(variables: [
      "HTTPS_PROXY": "upper:1", "https_proxy": "lower:2", "NO_PROXY": "example.com", "SSL_CERT_FILE": "/ca.pem",
      "HTTP_PROXY": "plain:3", "ALL_PROXY": "all:4",
    ])
    #expect(settings.proxy?.description == "lower:2")
    #expect(settings.proxy?.carries(try HTTPAddress("https://example.com")) == false)
    #expect(settings.authorities == "/ca.pem")
    settings = try HTTPSettings(variables: ["HTTPS_PROXY": "", "SSL_CERT_FILE": "", "HTTP_PROXY": "plain:3"])
    #expect(settings.proxy == nil)
    #expect(settings.authorities == nil)
  }
}
