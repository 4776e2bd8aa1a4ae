package import KeyplanJSON

/// The codes of errors, of a whole request or of one record in it.
package enum CloudKitCode: String, Sendable, CaseIterable {
  case accessDenied = "ACCESS_DENIED"
  case atomicError = "ATOMIC_ERROR"
  case authenticationFailed = "AUTHENTICATION_FAILED"
  case authenticationRequired = "AUTHENTICATION_REQUIRED"
  case badRequest = "BAD_REQUEST"
  case conflict = "CONFLICT"
  case exists = "EXISTS"
  case internalError = "INTERNAL_ERROR"
  case notFound = "NOT_FOUND"
  case quotaExceeded = "QUOTA_EXCEEDED"
  case throttled = "THROTTLED"
  case tryAgainLater = "TRY_AGAIN_LATER"
  case validatingReferenceError = "VALIDATING_REFERENCE_ERROR"
  case zoneBusy = "ZONE_BUSY"
  case zoneNotFound = "ZONE_NOT_FOUND"
}

/// An error of a request, or of one record in a response with status 200.
package struct CloudKitFault: Sendable {
  /// Nil for a code that is not documented.
  package let code: CloudKitCode?
  /// The pause that the service demands. Without it, repeating the request does not help.
  package let pause: Duration?

  /// Nil for a record that has no error.
  package init?(_ node: JSONNode, in json: JSONAnswer) {
    guard let code = json.member("serverErrorCode", in: node).flatMap({ json.text($0) }) else { return nil }
    self.code = CloudKitCode(rawValue: code)
    pause = json.member("retryAfter", in: node).flatMap { json.number($0) }.flatMap { Double($0) }
      .flatMap { $0 >= 0 ? .seconds(min($0, 86_400)) : nil }
  }
}
