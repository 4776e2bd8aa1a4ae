/// A service's no, by its code. Its other words are not kept: they are made elsewhere and may quote what was sent.
package struct Refusal: Hashable, Sendable {
  /// What it means, and so what to do.
  package enum Reason: Hashable, Sendable {
    /// The refresh token is not valid any more: revoked, too old, or used twice.
    case ended
    /// The service wants the person again after some time, whatever the token: an organization's rule.
    case sessionEnded
    /// The service wants the person: another factor, another device, a password.
    case needsPerson
    /// The person, or who administers the account, has not agreed, or not any more.
    case needsConsent
    /// The person has said no.
    case denied
    /// The organization forbids it.
    case forbidden
    /// The code was used before, or is too old: the sign-in begins anew.
    case codeSpent
    /// The signed statement is not accepted: the account's name, its key, or a clock.
    case assertion
    /// The client is not known, has the wrong secret or is of the wrong kind. The tokens are not at fault.
    case client
    /// A scope does not exist or is not allowed to this client.
    case scope
    /// The request is not one that the service takes.
    case setup
    /// A code that is not known here.
    case other
  }

  /// What it means.
  package let reason: Reason
  /// The service's own code, such as `invalid_grant`; empty where it gave none.
  package let code: String
  /// The service's finer distinction.
  package let suberror: String?
  /// Microsoft's numbers, for whoever looks them up.
  package let numbers: [Int]

  init(_ reason: Reason, code: String, suberror: String? = nil, numbers: [Int] = []) {
    self.reason = reason
    self.code = code
    self.suberror = suberror
    self.numbers = numbers
  }

  /// A service's error in answer to a request for tokens.
  ///
  /// What ends a stored sign-in must have the form that RFC 6749, section 5.2, gives it: a code in `error`, with 400 or 401.
  /// Anything else is a refusal of this request alone.
  init(_ code: String, in answer: ServiceAnswer, to request: TokenRequest) {
    var reason = Reason(code, suberror: answer.suberror, to: request)
    if case .refresh = request, reason.isTerminal, !answer.isOAuthError { reason = .other }
    self.init(reason, code: code, suberror: answer.suberror, numbers: answer.numbers)
  }

  /// Whether the stored refresh token is of no use any more. It is kept all the same, until somebody signs in again.
  package var endsGrant: Bool {
    switch reason {
    case .ended, .sessionEnded: true
    case .needsPerson, .needsConsent, .denied, .forbidden, .codeSpent, .assertion, .client, .scope, .setup, .other:
      false
    }
  }
}

extension Refusal.Reason {
  /// Whether it says of a refresh that only a person can help.
  fileprivate var isTerminal: Bool {
    switch self {
    case .ended, .sessionEnded, .needsPerson, .needsConsent, .denied: true
    case .forbidden, .codeSpent, .assertion, .client, .scope, .setup, .other: false
    }
  }

  /// By `error` and `suberror` alone: Microsoft says of its numbers and texts that they change.
  init(_ code: String, suberror: String?, to request: TokenRequest) {
    switch code {
    case "invalid_grant": self.init(invalid: suberror, request)
    case "bad_verification_code", "expired_token", "device_not_found", "invalid_code":
      // A refresh has no code that could be spent.
      if case .refresh = request { self = .other } else { self = .codeSpent }
    case "interaction_required", "login_required", "account_selection_required", "mfa_required": self = .needsPerson
    case "consent_required": self = .needsConsent
    case "access_denied", "authorization_declined":
      // Nobody was asked: the scope is not delegated to the service account.
      if case .assertion = request { self = .needsConsent } else { self = .denied }
    case "admin_policy_enforced", "org_internal", "restricted_client", "disabled_client": self = .forbidden
    case "invalid_client", "deleted_client", "invalid_client_secret": self = .client
    case "unauthorized_client":
      if case .assertion = request { self = .needsConsent } else { self = .client }
    case "invalid_scope": self = .scope
    case "invalid_request", "unsupported_grant_type", "unsupported_response_type", "redirect_uri_mismatch",
      "invalid_target", "invalid_resource", "invalid_argument":
      self = .setup
    default: self = .other
    }
  }

  private init(invalid suberror: String?, _ request: TokenRequest) {
    switch request {
    case .code, .device: self = .codeSpent
    case .assertion: self = .assertion
    case .clientCredentials: self = .client
    case .refresh:
      self =
        switch suberror {
        case "invalid_rapt", "token_expired": .sessionEnded
        case "consent_required": .needsConsent
        case "basic_action", "additional_action", "message_only", "user_password_expired",
          "device_authentication_failed":
          .needsPerson
        case "protection_policy_required": .forbidden
        case "client_mismatch": .client
        default: .ended
        }
    }
  }
}
