import KeyplanHTTP

/// What became of giving a token back.
package enum RevocationOutcome: Hashable, Sendable {
  /// It is not valid any more, perhaps since before.
  case done
  /// The service has no way of giving it back: what is stored here can be removed, and the person can take consent away
  /// in the account's settings.
  case notOffered
  /// The service did not take it back.
  case refused(Refusal)
  /// Nothing is known.
  case unavailable(Unavailable)

  init(_ response: HTTPResponse) {
    let answer = ServiceAnswer(response)
    if (200..<300).contains(answer.status), answer.error == nil {
      self = .done
      return
    }
    switch Verdict(answer) {
    case .unavailable(let unavailable): self = .unavailable(unavailable)
    // RFC 7009 has 200 for a token that is not valid; Google and others call that an error.
    case .refused("invalid_token"), .refused("invalid_grant"): self = .done
    case .refused("unsupported_token_type"): self = .notOffered
    case .refused(let code):
      let reason: Refusal.Reason = ["invalid_client", "unauthorized_client"].contains(code) ? .client : .other
      self = .refused(Refusal(reason, code: code, numbers: answer.numbers))
    }
  }
}
