import KeyplanHTTP
import KeyplanSecrets

/// Where to ask, and as whom. The password, mostly one for this app alone, shows nowhere.
struct DAVAccount: Sendable {
  /// Where discovery begins: a host alone, or the address of the person at the service.
  let server: HTTPAddress
  let user: String
  let password: SecretBox

  /// Whether user name and password may be sent there: where they were given for, by the same scheme and port.
  ///
  /// A service that keeps calendars on another host says so in its answers, and an answer is no proof: whoever can
  /// forge a part of one would be sent the password. Apple is known to do that, and owns all names of that pattern.
  func trusts(_ address: HTTPAddress) -> Bool {
    if address.origin == server.origin { return true }
    return server.isApple && address.isApple
  }
}

extension HTTPAddress {
  /// Scheme, host and port: who answers.
  struct Origin: Hashable {
    let scheme, host: String
    let port: Int
  }

  var origin: Origin { Origin(scheme: scheme, host: host, port: port ?? (scheme == "https" ? 443 : 80)) }

  /// `caldav.icloud.com`, or one of the hosts `p01-caldav.icloud.com` … where Apple keeps the calendars.
  fileprivate var isApple: Bool {
    guard scheme == "https", origin.port == 443 else { return false }
    if host == "caldav.icloud.com" { return true }
    guard host.hasPrefix("p"), host.hasSuffix("-caldav.icloud.com") else { return false }
    let digits = host.dropFirst().dropLast("-caldav.icloud.com".count)
    return (1...4).contains(digits.utf8.count) && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }
}
