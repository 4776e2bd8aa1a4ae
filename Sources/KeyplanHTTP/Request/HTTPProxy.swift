internal import KeyplanSecrets

/// The proxy for requests, except to some hosts. It may contain a password; its description is only host and port.
package struct HTTPProxy: Redacted, Sendable {
  /// With user name and password, in libcurl's format.
  let address: String
  /// Host and port.
  package let description: String
  private let exceptions: [Substring]

  /// - Parameters:
  ///   - address: `http://host:port` or `https://…`, optionally with `user:password@`; `host:port` means `http`.
  ///   - exceptions: host names, which include all names below them, IP addresses and IPv4 ranges (`10.0.0.0/8`),
  ///     separated by commas; `*` means every host.
  package init(_ address: String, except exceptions: String = "") throws(HTTPError) {
    let parts = address.firstRange(of: "://")
    let scheme = parts.map { address[..<$0.lowerBound].lowercased() } ?? "http"
    let rest = address[(parts?.upperBound ?? address.startIndex)...].prefix { $0 != "/" }
    let place = rest.lastIndex(of: "@").map { rest[rest.index(after: $0)...] } ?? rest
    guard ["http", "https"].contains(scheme), address.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
      let (host, port) = HTTPAddress.parts(of: place)
    else { throw HTTPError(.proxyAddress) }
    // libcurl's default port for proxies is 1080, which would be unexpected.
    let completed = port ?? (scheme == "https" ? 443 : 80)
    self.address = "\(scheme)://\(rest[..<place.startIndex])\(host):\(completed)"
    description = "\(host):\(completed)"
    self.exceptions = exceptions.split { $0 == "," || $0 == " " }
  }

  /// Whether requests to this address use the proxy. Requests to this machine and to metadata services never do.
  func carries(_ address: HTTPAddress) -> Bool {
    guard !address.isLoopback, !address.isMetadata else { return false }
    return !exceptions.contains { Self.covers($0, address) }
  }

  private static func covers(_ exception: Substring, _ address: HTTPAddress) -> Bool {
    if exception == "*" { return true }
    if let ip = IPv4(address.host) { return covers(exception, ip) }
    let name = exception.lowercased()
    guard let (host, port) = HTTPAddress.parts(of: name.drop { $0 == "." || $0 == "*" }) else {
      // IPv6 addresses have no brackets in the list of exceptions.
      return "[\(name)]" == address.host
    }
    guard port == nil || port == address.port ?? 443 else { return false }
    return address.host == host || address.host.hasSuffix("." + host)
  }

  private static func covers(_ exception: Substring, _ ip: IPv4) -> Bool {
    let parts = exception.split(separator: "/", maxSplits: 1)
    guard let first = parts.first, let network = IPv4(first) else { return false }
    guard parts.count == 2 else { return network == ip }
    guard let length = Int(parts[1]), (0...32).contains(length) else { return false }
    return length == 0 || (network.bits ^ ip.bits) >> (32 - UInt32(length)) == 0
  }
}
