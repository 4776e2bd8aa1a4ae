import KeyplanHTTP
import KeyplanJSON
import KeyplanModel
import KeyplanSecrets
import KeyplanServices

/// An answer of the server, or the lack of one, and its meaning.
struct VaultAnswer: Sendable {
  let meaning: AnswerClass
  /// 0 if there is no response.
  let status: Int
  let json: JSONAnswer?
  /// The address of a redirection.
  let redirection: String?
  /// Whether the server may have processed the request.
  let wasSent: Bool
  /// Whether the server did not answer before the deadline.
  private(set) var isTimeout = false
  /// The pause that the server requests.
  let pause: Duration?
  private let reason: String
  private let hint: String?
  /// The messages of the server: they are compared, and never shown.
  private let errors: [String]

  init(_ response: HTTPResponse, host: String) {
    let json = JSONAnswer(response.body)
    let errors = json.map { json in (json["errors"]?.elements ?? []).compactMap { json.text($0) } } ?? []
    let fault = VaultFault(response, json, errors)
    status = response.status
    self.json = json
    self.errors = errors
    meaning = fault?.meaning ?? .ok
    reason = fault?.reason(host: host, status: response.status) ?? ""
    hint = fault?.hint
    redirection = fault == .redirection ? response.header("Location") : nil
    pause = response.pauseInHeader
    wasSent = true
  }

  init(_ error: HTTPError) {
    status = 0
    json = nil
    errors = []
    meaning = error.isUnreachable ? .unreachable : .unreadable
    reason = "\(error)."
    hint = error.code == .tls(.untrusted) ? VaultMessages.untrustedHint : error.hint
    redirection = nil
    pause = nil
    wasSent = error.mayHaveArrived
    isTimeout = error.isTimeout
  }

  /// Whether a message of the server contains this.
  func mentions(_ part: String) -> Bool { errors.contains { $0.contains(part) } }

  /// Whether this is a message of the server. A message can contain what was sent.
  func states(_ message: String) -> Bool { errors.contains(message) }

  /// A text below the root.
  func text(_ names: String...) -> String? { json.flatMap { json in json[names].flatMap { json.text($0) } } }

  /// Whether an answer other than success shows that nothing happened: a gateway's answer with 5xx or a redirection says
  /// nothing about the request.
  var isRefusal: Bool { meaning == .sealed || ((400..<500).contains(status) && status != 408) }

  /// Whether the server definitely did nothing, and may do it a moment later.
  var isRepeatable: Bool { meaning == .throttled || status == 412 }

  /// As a failure.
  /// - Parameter rights: the hint if the token lacks a permission.
  func failure(rights: String? = nil) -> RemoteFailure {
    let pause = meaning == .throttled ? pause.map { Interval(seconds: $0.components.seconds) } : nil
    return RemoteFailure(meaning, reason, hint: meaning == .denied ? rights : hint, retryAfter: pause)
  }
}

/// The meaning of an answer other than success. The status alone does not say it: five different faults are a 404.
enum VaultFault: Hashable {
  case missing, forbidden, conflict, tooComplex, refused, throttled, sealed, locked, behind, failing, redirection
  case noMount, noNamespace, otherVersion, notVault

  init?(_ response: HTTPResponse, _ json: JSONAnswer?, _ errors: [String]) {
    func mentions(_ part: String) -> Bool { errors.contains { $0.contains(part) } }
    switch response.status {
    case 200..<300:
      if json != nil || response.body.count == 0 { return nil }
      self = .notVault
    case 300..<400: self = .redirection
    case 400 where mentions("check-and-set parameter"): self = .conflict
    case 400 where mentions("high complexity"): self = .tooComplex
    case 401, 403: self = .forbidden
    case 404 where mentions("no handler for route"): self = .noMount
    case 404 where mentions("namespace not found"): self = .noNamespace
    case 404: self = VaultFault(notFound: response, json)
    case 412: self = .behind
    case 429: self = .throttled
    case 503 where mentions("sealed"): self = .sealed
    case 503 where mentions("locked by an administrator"): self = .locked
    case 400..<500: self = json == nil ? .notVault : .refused
    default: self = .failing
    }
  }

  /// A page of a proxy is a 404, too.
  private init(notFound response: HTTPResponse, _ json: JSONAnswer?) {
    guard let json else {
      self = response.body.count == 0 ? .missing : .notVault
      return
    }
    let warnings = (json["warnings"]?.elements ?? []).compactMap { json.text($0) }
    if warnings.contains(where: { $0.contains("Invalid path for a versioned") }) {
      self = .otherVersion
    } else if json["data", "metadata"] != nil || json["data", "version"] != nil {
      // Deleted or destroyed.
      self = .missing
    } else {
      self = json["errors"]?.elements?.isEmpty == true ? .missing : .notVault
    }
  }

  var meaning: AnswerClass {
    switch self {
    case .missing: .missing
    case .forbidden: .denied
    case .conflict: .stale
    case .tooComplex, .refused: .refused
    case .throttled: .throttled
    case .sealed, .locked: .sealed
    case .behind, .failing: .unreachable
    case .redirection, .noMount, .noNamespace, .otherVersion, .notVault: .unreadable
    }
  }

  func reason(host: String, status: Int) -> String {
    switch self {
    case .forbidden: VaultMessages.denied(host)
    case .sealed: VaultMessages.sealed(host)
    case .locked: VaultMessages.locked(host)
    case .behind: VaultMessages.behind(host)
    case .tooComplex: VaultMessages.tooComplex(host)
    case .redirection: VaultMessages.redirected(host)
    case .noMount: VaultMessages.noMount(host)
    case .noNamespace: VaultMessages.noNamespace(host)
    case .otherVersion: VaultMessages.otherVersion(host)
    case .missing, .conflict, .refused, .throttled, .failing, .notVault:
      RemoteMessages.reason(meaning, host: host, status: status)
    }
  }

  var hint: String? {
    switch self {
    case .sealed: VaultMessages.sealedHint
    case .locked: VaultMessages.lockedHint
    case .redirection: VaultMessages.redirectedHint
    case .noMount: VaultMessages.noMountHint
    case .otherVersion: VaultMessages.otherVersionHint
    default: nil
    }
  }
}
