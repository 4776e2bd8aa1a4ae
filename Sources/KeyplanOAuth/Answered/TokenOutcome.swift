package import KeyplanHTTP

/// What became of asking for a token.
package enum TokenOutcome: Sendable {
  /// Tokens.
  case granted(Grant)
  /// The service has said no; asking the same again changes nothing.
  case refused(Refusal)
  /// Nothing is known: what is stored stays as it is.
  case unavailable(Unavailable)

  init(_ response: HTTPResponse, to request: TokenRequest) {
    let answer = ServiceAnswer(response)
    if answer.status == 200 {
      // An error has another status (RFC 6749, section 5.2): what says both is not the service.
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

/// Whether an answer that is no success says anything about the grant.
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
      // A page of a proxy or a hotel's network, or an answer with nothing in it: any of them between here and the service can
      // give that, also where the service itself refuses without a code, as Glewlwyd does.
      self = .unavailable(Unavailable(.notAnAnswer(status: answer.status)))
    }
  }

  private static let passing: Set = [
    "temporarily_unavailable", "server_error", "internal_failure", "internal_error", "internal", "backend_error",
    "unavailable", "rate_limit_exceeded", "resource_exhausted", "too_many_requests", "deadline_exceeded",
  ]
}

/// Why nothing is known.
package struct Unavailable: Hashable, Sendable {
  /// The reason.
  package enum Reason: Hashable, Sendable {
    /// There was no answer.
    case unreachable(HTTPError)
    /// The service has too much to do, or a fault of its own.
    case busy(status: Int)
    /// What answered was not the service, or did not speak its language.
    case notAnAnswer(status: Int)
  }

  /// The reason.
  package let reason: Reason
  /// How long the service wants to be left alone.
  package let pause: Duration?

  init(_ reason: Reason, after pause: Duration? = nil) {
    self.reason = reason
    self.pause = pause
  }

  init(_ error: HTTPError) { self.init(.unreachable(error)) }
}
