import KeyplanHTTP
package import KeyplanModel
package import KeyplanOAuth
import KeyplanPorts

extension RefreshAnswer {
  /// The meaning of a token request's result for the account.
  init(_ outcome: TokenOutcome, to request: TokenRequest, wanting scopes: [String]) {
    switch outcome {
    case .granted(let grant): self = .granted(AccountGrant(grant, wanting: scopes))
    case .refused(let refusal): self.init(refusal, to: request)
    case .unavailable(let unavailable):
      self = .unavailable(reason: "\(unavailable)".asSentence, isUnanswered: unavailable.mayHaveBeenDone)
    }
  }

  private init(_ refusal: Refusal, to request: TokenRequest) {
    let refused = RefreshAnswer.refused(refusal.accountReason, code: refusal.codes)
    if case .refresh = request {
      self =
        switch refusal.reason {
        case .ended: .ended(.ended, code: refusal.codes)
        case .sessionEnded: .ended(.sessionEnded, code: refusal.codes)
        case .needsPerson: .ended(.personNeeded, code: refusal.codes)
        case .needsConsent, .denied: .ended(.consentNeeded, code: refusal.codes)
        case .forbidden, .codeSpent, .assertion, .client, .secretExpired, .clientDisabled, .accountDisabled,
          .conditionalAccess, .scope, .setup, .other:
          refused
        }
    } else {
      // There is no interactive sign-in that could have ended.
      self = refused
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
  /// The reason to record if the tokens are not the cause.
  package var accountReason: AccountRefusal.Reason {
    switch reason {
    case .client: .client
    case .secretExpired: .secretExpired
    case .clientDisabled: .clientDisabled
    case .accountDisabled: .accountDisabled
    case .conditionalAccess: .conditionalAccess
    case .forbidden: .forbidden
    case .needsConsent, .denied: .consent
    case .assertion: .assertion
    case .scope: .scope
    case .ended, .sessionEnded, .needsPerson, .codeSpent, .setup, .other: .other
    }
  }

  /// The service's error codes, for reference.
  fileprivate var codes: String {
    ([code, suberror ?? ""] + numbers.map { "AADSTS\($0)" }).filter { !$0.isEmpty }.joined(separator: ", ")
  }
}

extension Unavailable {
  /// Whether the service may have issued new tokens that were then lost.
  fileprivate var mayHaveBeenDone: Bool {
    switch reason {
    // With 4xx and 503 the service reports that the request was not executed; other 5xx may come after the execution.
    case .busy(let status): status >= 500 && status != 503
    case .notAnAnswer(let status): (200..<300).contains(status)
    case .unreachable(let error): error.mayHaveArrived
    }
  }
}
