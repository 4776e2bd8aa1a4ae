import KeyplanCloudKit
import KeyplanHTTP
import KeyplanModel
import KeyplanServices

extension CloudKitClient {
  /// The failure that the answer to a whole request means.
  func failure(_ answer: CloudKitAnswer, writing: Bool = false) -> RemoteFailure {
    if let error = answer.error { return RemoteFailure(answer.meaning, "\(error).") }
    let pause = answer.meaning == .throttled ? answer.pause : nil
    guard let code = answer.code else {
      return RemoteFailure(
        answer.meaning,
        answer.status == 200
          ? RemoteMessages.notJSON(host) : RemoteMessages.reason(answer.meaning, host: host, status: answer.status),
        retryAfter: pause.map { Interval(seconds: $0.components.seconds) })
    }
    if code == .authenticationFailed, !context.connection.declared.contains("apiToken"), let date = answer.date,
      abs(date - now) > 600
    {
      return RemoteFailure(.unauthenticated, CloudKitMessages.clock(host), hint: CloudKitMessages.clockHint)
    }
    return failure(code, pause: pause, writing: writing)
  }

  /// The failure that an error of one record means.
  func failure(_ fault: CloudKitFault, writing: Bool = false) -> RemoteFailure {
    guard let code = fault.code else { return RemoteFailure(.unreadable, CloudKitMessages.refused(host)) }
    return failure(code, pause: fault.pause, writing: writing)
  }

  private func failure(_ code: CloudKitCode, pause: Duration?, writing: Bool) -> RemoteFailure {
    typealias Words = CloudKitMessages
    let schema: CloudKitSchema
    do throws(RemoteFailure) { schema = try CloudKitSchema(context) } catch { return error }
    let (reason, hint): (String, String?) =
      switch code {
      case .authenticationFailed where context.connection.declared.contains("apiToken"):
        (Words.rejectedToken(host), Words.rejectedTokenHint(schema))
      case .authenticationFailed: (Words.rejectedKey(host), Words.rejectedKeyHint(schema))
      case .authenticationRequired: (Words.userRequired(host), Words.userRequiredHint(schema))
      case .accessDenied:
        (Words.denied(host, schema), writing ? Words.writeHint(schema) : Words.readHint(schema))
      case .badRequest: (Words.schema(host, schema), Words.schemaHint(schema))
      case .notFound, .zoneNotFound: (Words.notFound(host, schema), Words.notFoundHint)
      case .throttled, .zoneBusy, .tryAgainLater: (Words.busy(host), nil)
      case .quotaExceeded: (Words.quota(host), Words.quotaHint)
      case .conflict, .exists: (Words.changed(host), nil)
      case .internalError: (Words.failed(host), nil)
      case .atomicError, .validatingReferenceError: (Words.refused(host), nil)
      }
    return RemoteFailure(
      code.meaning, reason, hint: hint, retryAfter: pause.map { Interval(seconds: $0.components.seconds) })
  }
}
