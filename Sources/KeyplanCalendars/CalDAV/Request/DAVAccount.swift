import KeyplanHTTP
import KeyplanSecrets

/// An account's server, user name and password.
struct DAVAccount: Sendable {
  /// The starting point of discovery: a host, or the address of the user's principal.
  let server: HTTPAddress
  let user: String
  let password: SecretBox

  /// Whether user name and password may be sent to an address: it must have the same origin as the configured server.
  ///
  /// A service that keeps calendars on another host refers to it in its responses. That is not trusted, because an
  /// attacker who can forge a part of a response would receive the password. Apple's servers are an exception: Apple
  /// owns all names of that pattern.
  func trusts(_ address: HTTPAddress) -> Bool {
    if address.origin == server.origin { return true }
    return server.isApple && address.isApple
  }
}

extension HTTPAddress {
  /// Scheme, host and port.
  struct Origin: Hashable {
    let scheme, host: String
    let port: Int
  }

  var origin: Origin { Origin(scheme: scheme, host: host, port: port ?? (scheme == "https" ? 443 : 80)) }

  /// `caldav.icloud.com`, or one of the hosts such as `p01-caldav.icloud.com` on which Apple keeps the calendars.
  fileprivate var isApple: Bool {
    guard scheme == "https", origin.port == 443 else { return false }
    if host == "caldav.icloud.com" { return true }
    guard host.hasPrefix("p"), host.hasSuffix("-caldav.icloud.com") else { return false }
    let digits = host.dropFirst().dropLast("-caldav.icloud.com".count)
    return (1...4).contains(digits.utf8.count) && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }
}
