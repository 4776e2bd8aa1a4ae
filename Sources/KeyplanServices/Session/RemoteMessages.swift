package import KeyplanModel

/// The reasons that this module gives for failures, as sentences. None contains a value or text of a service's answer.
package enum RemoteMessages {
  package static func noFile(_ path: String) -> String { "There is no file at \(path)." }
  package static func reason(_ answer: AnswerClass, host: String, status: Int) -> String {
    let what =
      switch answer {
      case .denied: "denied access"
      case .unauthenticated: "rejected the credential"
      case .throttled: "received too many requests"
      case .sealed: "is sealed"
      case .unreachable: "failed to process the request"
      case .refused: "refused the request"
      case .exists: "already has this secret"
      case .stale: "reported a change by someone else"
      case .missing: "does not have this secret"
      default: "sent an unexpected response"
      }
    return "\(host) \(what) (HTTP \(status))."
  }

  package static func checked(_ outcome: CheckOutcome, host: String, status: Int) -> String {
    let what =
      switch outcome {
      case .valid: "accepted the key"
      case .restricted: "knows the key, and does not allow this request"
      case .noCredit: "knows the key, and its account has no credit"
      case .throttled: "received too many requests"
      case .pending: "does not accept the key yet"
      case .expired: "reports that the key has expired"
      case .blocked: "reports that the key or its account is disabled"
      case .invalid: "rejected the key"
      case .unknown: "sent a response that says nothing about the key"
      }
    return "\(host) \(what) (HTTP \(status))."
  }

  package static let otherKeys = "There is no check for keys of this form. Nothing was sent."
  package static func newKeys(_ activation: Interval) -> String { "New keys may take up to \(activation) to work." }

  package static func reason(_ fault: RequestFault) -> String {
    switch fault {
    case .noValue(let name): "The field \"\(name)\" has no value."
    case .notASegment(let name): "The value of \"\(name)\" cannot be part of an address."
    case .notAHeader(let name): "The header \"\(name)\" would contain characters that are not allowed there."
    case .notText: "The value is not UTF-8, and this service takes text only."
    case .notAPublicKey: "The service's public key is not usable."
    case .notAnAccessKey: accessKey
    case .duplicateName: "Two entries would have the same name."
    case .address: "The address of the request is not valid."
    }
  }

  package static func requiredField(_ name: String) -> String { "The field \"\(name)\" is required." }
  package static func invalidField(_ name: String, must: String) -> String { "The field \"\(name)\" must be \(must)." }
  package static func credentialMissing(_ field: String, _ reference: String, reason: String?) -> String {
    "The credential \"\(field)\" of the connection is missing at \(reference)." + (reason.map { " \($0)" } ?? "")
  }
  package static func rejected(_ host: String) -> String { "\(host) rejected the credential." }
  package static let noSignIn = "No credential is configured for this service."
  package static func noCredential(searched steps: [String]) -> String {
    "No credential was found. Searched: \(steps.joined(separator: ", "))."
  }
  package static func relativePath(_ path: String) -> String { "The path \"\(path)\" is not absolute." }
  package static func notAJSONCredential(_ field: String) -> String {
    "The credential \"\(field)\" is not a JSON object."
  }
  package static func credentialMember(_ field: String, _ name: String) -> String {
    "The credential \"\(field)\" has no text for {\(name)}."
  }
  package static let privateKey = "The private key is not an RSA key in PEM form with at least 2048 bits."
  package static let notSignable = "The claims of the assertion cannot be written."
  package static let accessKey = "The access key or the region is incomplete or has invalid characters."
  package static let tokenMissing = "The sign-in response has no token."

  package static func notJSON(_ host: String) -> String { "\(host) sent a response that is not JSON." }
  package static func wrongShape(_ host: String) -> String { "\(host) sent a response in another form than expected." }
  package static func otherService(_ host: String) -> String {
    "The response is not from the expected place at \(host)."
  }
  package static func endlessList(_ host: String) -> String { "The list from \(host) does not end." }
  package static func otherHostPage(_ host: String) -> String { "The list from \(host) continues at another address." }
  package static func lookupFailed(_ name: String) -> String {
    "The service does not list the \(name), or lists it twice."
  }

  package static let duplicateEntry = "The service has two entries with this name."
  package static let notShown = "The service does not show this value."
  package static let notText = "The entry is not text."
  package static let notAnswered = "The service did not answer about this name."
  package static let sharedEntry = "This entry also serves other places and is not changed."
  package static let cannotDelete = "This service cannot delete single entries."
  package static let cannotWrite = "This service is read-only."
  package static let invalidName = "The service does not allow this name."
  package static func valueSize(least: Int, most: Int) -> String {
    "The service takes values of \(least) to \(most) bytes."
  }
  package static let hiddenValues = "The object has values that cannot be read back, and writing would replace them."
  package static func failedAlone(_ host: String) -> String { "\(host) did not accept this name." }
  package static let noPlace = "The reference or target does not name a place of this service."
}
