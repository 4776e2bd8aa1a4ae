import KeyplanApply
import KeyplanCore
import KeyplanHTTP
import KeyplanOAuth

extension RefreshAnswer {
  /// What a token address's answer means for the account.
  init(_ outcome: TokenOutcome, to request: TokenRequest, wanting scopes: [String]) {
    switch outcome {
    case .granted(let grant): self = .granted(AccountGrant(grant, wanting: scopes))
    case .refused(let refusal): self.init(refusal, to: request)
    case .unavailable(let unavailable):
      self = .unavailable(reason: "\(unavailable)".asSentence, isUnanswered: unavailable.mayHaveBeenDone)
    }
  }

  private init(_ refusal: Refusal, to request: TokenRequest) {
    let notAllowed = RefreshAnswer.notAllowed(reason: "\(refusal)".asSentence, hint: refusal.hint.asSentence)
    if case .refresh = request {
      self =
        switch refusal.reason {
        case .ended: .ended(.ended, code: refusal.said)
        case .sessionEnded: .ended(.sessionEnded, code: refusal.said)
        case .needsPerson: .ended(.personNeeded, code: refusal.said)
        case .needsConsent, .denied: .ended(.consentNeeded, code: refusal.said)
        case .forbidden, .codeSpent, .assertion, .client, .scope, .setup, .other: notAllowed
        }
    } else {
      // There is no sign-in that could have ended.
      self = notAllowed
    }
  }
}

extension AccountGrant {
  init(_ grant: Grant, wanting scopes: [String]) {
    self.init(
      access: grant.accessToken, refresh: grant.refreshToken, lifetime: grant.lifetime,
      refreshLifetime: grant.refreshLifetime, refreshHint: grant.refreshHint,
      missing: grant.scopes == nil ? nil : grant.missing(of: scopes))
  }
}

extension Refusal {
  /// The service's codes, for whoever looks them up.
  fileprivate var said: String {
    ([code, suberror ?? ""] + numbers.map { "AADSTS\($0)" }).filter { !$0.isEmpty }.joined(separator: ", ")
  }
}

extension Unavailable {
  /// Whether the service may have given out the next tokens, which then nobody has.
  fileprivate var mayHaveBeenDone: Bool {
    switch reason {
    // With 4xx and 503 a service says itself that it was not done; other 5xx may come after the fact.
    case .busy(let status): status >= 500 && status != 503
    case .notAnAnswer(let status): (200..<300).contains(status)
    case .unreachable(let error):
      switch error.code {
      case .timedOut, .cut, .cancelled, .failed, .tooLarge, .malformed: true
      case .address, .header, .proxyAddress, .libraryMissing, .unresolved, .refused, .noRoute, .tls, .proxyDenied: false
      }
    }
  }
}
