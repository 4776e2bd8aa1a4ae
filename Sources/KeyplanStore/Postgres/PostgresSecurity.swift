import KeyplanPorts

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The protection of the connection to a server.
///
/// A server on another machine is always verified (`sslmode=verify-full`), whatever PG* variables or a service file
/// specify. A weaker mode must be written in the address, where it is visible, and causes a warning.
struct PostgresSecurity: Hashable, Sendable {
  let parameters: [String: String]
  let warning: String?

  init(_ found: [String: String], _ variables: [String: String]) throws(StoreError) {
    var parameters = ["gssencmode": "disable"]
    let isLocal = Self.isLocal(found, variables)
    if let mode = found["sslmode"] {
      guard ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"].contains(mode) else {
        throw PostgresURI.malformed("its sslmode is invalid")
      }
      warning = isLocal || mode == "verify-full" ? nil : Self.warning(mode)
    } else {
      if !isLocal { parameters["sslmode"] = "verify-full" }
      warning = nil
    }
    let isVerified = (found["sslmode"] ?? parameters["sslmode"])?.hasPrefix("verify") == true
    if isVerified, let file = Self.authorities(found, variables) { parameters["sslrootcert"] = file }
    self.parameters = parameters
  }

  /// The system's certificates, unless others are configured. libpq itself only looks for a file that rarely exists.
  private static func authorities(_ found: [String: String], _ variables: [String: String]) -> String? {
    let isNamed = ["PGSSLROOTCERT", "PGSERVICE"].contains { variables[$0]?.isEmpty == false }
    guard !isNamed, found["service"] == nil, access((variables["HOME"] ?? "") + "/.postgresql/root.crt", F_OK) != 0
    else { return nil }
    let usual = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"]
    return ([variables["SSL_CERT_FILE"] ?? ""] + usual).first { !$0.isEmpty && access($0, R_OK) == 0 }
  }

  private static func warning(_ mode: String) -> String {
    switch mode {
    case "disable", "allow", "prefer":
      "sslmode=\(mode) lets attackers on the network read the connection and impersonate the server."
    case "require": "sslmode=require does not verify the server: attackers on the network can impersonate it."
    default:
      "sslmode=\(mode) does not verify the server's name: anyone with a certificate of that authority can impersonate it."
    }
  }

  /// Whether all hosts are this machine: a socket, or a loopback address. The content of a service file is unknown, so
  /// it does not count as local.
  private static func isLocal(_ found: [String: String], _ variables: [String: String]) -> Bool {
    func value(_ keyword: String, _ variable: String) -> String? {
      found[keyword] ?? variables[variable].flatMap { $0.isEmpty ? nil : $0 }
    }
    let names = [value("host", "PGHOST"), value("hostaddr", "PGHOSTADDR")].compactMap { $0 }
    if names.isEmpty { return value("service", "PGSERVICE") == nil }
    return names.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }.allSatisfy { host in
      host.isEmpty || host.hasPrefix("/") || host.hasPrefix("@") || host == "localhost" || host == "::1"
        || host.hasPrefix("127.") && host.utf8.allSatisfy { $0 == 0x2e || (0x30...0x39).contains($0) }
    }
  }
}
