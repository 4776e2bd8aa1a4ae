import CCurl
import KeyplanSecrets

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A libcurl handle with its open connections, and a buffer for one response. Used by one thread at a time.
final class CurlHandle: @unchecked Sendable {
  // @unchecked: the workers pass it between threads under their lock; only `cancel` is called from other threads, and
  // it sets an atomic flag.
  private let handle: UnsafeMutableRawPointer
  private let answer: OpaquePointer

  /// More than the headers of any service. Without a limit, a single header could use up all memory.
  private static let headLimit = 64 << 10

  /// Loads the library if necessary.
  init() throws(HTTPError) {
    if let fault = CurlLibrary.fault { throw HTTPError(.libraryMissing(fault)) }
    guard let handle = keyplan_curl_new() else { throw HTTPError(.failed(Int(CURLE_FAILED_INIT.rawValue))) }
    guard let answer = keyplan_answer_new(Self.headLimit) else {
      keyplan_curl_free(handle)
      throw HTTPError(.failed(Int(CURLE_OUT_OF_MEMORY.rawValue)))
    }
    self.handle = handle
    self.answer = answer
  }

  deinit {
    keyplan_curl_reset(handle)
    keyplan_curl_free(handle)
    keyplan_answer_free(answer)
  }

  /// Wipes the previous response, and resets the cancelled state.
  func clear() { keyplan_answer_clear(answer) }

  /// Ends a running `perform` within a second. May be called from any thread.
  func cancel() { keyplan_answer_cancel(answer) }

  /// Sends the request once and receives the response. Blocks.
  func perform(_ request: HTTPRequest, _ settings: HTTPSettings, within limit: Duration) -> Attempt.Outcome {
    defer { clear() }
    let proxy = settings.proxy.flatMap { $0.carries(request.address) ? $0 : nil }
    func failure(_ code: HTTPError.Code) -> Attempt.Outcome {
      .failure(
        HTTPError(code, at: request.address.host, port: request.address.port, through: proxy?.description))
    }
    guard limit > .zero else { return failure(.timedOut(settings.deadline)) }
    let headers = HeaderLines(of: request)
    let route = settings.connectTo.map { ["::" + $0] } ?? []
    let connectTo = HeaderLines(route)
    keyplan_curl_reset(handle)
    keyplan_answer_attach(answer, handle, settings.bodyLimit)
    guard let code = prepare(request, settings, proxy, headers: headers, connectTo: connectTo, within: limit)
    else { return failure(.tls(.authorities(path: settings.authorities))) }
    let end = code == CURLE_OK ? send(request) : code
    if let fault = fault(end, settings) { return failure(fault) }
    return .success(response())
  }

