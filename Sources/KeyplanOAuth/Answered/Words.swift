extension Refusal: CustomStringConvertible {
  /// What happened, in one sentence without a full stop.
  package var description: String {
    let said =
      code.isEmpty
      ? "" : " (\(([code] + [suberror].compactMap(\.self) + numbers.map { "AADSTS\($0)" }).joined(separator: ", ")))"
    return words + said
  }

  private var words: String {
    switch reason {
    case .ended: "the sign-in is not valid any more"
    case .sessionEnded: "the organization wants a new sign-in after some time"
    case .needsPerson: "the service wants the person to sign in again"
    case .needsConsent: "access has not been agreed to"
    case .denied: "the person has declined"
    case .forbidden: "the organization does not allow it"
    case .codeSpent: "the sign-in took too long or was used before"
    case .assertion: "the service account's signature is not accepted"
    case .client: "the client id or its secret is not accepted"
    case .scope: "a scope does not exist or is not allowed to this client"
    case .setup: "the service does not take requests like this one"
    case .other: "the service refuses"
    }
  }

  /// What to do about it.
  package var hint: String {
    switch reason {
    case .ended, .sessionEnded, .needsPerson, .denied: "sign in again"
    case .needsConsent: "sign in again and agree to all that is asked; an organization's administrator may have to"
    case .forbidden: "ask whoever administers the account to allow this app"
    case .codeSpent: "begin the sign-in anew"
    case .assertion: "check the account's name, its key, and this machine's clock"
    case .client: "check the client's id, secret and kind in the service's console; nothing stored is lost"
    case .scope: "check the scopes, and that this way of signing in allows them"
    case .setup, .other: "check the client's settings in the service's console"
    }
  }
}

extension Unavailable: CustomStringConvertible {
  /// What happened, in one sentence without a full stop.
  package var description: String {
    switch reason {
    case .unreachable(let error): "\(error)"
    case .busy(let status): "the service cannot answer now (HTTP \(status))"
    case .notAnAnswer(let status) where status == 400 || status == 401:
      "the answer has no error code (HTTP \(status)): it may come from a proxy, or the service refuses without a reason"
    case .notAnAnswer(let status):
      "the answer is not the service's (HTTP \(status)): a proxy or a login page may be in the way"
    }
  }
}
