import KeyplanCloudKit
import KeyplanServices

extension CloudKitCode {
  /// The meaning for a whole request. *Not found* is then the container or the record type.
  var meaning: AnswerClass {
    switch self {
    case .accessDenied: .denied
    case .authenticationFailed, .authenticationRequired: .unauthenticated
    case .conflict, .exists: .stale
    case .throttled, .zoneBusy, .tryAgainLater: .throttled
    case .internalError: .unreachable
    case .quotaExceeded, .validatingReferenceError, .atomicError: .refused
    case .badRequest, .notFound, .zoneNotFound: .unreadable
    }
  }
}

extension CloudKitFault {
  var meaning: AnswerClass { code?.meaning ?? .unreadable }
}
