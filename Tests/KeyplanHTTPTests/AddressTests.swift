import Testing

@testable import KeyplanHTTP

@Suite struct AddressTests {
  @Test(
    "an address is https, or http on this machine",
    arguments: [
      (text: "https://api.example.com", host: "api.example.com", port: nil, shown: "https://api.example.com"),
      (
        text: "HTTPS://API.Example.com:8443/v1?key=1", host: "api.example.com", port: 8443,
        shown: "HTTPS://API.Example.com:8443/v1"
      ),
      (text: "https://my_host/%7Ea;b=c", host: "my_host", port: nil, shown: "https://my_host/%7Ea;b=c"),
      (text: "https://[2001:db8::1]:443/", host: "[2001:db8::1]", port: 443, shown: "https://[2001:db8::1]:443/"),
      (text: "http://localhost:8200/v1", host: "localhost", port: 8200, shown: "http://localhost:8200/v1"),
      (text: "http://127.0.0.1?a=b", host: "127.0.0.1", port: nil, shown: "http://127.0.0.1"),
      (text: "http://127.1.2.3/", host: "127.1.2.3", port: nil, shown: "http://127.1.2.3/"),
      (text: "http://[::1]:80", host: "[::1]", port: 80, shown: "http://[::1]:80"),
    ] as [(text: String, host: String, port: Int?, shown: String)])
  func accepted(text: String, host: String, port: Int?, shown: String) throws {
    let address = try HTTPAddress(text)
    #expect(address.host == host)
    #expect(address.port == port)
    #expect("\(address)" == shown)
    #expect(address.text == text)
  }

  @Test(
    "other addresses are refused, without being quoted",
    arguments: [
      ("http://api.example.com/", .insecure), ("http://127.0.0.1.example.com/", .insecure),
      ("http://0127.0.0.1/", .insecure), ("http://127.1/", .insecure), ("http://2130706433/", .insecure),
      ("http://0.0.0.0/", .insecure), ("http://localhost.example.com/", .insecure),
      ("ftp://example.com/", .scheme), ("file://host/etc/passwd", .scheme), ("gopher://localhost/", .scheme),
      ("https://user:secret@example.com/", .userInformation), ("https://good.example@evil.example", .userInformation),
      ("https://", .malformed), ("https:///path", .malformed), ("example.com", .malformed), ("", .malformed),
      ("https://a b/", .malformed), ("https://exämple.com/", .malformed), ("https://a/\r\nX: y", .malformed),
      ("https://good.example\\@evil.example/", .malformed), ("https://a/#fragment", .malformed),
      ("https://a:0/", .malformed), ("https://a:65536/", .malformed), ("https://a:/", .malformed),
      ("https://a:+1/", .malformed), ("https://a:b/", .malformed), ("https://%61/", .malformed),
      ("https://[::1/", .malformed), ("https://[]/", .malformed), ("https://[::1]x/", .malformed),
      ("https://a/\0", .malformed), ("https://{key}/", .malformed),
    ] as [(String, HTTPError.AddressFault)])
  func refused(text: String, fault: HTTPError.AddressFault) {
    let error = #expect(throws: HTTPError.self) { try HTTPAddress(text) }
    #expect(error?.code == .address(fault))
    #expect(error?.isUnreachable == false)
    #expect(error?.description.contains("secret") != true || fault == .insecure)
  }

  @Test("an IPv4 address has one form")
  func ipv4() {
    #expect(IPv4("10.1.2.3")?.bits == 0x0A01_0203)
    for text in ["10.1.2", "10.1.2.3.4", "10.1.2.03", "10.1.2.256", "10.1.2.", "a.b.c.d", "10.1.2.+3", ""] {
      #expect(IPv4(text) == nil, "\(text)")
    }
  }
}

@Suite("Metadata services") struct MetadataAddressTests {
  @Test(
    "only the link-local hosts of the clouds may be asked in clear text, and never through a proxy",
    arguments: [
      "http://169.254.169.254/latest/api/token", "http://169.254.170.2/v2?x=1", "http://169.254.170.23",
      "http://[fd00:ec2::254]/", "http://[fd00:ec2::23]/v1", "http://metadata.google.internal/computeMetadata/v1/",
    ])
  func allowed(_ text: String) throws {
    let address = try HTTPAddress(metadata: text)
    #expect(address.text == text && address.scheme == "http" && address.port == nil)
    #expect(try HTTPProxy("proxy:3128").carries(address) == false)
    #expect(throws: HTTPError.self) { try HTTPAddress(text) }
  }

  @Test(
    "no other host is, however it is written",
    arguments: [
      "http://169.254.169.253/", "http://169.254.169.254:8080/", "http://169.254.169.254.example.com/",
      "http://169.254.169.254@example.com/", "http://example.com/169.254.169.254", "https://169.254.169.254/",
      "HTTP://169.254.169.254/", "http://0xa9fea9fe/", "http://2852039166/", "http://[::ffff:169.254.169.254]/",
      "http://METADATA.google.internal/", "http://metadata.google.internal./", "http://169.254.169.254\\@example.com/",
      "http://169.254.169.254#@example.com/", "http:///169.254.169.254", "http://169.254.169.254/ x", "",
    ])
  func refused(_ text: String) { #expect(throws: HTTPError.self) { try HTTPAddress(metadata: text) } }

  @Test("include the port of an Azure app's identity service on the link-local network, without a proxy")
  func linkLocal() throws {
    for text in ["http://169.254.130.4:8081/msi/token", "http://169.254.129.2/x?y=1"] {
      let address = try HTTPAddress(linkLocal: text)
      #expect(address.isMetadata && address.text == text)
      #expect(throws: HTTPError.self) { try HTTPAddress(text) }
      #expect(throws: HTTPError.self) { try HTTPAddress(metadata: text) }
    }
    for text in [
      "http://169.253.1.1/", "http://169.254.1/", "http://10.0.0.1:8081/msi/token", "https://169.254.130.4/",
      "http://a@169.254.130.4/", "http://169.254.130.4.evil.example/", "http://169.254.130.4:99999/",
      "http://evil.example/169.254.130.4", "http://169.254.0130.4/", "http://[::ffff:169.254.130.4]/",
    ] {
      #expect(throws: HTTPError.self, "\(text)") { try HTTPAddress(linkLocal: text) }
    }
  }
}
