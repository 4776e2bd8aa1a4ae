extension HTTPError: CustomStringConvertible {
  /// The error and its place, in one sentence without a full stop.
  package var description: String {
    switch code {
    case .address(.malformed): "The address is not a valid URL"
    case .address(.userInformation): "The address contains a user name or password"
    case .address(.scheme): "The address does not begin with https://"
    case .address(.insecure): "The address of \(host) begins with http://, which would send secrets in clear text"
    case .header(let name): "The value of the header \(name) contains a line break or another control character"
    case .proxyAddress: "The proxy's address is not a valid http:// or https:// URL"
    case .certificates: "The certificates that \(host) must be signed by cannot be used"
    case .identity: "The client certificate for \(host) and its private key cannot be used"
    case .libraryMissing(let reason): "\(host) is unreachable: libcurl could not be loaded (\(reason))"
    case .unresolved: "\(there) is unreachable: \(proxy == nil ? "its" : "a") name could not be resolved"
    case .refused: "\(there) is unreachable: the connection was refused"
    case .noRoute: "\(there) is unreachable: no connection could be made"
    case .tls(let fault): "\(there) is not trusted: \(fault)"
    case .proxyDenied(407): "\(there) is unreachable: the proxy requires a user name and password (HTTP 407)"
    case .proxyDenied(let status): "\(there) is unreachable: the proxy responded with HTTP \(status)"
    case .timedOut(let limit): "\(there) did not respond completely within \(limit.text)"
    case .cut: "\(there) closed the connection before the response was complete"
    case .cancelled: "The request to \(there) was cancelled"
    case .failed(let number): "\(there) is unreachable (libcurl error \(number))"
    case .tooLarge: "\(there) sent a response that is larger than allowed"
    case .malformed: "\(there) sent a response that is not HTTP"
    }
  }

  /// The hint for the user, in whole sentences; nil if nothing helps.
  package var hint: String? {
    switch code {
    case .address(.malformed): "Write it as https://host/path, with special characters percent-encoded."
    case .address(.userInformation): "Remove them; put the secret into a key or a reference."
    case .address(.scheme), .address(.insecure):
      "Use https://. Only this machine (localhost, 127.0.0.1) may use http://."
    case .header: "Check the value for a line break at its end, and store it again without one."
    case .proxyAddress: "Correct HTTPS_PROXY, or unset it."
    case .certificates: "The file must have certificates in PEM format."
    case .identity: "Both must be in PEM format and belong together; the key must not have a password."
    case .libraryMissing: Self.installing
    case .unresolved: "Check the name, and the network or VPN."
    case .refused: "Check that the service is running, and its port."
    case .noRoute: "Check the network or VPN. If a proxy is required, set HTTPS_PROXY."
    case .tls(.handshake): "TLS 1.2 or later is required. Check the port, and that it is an https service."
    case .tls(.otherHost): "Use the name for which the certificate was issued."
    case .tls(.outOfDate): "Renew the service's certificate, or correct this machine's clock."
    case .tls(.untrusted): "For a private certificate authority, set SSL_CERT_FILE to its certificate."
    case .tls(.authorities(nil)): "Install the package ca-certificates, or set SSL_CERT_FILE."
    case .tls(.authorities): "Set SSL_CERT_FILE to a readable file of certificates (PEM)."
    case .proxyDenied(407): "Add them to HTTPS_PROXY: http://user:password@host:port"
    case .proxyDenied: "Allow this host in the proxy, or add the host to NO_PROXY."
    case .timedOut, .cut: "Try again later. If it happens again, check the network."
    case .malformed: "Check the address and its port."
    case .cancelled, .failed, .tooLarge: nil
    }
  }

  private var there: String {
    let place = port.map { "\(host):\($0)" } ?? host
    return proxy.map { "\(place), through the proxy \($0)," } ?? place
  }

  #if os(macOS)
  private static let installing = "It is part of macOS. Commands that need no network work without it."
  #else
  private static let installing =
    "Install it (on Debian: apt-get install libcurl4). Commands that need no network work without it."
  #endif
}

extension HTTPError.TLSFault: CustomStringConvertible {
  /// A part of a sentence.
  package var description: String {
    switch self {
    case .handshake: "the TLS handshake failed"
    case .otherHost: "its certificate is for another name"
    case .outOfDate: "its certificate has expired or is not valid yet"
    case .untrusted: "its certificate is not signed by a trusted authority"
    case .authorities(let path): "the trusted certificates cannot be read\(path.map { " from \($0)" } ?? "")"
    }
  }
}

extension Duration {
  /// For example `30 s` or `0.5 s`.
  fileprivate var text: String {
    let tenths = (components.seconds * 10) + components.attoseconds / 100_000_000_000_000_000
    return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
  }
}
