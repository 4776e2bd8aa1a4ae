/// The reason that a request has no response, or none that can be used.
///
/// Contains host names, but never a query, a header or a body. A response with an error status is not an `HTTPError`.
package struct HTTPError: Error, Hashable, Sendable {
  /// The reason, for the caller to act on.
  package enum Code: Hashable, Sendable {
    /// The URL is not allowed.
    case address(AddressFault)
    /// The header's name or value is invalid.
    case header(name: String)
    /// The proxy's URL is invalid.
    case proxyAddress
    /// The certificates that the service must be signed by are not PEM.
    case certificates
    /// The client certificate or its private key is not usable, or they do not belong together.
    case identity

    /// libcurl is not installed; with the loader's message.
    case libraryMissing(String)
    /// The host name cannot be resolved.
    case unresolved
    /// The connection was refused.
    case refused
    /// The host cannot be reached over the network.
    case noRoute
    /// No trusted connection could be established.
    case tls(TLSFault)
    /// The proxy rejected the request with this status.
    case proxyDenied(status: Int)
    /// The deadline passed before the response was complete.
    case timedOut(Duration)
    /// The connection was closed before the response was complete.
    case cut
    /// The task was cancelled.
    case cancelled
    /// The system, or libcurl with this code, reported an error.
    case failed(Int)

    /// The response is larger than the limit.
    case tooLarge
    /// The response is not HTTP.
    case malformed
  }

  /// An error in a URL.
  package enum AddressFault: Hashable, Sendable {
    /// It is not a URL, or contains characters that must be encoded.
    case malformed
    /// It contains a user name or a password.
    case userInformation
    /// Its scheme is not `https`.
    case scheme
    /// It would send the request in clear text to another machine.
    case insecure
  }

  /// The reason that a TLS connection is not trusted.
  package enum TLSFault: Hashable, Sendable {
    /// There is no common protocol, or the other side does not speak TLS.
    case handshake
    /// The certificate is for another name.
    case otherHost
    /// The certificate has expired or is not valid yet.
    case outOfDate
    /// The certificate is not signed by a trusted authority.
    case untrusted
    /// The file of trusted certificates cannot be used.
    case authorities(path: String?)
  }

  package let code: Code
  /// The host, without a port; empty if the URL has none.
  package let host: String
  /// The port, if the URL contains one.
  package let port: Int?
  /// The proxy, with its port.
  package let proxy: String?

  package init(_ code: Code, at host: String = "", port: Int? = nil, through proxy: String? = nil) {
    self.code = code
    self.host = host
    self.port = port
    self.proxy = proxy
  }

  /// Whether the service could not be reached. Otherwise its response is not usable, or the request is invalid and was
  /// not sent.
  package var isUnreachable: Bool {
    switch code {
    case .libraryMissing, .unresolved, .refused, .noRoute, .tls, .proxyDenied, .timedOut, .cut, .cancelled, .failed,
      .proxyAddress:
      true
    case .address, .header, .certificates, .identity, .tooLarge, .malformed: false
    }
  }

  /// Whether the deadline passed: a service that is this slow is not asked again.
  package var isTimeout: Bool { if case .timedOut = code { true } else { false } }

  /// Whether the service may have received and processed the request.
  package var mayHaveArrived: Bool {
    switch code {
    case .timedOut, .cut, .cancelled, .failed, .tooLarge, .malformed: true
    case .address, .header, .proxyAddress, .certificates, .identity, .libraryMissing, .unresolved, .refused, .noRoute,
      .tls, .proxyDenied:
      false
    }
  }
}
