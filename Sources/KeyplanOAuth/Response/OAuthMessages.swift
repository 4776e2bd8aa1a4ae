extension Refusal: CustomStringConvertible {
  /// The refusal in one sentence without a full stop.
  package var description: String {
    let codes =
      code.isEmpty
      ? "" : " (\(([code] + [suberror].compactMap(\.self) + numbers.map { "AADSTS\($0)" }).joined(separator: ", ")))"
    return reasonText + codes
  }

  private var reasonText: String {
    switch reason {
    case .ended: "The sign-in is no longer valid"
    case .sessionEnded: "The organization requires a new sign-in after some time"
    case .needsPerson: "The service requires a new sign-in"
    case .needsConsent: "Consent was not given, or was withdrawn"
    case .denied: "The user declined"
    case .forbidden: "The organization does not allow it"
    case .codeSpent: "The sign-in code has expired or was used before"
    case .assertion: "The service account's signature was rejected"
    case .client: "The client id or its secret was rejected"
    case .secretExpired: "The client's secret has expired"
    case .clientDisabled: "The client was disabled or deleted"
    case .accountDisabled: "The account is disabled"
    case .conditionalAccess: "A conditional access policy of the organization blocks the sign-in"
    case .scope: "A scope does not exist or is not allowed for this client"
    case .setup: "The service does not support this request"
    case .other: "The service refused the request"
    }
  }
}

extension Unavailable: CustomStringConvertible {
  /// The reason in one sentence without a full stop.
  package var description: String {
    switch reason {
    case .unreachable(let error): "\(error)"
    case .busy(let status): "The service is temporarily unavailable (HTTP \(status))"
    case .notAnAnswer(let status) where status == 400 || status == 401:
      "The response has no error code (HTTP \(status)): it may come from a proxy, or the service refused without a reason"
    case .notAnAnswer(let status):
      "The response did not come from the service (HTTP \(status)): a proxy or a login page may have intercepted it"
    }
  }
}