  /// Sets all options. Fails if libcurl is too old to know one of them.
  private func prepare(
    _ request: HTTPRequest, _ settings: HTTPSettings, _ proxy: HTTPProxy?, headers: borrowing HeaderLines,
    connectTo: borrowing HeaderLines, within limit: Duration
  ) -> CURLcode? {
    let parts = limit.components
    let milliseconds = Int(parts.seconds) * 1000 + Int(parts.attoseconds / 1_000_000_000_000_000)
    var codes = [
      set(CURLOPT_URL, request.address.text), keyplan_curl_set_scheme(handle, request.address.scheme),
      set(CURLOPT_CUSTOMREQUEST, request.method.rawValue),
      keyplan_curl_set_pointer(handle, CURLOPT_HTTPHEADER, headers.first),
      set(CURLOPT_USERAGENT, settings.userAgent), set(CURLOPT_ACCEPT_ENCODING, "gzip"),
      // "" disables libcurl's own reading of the proxy variables, which have been read already.
      set(CURLOPT_PROXY, proxy?.address ?? ""), set(CURLOPT_NOPROXY, ""),
      set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1), set(CURLOPT_FOLLOWLOCATION, 0),
      set(CURLOPT_TIMEOUT_MS, max(1, milliseconds)), set(CURLOPT_CONNECTTIMEOUT_MS, max(1, milliseconds)),
      set(CURLOPT_NOSIGNAL, 1), set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)), set(CURLOPT_HTTP09_ALLOWED, 0),
      set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)), set(CURLOPT_SSL_VERIFYPEER, 1),
      set(CURLOPT_SSL_VERIFYHOST, 2),
      // A response with a larger Content-Length is not read at all.
      set(CURLOPT_MAXFILESIZE, settings.bodyLimit),
      // libcurl by itself repeats a request sent on a kept connection that turns out to be closed.
      set(CURLOPT_FRESH_CONNECT, request.isRepeatable ? 0 : 1),
      keyplan_curl_set_pointer(handle, CURLOPT_CONNECT_TO, connectTo.first),
    ]
    if let authorities = settings.authorities {
      guard !authorities.utf8.contains(0) else { return nil }
      // Replaces the system's certificates, instead of adding to them.
      codes.append(set(CURLOPT_CAINFO, authorities))
      codes.append(keyplan_curl_set_pointer(handle, CURLOPT_CAPATH, nil))
      codes.append(set(CURLOPT_PROXY_CAINFO, authorities))
      codes.append(keyplan_curl_set_pointer(handle, CURLOPT_PROXY_CAPATH, nil))
    }
    if let certificates = settings.authorityData {
      codes.append(set(CURLOPT_CAINFO_BLOB, certificates))
      codes.append(keyplan_curl_set_pointer(handle, CURLOPT_CAINFO, nil))
      codes.append(keyplan_curl_set_pointer(handle, CURLOPT_CAPATH, nil))
    }
    if let client = settings.clientCertificate {
      codes.append(set(CURLOPT_SSLCERT_BLOB, client.certificate))
      codes.append(set(CURLOPT_SSLKEY_BLOB, client.key))
      // Without one, OpenSSL asks for the password of an encrypted key at the terminal.
      codes.append(set(CURLOPT_KEYPASSWD, ""))
    }
    // CURLOPT_QUICK_EXIT, since 7.87; in older versions a name server that does not respond can block beyond the
    // deadline.
    _ = set(CURLoption(UInt32(CURLOPTTYPE_LONG + 322)), 1)
    return codes.first { $0 != CURLE_OK } ?? CURLE_OK
  }

  private func send(_ request: HTTPRequest) -> CURLcode {
    guard let body = request.content else { return keyplan_curl_perform(handle) }
    // libcurl does not copy the body, so its bytes must stay valid for the whole exchange.
    return body.withBytes { bytes in
      let size = set(CURLOPT_POSTFIELDSIZE, bytes.count)
      let start = keyplan_curl_set_pointer(handle, CURLOPT_POSTFIELDS, bytes.baseAddress)
      guard size == CURLE_OK, start == CURLE_OK else { return CURLE_FAILED_INIT }
      return keyplan_curl_perform(handle)
    }
  }

  private func response() -> HTTPResponse {
    var count = 0
    let body = keyplan_answer_body(answer, &count)
    let bytes = SecretBox(Secret(copying: UnsafeRawBufferPointer(start: body, count: count)))
    let head = UnsafeRawBufferPointer(start: keyplan_answer_head(answer, &count), count: count)
    return HTTPResponse(status: number(CURLINFO_RESPONSE_CODE), head: head, body: bytes)
  }

  /// The error of the exchange, if there was one.
  private func fault(_ code: CURLcode, _ settings: HTTPSettings) -> HTTPError.Code? {
    if keyplan_answer_overflow(answer) { return .tooLarge }
    switch code {
    // libcurl does not treat a connection closed within the header lines as an error.
    case CURLE_OK: return keyplan_answer_has_head(answer) ? nil : .cut
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: return .unresolved
    case CURLE_COULDNT_CONNECT: return number(CURLINFO_OS_ERRNO) == Int(ECONNREFUSED) ? .refused : .noRoute
    case CURLE_OPERATION_TIMEDOUT: return .timedOut(settings.deadline)
    case CURLE_SSL_CONNECT_ERROR: return .tls(.handshake)
    case CURLE_SSL_CACERT_BADFILE:
      return settings.authorityData == nil ? .tls(.authorities(path: settings.authorities)) : .certificates
    case CURLE_SSL_CERTPROBLEM: return .identity
    case CURLE_PEER_FAILED_VERIFICATION:
      // OpenSSL reports problems with the chain as X509_V_ERR_…; the name is mostly compared by libcurl itself, which
      // then leaves 0 or 1 (unspecified) here.
      return switch number(CURLINFO_SSL_VERIFYRESULT) {
      case 0, 1, 62: .tls(.otherHost)
      case 9, 10: .tls(.outOfDate)
      default: .tls(.untrusted)
      }
    case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_PROXY:
      let status = number(CURLINFO_HTTP_CONNECTCODE)
      return status == 0 || status == 200 ? .cut : .proxyDenied(status: status)
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING, CURLE_WRITE_ERROR:
      return .malformed
    // libcurl's own limit for a header line: named "too large" since 8.6.
    case CURLE_OUT_OF_MEMORY, CURLE_FILESIZE_EXCEEDED, CURLcode(100): return .tooLarge
    case CURLE_ABORTED_BY_CALLBACK: return .cancelled
    default: return .failed(Int(code.rawValue))
    }
  }

  private func set(_ option: CURLoption, _ value: Int) -> CURLcode { keyplan_curl_set_long(handle, option, value) }

  private func set(_ option: CURLoption, _ text: String) -> CURLcode {
    text.withCString { keyplan_curl_set_pointer(handle, option, $0) }
  }

  private func set(_ option: CURLoption, _ bytes: SecretBox) -> CURLcode {
    bytes.withBytes { keyplan_curl_set_bytes(handle, option, $0.baseAddress, $0.count) }
  }

  private func number(_ info: CURLINFO) -> Int { keyplan_curl_get_long(handle, info) }
}
