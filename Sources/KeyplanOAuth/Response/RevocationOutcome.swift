import KeyplanHTTP

/// The result of revoking a token.
package enum RevocationOutcome: Hashable, Sendable {
  /// The token is no longer valid, possibly since before the request.
  case done
  /// The service has no revocation endpoint: the stored tokens can be deleted, and the user can withdraw consent in the
  /// account's settings.
  case notOffered
  /// The service refused to revoke it.
  case refused(Refusal)
  /// The result is unknown.
  case unavailable(Unavailable)

  init(_ response: HTTPResponse) {
    let answer = ServiceAnswer(response)
    if (200..<300).contains(answer.status), answer.error == nil {
      self = .done
      return
    }
    switch Verdict(answer) {
    case .unavailable(let unavailable): self = .unavailable(unavailable)
    // RFC 7009 demands 200 for an invalid token; Google and others return an error.
    case .refused("invalid_token"), .refused("invalid_grant"): self = .done
    case .refused("unsupported_token_type"): self = .notOffered
    case .refused(let code):
      let reason: Refusal.Reason = ["invalid_client", "unauthorized_client"].contains(code) ? .client : .other
      self = .refused(Refusal(reason, code: code, numbers: answer.numbers))
    }
  }
}
