import KeyplanCloudKit
import KeyplanHTTP
import KeyplanJSON
import KeyplanModel
import KeyplanServices

/// The answer to one request, or the reason that there is none.
struct CloudKitAnswer: Sendable {
  let meaning: AnswerClass
  let code: CloudKitCode?
  /// 0 if there is no response.
  let status: Int
  /// Nil unless the answer is a success.
  let json: JSONAnswer?
  /// The pause that the service demands.
  let pause: Duration?
  /// The time of the service's clock, in seconds since 1970.
  let date: Int64?
  /// The reason that there is no response.
  let error: HTTPError?

  init(_ response: HTTPResponse) {
    let json = JSONAnswer(response.body)
    let fault = json.flatMap { CloudKitFault($0.root, in: $0) }
    status = response.status
    code = fault?.code
    date = response.serverTime
    error = nil
    pause = fault?.pause ?? response.pauseInHeader
    meaning = fault?.meaning ?? Self.meaning(response.status, hasJSON: json != nil)
    self.json = meaning == .ok ? json : nil
  }

  init(_ error: HTTPError) {
    meaning = error.isUnreachable ? .unreachable : .unreadable
    code = nil
    status = 0
    json = nil
    pause = nil
    date = nil
    self.error = error
  }

  /// The meaning of a status without a code, which responses of proxies and load balancers do not have.
  private static func meaning(_ status: Int, hasJSON: Bool) -> AnswerClass {
    switch status {
    case 200: hasJSON ? .ok : .unreadable
    case 401: .unauthenticated
    case 403: .denied
    case 429: .throttled
    // 421: the connection belongs to another host (RFC 9110, section 15.5.20).
    case 408, 421, 500...599: .unreachable
    default: .unreadable
    }
  }

  var isTooLarge: Bool { error?.code == .tooLarge }

  /// Whether a request that writes may have been carried out, although nothing says so.
  var mayHaveBeenProcessed: Bool {
    guard let error else {
      switch code {
      case .internalError, .tryAgainLater: return true
      // 421 says that it was not processed.
      case nil: return status >= 500 || status == 408 || (status == 200 && meaning != .ok)
      default: return false
      }
    }
    return error.mayHaveArrived
  }
}
