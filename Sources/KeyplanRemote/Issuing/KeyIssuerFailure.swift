package import KeyplanCore

/// Why a provider did not do what was asked of a key.
package struct KeyIssuerFailure: Error, Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The provider was not reached: nothing happened.
    case unreachable
    /// The provider did not do it: a quota, a policy, or a fault in the request.
    case refused
    case denied
    case unauthenticated
    case throttled
    /// It may have happened: the list decides.
    case unknown
    /// The list cannot be read completely.
    case unreadable
    /// The provider has no request for it.
    case unsupported
  }

  package let kind: Kind
  /// A sentence without a value and without the provider's text.
  package let reason: String
  package private(set) var hint: String?
  package private(set) var retryAfter: Interval?
  /// Of a key that was made, and whose values were not received.
  package private(set) var id: String?

  init(_ kind: Kind, _ reason: String, id: String? = nil) {
    self.kind = kind
    self.reason = reason
    self.id = id
  }

  init(_ kind: Kind, _ failure: RemoteFailure) {
    self.kind = kind
    reason = failure.reason
    hint = failure.hint
    retryAfter = failure.retryAfter
  }

  /// A failure before the request itself was sent, such as in signing in.
  static func before(_ failure: RemoteFailure) -> KeyIssuerFailure {
    switch failure.answer {
    case .denied, .unauthenticated, .throttled, .refused: KeyIssuerFailure(Kind(failure.answer), failure)
    default: KeyIssuerFailure(.unreachable, failure)
    }
  }

  /// A failure of reading a list.
  static func listing(_ failure: RemoteFailure) -> KeyIssuerFailure {
    switch failure.answer {
    case .denied, .unauthenticated, .throttled: KeyIssuerFailure(Kind(failure.answer), failure)
    case .unreachable, .sealed: KeyIssuerFailure(.unreachable, failure)
    default: KeyIssuerFailure(.unreadable, failure)
    }
  }
}

extension KeyIssuerFailure.Kind {
  /// What a class means of a request that was not processed.
  init(_ answer: AnswerClass) {
    self =
      switch answer {
      case .denied: .denied
      case .unauthenticated: .unauthenticated
      case .throttled: .throttled
      default: .refused
      }
  }
}
