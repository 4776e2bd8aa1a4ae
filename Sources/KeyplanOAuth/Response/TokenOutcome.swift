package import KeyplanHTTP

/// The result of a token request.
package enum TokenOutcome: Sendable {
  case granted(Grant)
  /// The service refused; repeating the request would not help.
  case refused(Refusal)
  /// The result is unknown: stored tokens are kept.
  case unavailable(Unavailable)

  init(_ response: HTTPResponse, to request: TokenRequest) {
    let answer = ServiceAnswer(response)
    if answer.status == 200 {
      // An error has another status (RFC 6749, section 5.2): a response with both is not the service's.
      let grant = answer.error == nil ? Grant(answer) : nil
      self = grant.map { .granted($0) } ?? .unavailable(Unavailable(.notAnAnswer(status: 200)))
    } else {
      self.init(failed: answer, to: request)
    }
  }

  private init(failed answer: ServiceAnswer, to request: TokenRequest) {
    switch Verdict(answer) {
    case .unavailable(let unavailable): self = .unavailable(unavailable)
    case .refused(let code):
      self = .refused(Refusal(code, in: answer, to: request))
    }
  }
}

/// Whether an unsuccessful response is a refusal by the service itself.
enum Verdict {
  case refused(code: String)
  case unavailable(Unavailable)

  init(_ answer: ServiceAnswer) {
    if let error = answer.error, Self.passing.contains(error) || answer.status >= 500 || answer.status == 429 {
      self = .unavailable(Unavailable(.busy(status: answer.status), after: answer.pause))
    } else if let error = answer.error {
      self = .refused(code: error)
    } else if answer.status >= 500 || answer.status == 408 || answer.status == 429 {
      self = .unavailable(Unavailable(.busy(status: answer.status), after: answer.pause))
    } else {
      // A page of a proxy or captive portal, or an empty response. Both can come from any host on the way, even though
      // some services (Glewlwyd) also refuse without a code.
      self = .unavailable(Unavailable(.notAnAnswer(status: answer.status)))
    }
  }

  private static let passing: Set = [
    "temporarily_unavailable", "server_error", "internal_failure", "internal_error", "internal", "backend_error",
    "unavailable", "rate_limit_exceeded", "resource_exhausted", "too_many_requests", "deadline_exceeded",
  ]
}

/// The reason that the result is unknown.
package struct Unavailable: Hashable, Sendable {
  package enum Reason: Hashable, Sendable {
    /// There was no response.
    case unreachable(HTTPError)
    /// The service is overloaded or had an internal error.
    case busy(status: Int)
    /// The response did not come from the service, or is not in the expected form.
    case notAnAnswer(status: Int)
  }

  package let reason: Reason
  /// The pause that the service requested.
  package let pause: Duration?

  init(_ reason: Reason, after pause: Duration? = nil) {
    self.reason = reason
    self.pause = pause
  }

  init(_ error: HTTPError) { self.init(.unreachable(error)) }
}
