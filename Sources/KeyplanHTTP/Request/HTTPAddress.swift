/// The URL of a request: `https`, or `http` on this machine or to a metadata service.
///
/// The grammar is stricter than RFC 3986, so that no other parser can interpret it as another host: ASCII, no user
/// information, no fragment. Other characters must be percent-encoded.
package struct HTTPAddress: Hashable, Sendable {
  /// The URL as it is sent. Its query may contain secrets.
  package let text: String
  /// A name or an IP address, in lower case; an IPv6 address keeps its brackets.
  package let host: String
  /// The port, if the URL contains one.
  package let port: Int?
  /// `https` or `http`.
  package let scheme: String

  /// - Throws: `HTTPError` for an invalid address; it does not quote `text`.
  package init(_ text: String) throws(HTTPError) {
    guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !Self.foreign.contains($0) }),
      let colon = text.utf8.firstRange(of: "://".utf8)
    else { throw HTTPError(.address(.malformed)) }
    let scheme = text[..<colon.lowerBound].lowercased()
    let rest = text[colon.upperBound...]
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    guard !authority.contains("@") else { throw HTTPError(.address(.userInformation)) }
    guard let (host, port) = Self.parts(of: authority) else { throw HTTPError(.address(.malformed)) }
    guard scheme == "https" || (scheme == "http" && Self.isLoopback(host)) else {
      throw HTTPError(.address(scheme == "http" ? .insecure : .scheme), at: host)
    }
    (self.text, self.host, self.port, self.scheme) = (text, host, port, scheme)
  }

  /// An address of a cloud's metadata service: plain `http`, to one of the link-local hosts at which the clouds serve
  /// credentials to their own machines and containers. These hosts have no certificates; no other host is accepted.
  /// - Throws: `HTTPError` for an invalid address; it does not quote `text`.
  package init(metadata text: String) throws(HTTPError) {
    let prefix = "http://"
    let rest = text.dropFirst(prefix.count)
    let host = rest.prefix { $0 != "/" && $0 != "?" }
    guard text.hasPrefix(prefix), Self.metadataHosts.contains(String(host)),
      text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !Self.foreign.contains($0) })
    else { throw HTTPError(.address(.insecure)) }
    (self.text, self.host, self.port, self.scheme) = (text, String(host), nil, "http")
  }

  /// An address of the identity service of an Azure app, which an environment variable names: plain `http` to an IPv4
  /// address and port of the link-local network, which no router forwards.
  /// - Throws: `HTTPError` for an invalid address; it does not quote `text`.
  package init(linkLocal text: String) throws(HTTPError) {
    let prefix = "http://"
    let rest = text.dropFirst(prefix.count)
    guard text.hasPrefix(prefix), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !Self.foreign.contains($0) }),
      let (host, port) = Self.parts(of: rest.prefix { $0 != "/" && $0 != "?" }), Self.isLinkLocal(host)
    else { throw HTTPError(.address(.insecure)) }
    (self.text, self.host, self.port, self.scheme) = (text, host, port, "http")
  }

  private static func isLinkLocal(_ host: String) -> Bool { IPv4(host).map { $0.bits >> 16 == 0xA9FE } ?? false }

  /// AWS: instances, ECS tasks, EKS pods, and the first and last over IPv6. Google: a name that only its machines resolve.
  /// Azure uses the first.
  package static let metadataHosts: Set<String> = [
    "169.254.169.254", "169.254.170.2", "169.254.170.23", "[fd00:ec2::254]", "[fd00:ec2::23]",
    "metadata.google.internal",
  ]

  /// Whether it was made by `init(metadata:)` or `init(linkLocal:)`. A proxy would be given the credentials that the service returns.
  var isMetadata: Bool { scheme == "http" && (Self.metadataHosts.contains(host) || Self.isLinkLocal(host)) }

  /// Characters that a URL cannot contain unencoded, and `#`: a fragment is not sent.
  private static let foreign = Set(#""<>\^`{|}#"#.utf8)

  /// Whether requests stay on this machine.
  var isLoopback: Bool { Self.isLoopback(host) }

  static func parts(of authority: Substring) -> (host: String, port: Int?)? {
    let host: Substring
    if authority.hasPrefix("[") {
      guard let end = authority.firstIndex(of: "]") else { return nil }
      host = authority[...end]
      guard host.dropFirst().dropLast().utf8.allSatisfy({ isHexadecimal($0) || $0 == colon || $0 == dot }),
        host.contains(":")
      else { return nil }
    } else {
      host = authority.prefix { $0 != ":" }
      guard !host.isEmpty, host.utf8.allSatisfy(isOfName) else { return nil }
    }
    let rest = authority[host.endIndex...]
    guard !rest.isEmpty else { return (host.lowercased(), nil) }
    let digits = rest.dropFirst()
    guard rest.hasPrefix(":"), digits.utf8.allSatisfy(isDigit), let port = Int(digits), (1...65535).contains(port)
    else { return nil }
    return (host.lowercased(), port)
  }

  private static func isLoopback(_ host: String) -> Bool {
    host == "localhost" || host == "[::1]" || IPv4(host).map { $0.bits >> 24 == 127 } ?? false
  }
}

extension HTTPAddress: CustomStringConvertible {
  /// The URL without its query.
  package var description: String { String(text.prefix { $0 != "?" }) }
}

/// An IPv4 address in its only unambiguous form.
struct IPv4: Hashable {
  let bits: UInt32

  init?(_ text: some StringProtocol) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var bits: UInt32 = 0
    for part in parts {
      guard part.utf8.allSatisfy(isDigit), part.count == 1 || !part.hasPrefix("0"), let byte = UInt8(part) else {
        return nil
      }
      bits = bits << 8 | UInt32(byte)
    }
    self.bits = bits
  }
}

private let colon = UInt8(ascii: ":")
private let dot = UInt8(ascii: ".")

func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }

private func isHexadecimal(_ byte: UInt8) -> Bool {
  isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
}

private func isOfName(_ byte: UInt8) -> Bool {
  isDigit(byte) || isLetter(byte) || byte == dot || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
}
