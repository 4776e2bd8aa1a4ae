extension HTTPError: CustomStringConvertible {
  /// What happened and where, in one sentence without a full stop.
  package var description: String {
    switch code {
    case .address(.malformed): "the address is not a URL"
    case .address(.userInformation): "the address holds a user name or password"
    case .address(.scheme): "the address does not begin with https://"
    case .address(.insecure): "the address of \(host) begins with http://, which sends secrets in clear text"
    case .header(let name): "the value for the header \(name) has a line break or another control character in it"
    case .proxyAddress: "the proxy's address is not one of http:// or https://"
    case .libraryMissing(let reason): "\(host) cannot be asked: libcurl could not be loaded (\(reason))"
    case .unresolved: "\(there) could not be reached: \(proxy == nil ? "its" : "a") name is not known"
    case .refused: "\(there) could not be reached: the connection was refused"
    case .noRoute: "\(there) could not be reached: no connection could be made"
    case .tls(let fault): "\(there) is not trusted: \(fault)"
    case .proxyDenied(407): "\(there) could not be reached: the proxy wants a user name and password (HTTP 407)"
    case .proxyDenied(let status): "\(there) could not be reached: the proxy answered HTTP \(status)"
    case .timedOut(let limit): "\(there) did not answer in full within \(limit.spoken)"
    case .cut: "\(there) broke the connection off before it had answered in full"
    case .cancelled: "the request to \(there) was stopped"
    case .failed(let number): "\(there) could not be asked (libcurl's error \(number))"
    case .tooLarge: "\(there) answered with more than is taken from it"
    case .malformed: "\(there) answered with something that is not HTTP"
    }
  }

  /// What to do about it, where there is something that helps.
  package var hint: String? {
    switch code {
    case .address(.malformed): "write it as https://host/path, with special characters percent-encoded"
    case .address(.userInformation): "leave them out; a secret belongs into a key or a reference"
    case .address(.scheme), .address(.insecure): "use https://; http:// is for this machine only (localhost, 127.0.0.1)"
    case .header: "look for a line break at the end of the value, and store it again without"
    case .proxyAddress: "correct HTTPS_PROXY, or unset it"
    case .libraryMissing: Self.installing
    case .unresolved: "check the name, and the network or VPN"
    case .refused: "check that the service runs, and its port"
    case .noRoute: "check the network or VPN; behind a proxy, set HTTPS_PROXY"
    case .tls(.handshake): "TLS 1.2 or later is needed; check the port, and that it is an https service"
    case .tls(.otherHost): "use the name that the certificate is for"
    case .tls(.outOfDate): "have the service's certificate renewed, and check this machine's clock"
    case .tls(.untrusted): "for a private authority, name its certificate in SSL_CERT_FILE"
    case .tls(.authorities(nil)): "install the package ca-certificates, or name a file in SSL_CERT_FILE"
    case .tls(.authorities): "name a readable file of certificates (PEM) in SSL_CERT_FILE"
    case .proxyDenied(407): "write them into HTTPS_PROXY: http://user:password@host:port"
    case .proxyDenied: "have the proxy allow this host, or name the host in NO_PROXY"
    case .timedOut, .cut: "try again later; check the network if it stays"
    case .malformed: "check the address and its port"
    case .cancelled, .failed, .tooLarge: nil
    }
  }

  private var there: String { proxy.map { "\(host), through the proxy \($0)," } ?? host }

  #if os(macOS)
  private static let installing = "it is a part of macOS; local work does not need it"
  #else
  private static let installing = "install it, on Debian: apt-get install libcurl4; local work does not need it"
  #endif
}

extension HTTPError.TLSFault: CustomStringConvertible {
  /// A part of a sentence.
  package var description: String {
    switch self {
    case .handshake: "no secure connection could be agreed on"
    case .otherHost: "its certificate is for another name"
    case .outOfDate: "its certificate has expired or is not valid yet"
    case .untrusted: "nobody who is trusted here has signed its certificate"
    case .authorities(let path): "the trusted certificates cannot be read\(path.map { " from \($0)" } ?? "")"
    }
  }
}

extension Duration {
  /// Such as `30 s` or `0.5 s`.
  fileprivate var spoken: String {
    let tenths = (components.seconds * 10) + components.attoseconds / 100_000_000_000_000_000
    return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
  }
}
