package import KeyplanModel

/// The reason that a request has no usable answer.
package struct RemoteFailure: Error {
  package let answer: AnswerClass
  /// A sentence without a value.
  package let reason: String
  package var hint: String?
  package var retryAfter: Interval?

  package init(_ answer: AnswerClass, _ reason: String, hint: String? = nil, retryAfter: Interval? = nil) {
    self.answer = answer
    self.reason = reason
    self.hint = hint
    self.retryAfter = retryAfter
  }

  /// As the failure of a place that was asked: only a definite answer means *missing*.
  package var asAccess: AccessFailure { AccessFailure(kind, reason, hint: hint, retryAfter: retryAfter) }

  private var kind: AccessFailure.Kind {
    switch answer {
    case .denied: .denied
    case .unauthenticated: .unauthenticated
    case .throttled: .throttled
    case .sealed: .sealed
    case .unreachable: .unreachable
    default: .unreadable
    }
  }
}
