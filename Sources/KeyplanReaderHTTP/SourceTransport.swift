internal import KeyplanHTTP
internal import KeyplanReader
internal import KeyplanSecrets

#if canImport(Darwin)
internal import Foundation
#elseif canImport(Glibc)
internal import Glibc
#endif

/// Sends the requests of a source. The reader decides when one is repeated, so nothing is repeated here.
struct SourceTransport: Sendable {
  let send: @Sendable (HTTPRequest) async throws(HTTPError) -> HTTPResponse
  /// Seconds since 1970.
  var now: @Sendable () -> Int64 = { Int64(time(nil)) }

  init(_ send: @escaping @Sendable (HTTPRequest) async throws(HTTPError) -> HTTPResponse) { self.send = send }

  /// The answer for a request without a response.
  static func answer(_ error: HTTPError) -> KeySourceAnswer {
    error.isUnreachable
      ? .unreachable("\(error).", retryAfter: nil) : .refused(.backend, "\(error).", hint: error.hint)
  }
}

#if canImport(Darwin)
extension SourceTransport {
  /// With URLSession, as libcurl is not part of Apple's systems for apps. Not compiled on Linux.
  init(authorities: String?) {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForResource = 30
    configuration.httpCookieStorage = nil
    configuration.urlCache = nil
    let session = URLSession(configuration: configuration, delegate: NoRedirections(), delegateQueue: nil)
    self.init { request throws(HTTPError) in
      guard let url = URL(string: request.address.text) else { throw HTTPError(.address(.malformed)) }
      var sent = URLRequest(url: url)
      sent.httpMethod = request.method.rawValue
      for (name, value) in request.headers {
        var bytes: [UInt8] = []
        value.forEach { bytes.append($0) }
        sent.setValue(String(decoding: bytes, as: UTF8.self), forHTTPHeaderField: name)
      }
      sent.httpBody = request.body.map { body in body.bytes.withBytes { Data($0) } }
      do {
        let (data, response) = try await session.data(for: sent)
        guard let response = response as? HTTPURLResponse else { throw HTTPError(.malformed, at: request.address.host) }
        var headers: [String: String] = [:]
        for (name, value) in response.allHeaderFields { headers["\(name)"] = "\(value)" }
        return HTTPResponse(status: response.statusCode, headers: headers, body: SecretBox(Array(data)))
      } catch {
        throw HTTPError(.failed((error as? URLError)?.errorCode ?? 0), at: request.address.host)
      }
    }
  }

  private final class NoRedirections: NSObject, URLSessionTaskDelegate {
    func urlSession(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest
    ) async -> URLRequest? { nil }
  }
}
#else
extension SourceTransport {
  /// With libcurl, which is loaded with the first request.
  init(authorities: String?) {
    var settings = HTTPSettings()
    settings.retrying.attempts = 1
    settings.authorities = authorities
    let client = HTTPClient(settings)
    self.init { request throws(HTTPError) in try await client.send(request) }
  }
}
#endif
