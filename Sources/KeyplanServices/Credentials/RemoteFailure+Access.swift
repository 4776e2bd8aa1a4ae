package import KeyplanModel

extension RemoteFailure {
  /// The failure of a local source that has a part of a credential.
  package init(_ failure: AccessFailure) {
    let answer: AnswerClass =
      switch failure.kind {
      case .denied: .denied
      case .unauthenticated: .unauthenticated
      case .throttled: .throttled
      case .sealed: .sealed
      case .unreachable: .unreachable
      case .unreadable: .unreadable
      }
    self.init(answer, failure.reason, hint: failure.hint, retryAfter: failure.retryAfter)
  }

  /// The same with words before its reason.
  package func at(_ place: String) -> RemoteFailure {
    RemoteFailure(answer, "\(place): \(reason)", hint: hint, retryAfter: retryAfter)
  }
}
