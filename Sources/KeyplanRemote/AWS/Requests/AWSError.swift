import KeyplanHTTP
import KeyplanJSON
import KeyplanSecrets
import KeyplanServices

/// The reason that a request has no result.
struct AWSError: Error {
  let failure: RemoteFailure
  /// The code of the service, without its namespace: `ResourceNotFoundException`. Empty if it sent none.
  var code = ""
  /// Of the response; 0 if there is none.
  var status = 0
  /// Whether the secret is scheduled for deletion.
  var isDeleted = false
  /// Whether a write may have been carried out.
  var mayHaveArrived = false
  /// Whether the service did not answer before the deadline.
  var isTimeout = false

  var answer: AnswerClass { failure.answer }
}

/// The code and the message of an error response. The message is only compared, never shown.
struct AWSErrorBody {
  let code: String
  let message: String

  /// JSON with `__type`, XML with `<Code>` as the query protocol has it and some proxies of AWS, or only the header.
  init(_ response: HTTPResponse) {
    var code: String?
    var message: String?
    if let json = JSONAnswer(response.body) {
      let error = json.member("Error")
      code = json.text("__type") ?? json.text("code") ?? error.flatMap { json.text("Code", of: $0) }
      message =
        json.text("message") ?? json.text("Message") ?? error.flatMap { json.text("Message", of: $0) }
    } else {
      code = XMLElement.text("Code", in: response.body)
      message = XMLElement.text("Message", in: response.body)
    }
    self.code = Self.plain(code ?? response.header("x-amzn-errortype") ?? "")
    self.message = message ?? ""
  }

  init(code: String, message: String) {
    self.code = Self.plain(code)
    self.message = message
  }

  /// `com.amazonaws.ssm#ParameterNotFound:http://…` is `ParameterNotFound`.
  private static func plain(_ code: String) -> String {
    String(code.prefix { $0 != ":" }.split(separator: "#").last ?? "")
  }

  /// Whether a secret is scheduled for deletion.
  var isDeleted: Bool {
    code == "InvalidRequestException"
      && (message.contains("marked for deletion") || message.contains("scheduled for deletion")
        || message.contains("marked deleted"))
  }

  /// Whether a right to use a key of KMS is lacking, or the key itself is unusable.
  var isAboutKMS: Bool {
    Self.ofKMS.contains(code) || code.hasPrefix("KMS") || (Self.denied.contains(code) && message.contains("KMS"))
      || (Self.denied.contains(code) && message.contains("kms:"))
  }

  /// - Parameter status: of the response; it decides only where there is no known code.
  func meaning(status: Int) -> AnswerClass {
    if isDeleted { return .missing }
    switch code {
    case "ResourceNotFoundException", "ParameterNotFound", "ParameterVersionNotFound": return .missing
    case "ResourceExistsException", "ParameterAlreadyExists": return .exists
    case _ where Self.denied.contains(code) || Self.ofKMS.contains(code) || code.hasPrefix("KMS"): return .denied
    case _ where Self.unauthenticated.contains(code): return .unauthenticated
    case _ where Self.throttled.contains(code): return .throttled
    case _ where Self.passing.contains(code): return .unreachable
    case _ where status >= 500: return .unreachable
    case "" where status == 429: return .throttled
    case "": return .unreadable
    default: return .refused
    }
  }

  /// Whether a temporary credential has expired.
  var isExpired: Bool { code == "ExpiredTokenException" || code == "ExpiredToken" }

  /// Whether the signature's time may be the cause.
  var isAboutTime: Bool {
    ["RequestTimeTooSkewed", "RequestExpired"].contains(code)
      || message.contains("Signature expired") || message.contains("Signature not yet current")
  }

  private static let denied: Set<String> = [
    "AccessDeniedException", "AccessDenied", "UnauthorizedOperation", "NotAuthorized", "OptInRequired",
  ]
  private static let ofKMS: Set<String> = ["DecryptionFailure", "EncryptionFailure", "InvalidKeyId"]
  private static let unauthenticated: Set<String> = [
    "UnrecognizedClientException", "InvalidClientTokenId", "InvalidSignatureException", "SignatureDoesNotMatch",
    "IncompleteSignature", "IncompleteSignatureException", "MissingAuthenticationToken",
    "MissingAuthenticationTokenException", "InvalidAccessKeyId", "AuthFailure", "ExpiredTokenException", "ExpiredToken",
    "RequestExpired", "RequestTimeTooSkewed", "InvalidToken", "InvalidIdentityToken", "InvalidIdentityTokenException",
    "IDPRejectedClaim", "IDPRejectedClaimException",
  ]
  private static let throttled: Set<String> = [
    "ThrottlingException", "Throttling", "ThrottledException", "RequestThrottled", "RequestThrottledException",
    "TooManyRequestsException", "RequestLimitExceeded", "BandwidthLimitExceeded", "SlowDown", "TooManyUpdates",
    "PriorRequestNotComplete",
  ]
  /// Failures that pass, although their status is 400.
  private static let passing: Set<String> = [
    "RequestTimeout", "RequestTimeoutException", "RequestAbortedException", "IDPCommunicationError",
    "IDPCommunicationErrorException",
  ]
}
