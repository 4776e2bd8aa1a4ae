/// A refusal by a service, reduced to its code. The service's description is dropped, because it may quote the request.
package struct Refusal: Hashable, Sendable {
  /// The meaning, which determines what to do.
  package enum Reason: Hashable, Sendable {
    /// The refresh token is no longer valid: revoked, expired, or used twice.
    case ended
    /// The organization's policy requires a new sign-in after some time, whatever the token.
    case sessionEnded
    /// The service requires the user: for another factor, another device, or a password.
    case needsPerson
    /// The user or the administrator has not consented, or has withdrawn consent.
    case needsConsent
    /// The user declined.
    case denied
    /// The organization forbids it.
    case forbidden
    /// The code was used before, or has expired: the sign-in must start again.
    case codeSpent
    /// The signed assertion is rejected: the account's name, its key, or a clock is wrong.
    case assertion
    /// The client is unknown, has a wrong secret, or is of the wrong kind. The tokens are not affected.
    case client
    /// The client's secret has expired.
    case secretExpired
    /// The client was disabled or deleted.
    case clientDisabled
    /// The account was disabled.
    case accountDisabled
    /// A conditional access policy of the organization blocks it, whatever the token.
    case conditionalAccess
    /// A scope does not exist or is not allowed for this client.
    case scope
    /// The service does not support the request.
    case setup
    /// An unknown code.
    case other
  }

  package let reason: Reason
  /// The service's own code, such as `invalid_grant`; empty if there is none.
  package let code: String
  package let suberror: String?
  /// Microsoft's error numbers, for reference.
  package let numbers: [Int]

  init(_ reason: Reason, code: String, suberror: String? = nil, numbers: [Int] = []) {
    self.reason = reason
    self.code = code
    self.suberror = suberror
    self.numbers = numbers
  }

  /// An error in the response to a token request.
  ///
  /// Only an error in the form of RFC 6749, section 5.2 (a code in `error`, with status 400 or 401) ends a stored
  /// sign-in. Any other rejects only this request.
  init(_ code: String, in answer: ServiceAnswer, to request: TokenRequest) {
    var reason = Reason(code, suberror: answer.suberror, to: request)
    if answer.isOAuthError { reason = reason.refined(by: answer.numbers) }
    if case .refresh = request, reason.isTerminal, !answer.isOAuthError { reason = .other }
    self.init(reason, code: code, suberror: answer.suberror, numbers: answer.numbers)
  }

  /// Whether the stored refresh token has become useless. It is kept nevertheless until the next sign-in.
  package var endsGrant: Bool {
    switch reason {
    case .ended, .sessionEnded: true
    case .needsPerson, .needsConsent, .denied, .forbidden, .codeSpent, .assertion, .client, .secretExpired,
      .clientDisabled, .accountDisabled, .conditionalAccess, .scope, .setup, .other:
      false
    }
  }
}

extension Refusal.Reason {
  /// Whether, after a refresh, only the user can help.
  fileprivate var isTerminal: Bool {
    switch self {
    case .ended, .sessionEnded, .needsPerson, .needsConsent, .denied: true
    case .forbidden, .codeSpent, .assertion, .client, .secretExpired, .clientDisabled, .accountDisabled,
      .conditionalAccess, .scope, .setup, .other:
      false
    }
  }

  /// The meaning of Microsoft's number, in addition to its code, which is the same for many causes. According to Microsoft, numbers may change:
  /// one that is not known changes nothing.
  fileprivate func refined(by numbers: [Int]) -> Self {
    for number in numbers {
      switch number {
      case 7_000_222: return .secretExpired
      case 50057: return .accountDisabled
      case 53003: return .conditionalAccess
      case 65001: return .needsConsent
      default: continue
      }
    }
    return self
  }

  /// Uses only `error` and `suberror`.
  init(_ code: String, suberror: String?, to request: TokenRequest) {
    switch code {
    case "invalid_grant": self.init(invalid: suberror, request)
    case "bad_verification_code", "expired_token", "device_not_found", "invalid_code":
      // A refresh has no code that could have been used.
      if case .refresh = request { self = .other } else { self = .codeSpent }
    case "interaction_required", "login_required", "account_selection_required", "mfa_required": self = .needsPerson
    case "consent_required": self = .needsConsent
    case "access_denied", "authorization_declined":
      // The user is not involved: the scope is not delegated to the service account.
      if case .assertion = request { self = .needsConsent } else { self = .denied }
    case "admin_policy_enforced", "org_internal", "restricted_client": self = .forbidden
    case "deleted_client", "disabled_client": self = .clientDisabled
    case "invalid_client", "invalid_client_secret": self = .client
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
