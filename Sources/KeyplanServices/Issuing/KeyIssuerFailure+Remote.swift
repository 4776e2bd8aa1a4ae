import KeyplanModel
package import KeyplanPorts

extension KeyIssuerFailure {
  package init(_ kind: Kind, _ failure: RemoteFailure) {
    self.init(kind, failure.reason, hint: failure.hint, retryAfter: failure.retryAfter)
  }

  /// A failure before the request itself was sent, such as in signing in.
  package static func before(_ failure: RemoteFailure) -> KeyIssuerFailure {
    switch failure.answer {
    case .denied, .unauthenticated, .throttled, .refused: KeyIssuerFailure(Kind(failure.answer), failure)
    default: KeyIssuerFailure(.unreachable, failure)
    }
  }

  /// A failure of reading a list.
  package static func listing(_ failure: RemoteFailure) -> KeyIssuerFailure {
    switch failure.answer {
    case .denied, .unauthenticated, .throttled: KeyIssuerFailure(Kind(failure.answer), failure)
    case .unreachable, .sealed: KeyIssuerFailure(.unreachable, failure)
    default: KeyIssuerFailure(.unreadable, failure)
    }
  }
}

extension KeyIssuerFailure.Kind {
  /// The failure of a request that was not processed.
  package init(_ answer: AnswerClass) {
    self =
      switch answer {
      case .denied: .denied
      case .unauthenticated: .unauthenticated
      case .throttled: .throttled
      default: .refused
      }
  }
}
