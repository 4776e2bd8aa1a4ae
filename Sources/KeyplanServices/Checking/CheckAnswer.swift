package import KeyplanHTTP
import KeyplanJSON
package import KeyplanModel
package import KeyplanSecrets

/// The result of a provider's check of a key.
package struct CheckAnswer: Error, Sendable {
  package let outcome: CheckOutcome
  package private(set) var facts = CheckFacts()
  /// A sentence without a value and without the provider's text.
  package let reason: String
  /// Whether there was no verdict, but a later check may get one.
  package private(set) var isUnreachable = false

  package init(_ outcome: CheckOutcome, reason: String, isUnreachable: Bool = false) {
    self.outcome = outcome
    self.reason = reason
    self.isUnreachable = isUnreachable
  }

  /// Only an answer that the provider itself gave is a verdict: a page of a proxy or a portal has any status.
  package init(
    _ response: HTTPResponse, to check: SecretAPI.Check, with key: SecretBox, _ bindings: Bindings, host: String
  ) {
    let json = JSONAnswer(response.body)
    let rule = check.request.outcomes.first { $0.applies(to: response, json) }
    var outcome = rule.flatMap { CheckOutcome(rawValue: $0.then.rawValue) } ?? .unknown
    if rule == nil, response.status == 429 { outcome = .throttled }
    var reason = rule?.say
    if outcome.isVerdict, json == nil, rule?.text == nil {
      outcome = .unknown
      reason = RemoteMessages.notJSON(host)
    }
    self.outcome = outcome
    self.reason = reason ?? RemoteMessages.checked(outcome, host: host, status: response.status)
    isUnreachable = outcome == .throttled || (outcome == .unknown && response.status >= 500)
    if outcome.isVerdict, let json {
      facts = CheckFacts(check.facts, in: json, of: response, concealing: key, bindings)
    }
  }

  /// The answer about a key that may be too new.
  package func pending(for activation: Interval) -> CheckAnswer {
    CheckAnswer(.pending, reason: "\(reason) \(RemoteMessages.newKeys(activation))")
  }
}
