import KeyplanApply

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// How the connection to a server is protected.
///
/// A server that is not on this machine is verified (`sslmode=verify-full`), whatever PG* variables or a service file say. Less has to be
/// written in the address, where everybody sees it, and is warned about.
struct PostgresSecurity: Hashable, Sendable {
  let parameters: [String: String]
  let warning: String?

  init(_ found: [String: String], _ variables: [String: String]) throws(StoreError) {
    var parameters = ["gssencmode": "disable"]
    let isLocal = Self.isLocal(found, variables)
    if let mode = found["sslmode"] {
      guard ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"].contains(mode) else {
        throw PostgresURI.malformed("sslmode is none that PostgreSQL knows")
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

  /// The machine's own authorities, where nothing else names some. libpq looks only for a file that few people have.
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
      "sslmode=\(mode) lets anybody on the way read the connection and answer in the server's place."
    case "require": "sslmode=require does not verify the server: anybody on the way can answer in its place."
    default:
      "sslmode=\(mode) does not verify the server's name: whoever has any certificate of that authority can answer."
    }
  }

  /// Whether all hosts are this machine: a socket, or its own addresses. What a service file says is not known, so it is not.
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
