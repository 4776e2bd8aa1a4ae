/// Why there is no answer to a request, or none that can be used.
///
/// It names hosts, never a query, a header or a body. An answer with any status is no error.
package struct HTTPError: Error, Hashable, Sendable {
  /// The reason, to act on.
  package enum Code: Hashable, Sendable {
    /// The address is none that can be called.
    case address(AddressFault)
    /// The header's name or value cannot be sent.
    case header(name: String)
    /// The proxy's address is none.
    case proxyAddress

    /// libcurl is not on this machine; the reason is the loader's.
    case libraryMissing(String)
    /// The host's name has no address.
    case unresolved
    /// Nobody listens there.
    case refused
    /// No way leads there.
    case noRoute
    /// No connection that can be trusted.
    case tls(TLSFault)
    /// The proxy answered with this status instead of letting the request through.
    case proxyDenied(status: Int)
    /// The deadline passed before the exchange was at its end.
    case timedOut(Duration)
    /// The connection ended before the answer did.
    case cut
    /// The task was cancelled.
    case cancelled
    /// The system, or libcurl by this code, did not let it happen.
    case failed(Int)

    /// The answer is larger than what is taken.
    case tooLarge
    /// What came back is no HTTP.
    case malformed
  }

  /// What is wrong with an address.
  package enum AddressFault: Hashable, Sendable {
    /// It is no URL, or has characters that must be encoded.
    case malformed
    /// It holds a user name or a password.
    case userInformation
    /// It begins with something else than `https`.
    case scheme
    /// It would be sent in clear text, and not to this machine.
    case insecure
  }

  /// Why a connection is not trusted.
  package enum TLSFault: Hashable, Sendable {
    /// The two sides agree on no protocol, or the other side does not speak TLS.
    case handshake
    /// The certificate is one for another name.
    case otherHost
    /// The certificate is over, or not valid yet.
    case outOfDate
    /// Nobody who is trusted here stands for the certificate.
    case untrusted
    /// The file with the trusted certificates cannot be used.
    case authorities(path: String?)
  }

  /// The reason.
  package let code: Code
  /// The host that was asked, without a port; empty where none could be told.
  package let host: String
  /// The proxy it was asked through, with its port.
  package let proxy: String?

  init(_ code: Code, at host: String = "", through proxy: String? = nil) {
    self.code = code
    self.host = host
    self.proxy = proxy
  }

  /// Whether the service could not be asked. Otherwise it answered something that cannot be used, or the request is at
  /// fault and was not sent.
  package var isUnreachable: Bool {
    switch code {
    case .libraryMissing, .unresolved, .refused, .noRoute, .tls, .proxyDenied, .timedOut, .cut, .cancelled, .failed,
      .proxyAddress:
      true
    case .address, .header, .tooLarge, .malformed: false
    }
  }
}
