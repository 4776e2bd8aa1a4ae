import KeyplanHTTP
import KeyplanModel
import KeyplanSecrets
import Synchronization

@testable import KeyplanOAuth

extension HTTPResponse {
  init(_ status: Int, _ body: String, _ headers: [String: String] = [:]) {
    self.init(status: status, headers: headers, body: SecretBox(text: body))
  }
}

extension SecretBox {
  convenience init(text: String) { self.init(Array(text.utf8)) }
  var text: String { withBytes { String(decoding: $0, as: UTF8.self) } }
}

extension OAuthService {
  static func google() throws(HTTPError) -> OAuthService {
    try OAuthService(AccountFacts(service: .google, account: "ada@gmail.com"))
  }

  static func microsoft(tenant: String) throws(HTTPError) -> OAuthService {
    try OAuthService(AccountFacts(service: .outlook, account: "ada@contoso.com", tenant: tenant))
  }
}

extension TokenRequest {
  static let anyRefresh = TokenRequest.refresh(SecretBox(text: "R1"), scopes: [])
  static let anyCode = TokenRequest.code(
    SecretBox(text: "C"), redirect: "http://127.0.0.1:1", verifier: SecretBox(text: "V"))
  static let anyDevice = TokenRequest.device(SecretBox(text: "D"))
  static let anyAssertion = TokenRequest.assertion(SecretBox(text: "A"))
  static let anyCredentials = TokenRequest.clientCredentials(scopes: ["s"])
}

/// Outcomes in short, for tables.
extension TokenOutcome {
  var short: String {
    switch self {
    case .granted(let grant): "granted \(grant.refreshToken == nil ? "" : "with refresh")".trimmed
    case .refused(let refusal): refusal.short
    case .unavailable(let unavailable): unavailable.short
    }
  }
}

extension Refusal {
  var short: String { "\(reason) \(code)".trimmed }
}

extension Unavailable {
  var short: String {
    let kind =
      switch reason {
      case .unreachable: "unreachable"
      case .busy: "busy"
      case .notAnAnswer: "no answer"
      }
    return kind + (pause.map { " \($0.components.seconds)" } ?? "")
  }
}

extension String {
  fileprivate var trimmed: String { hasSuffix(" ") ? String(dropLast()) : self }
}

/// Gives the answers one after the other, and keeps what was sent.
final class ScriptedPort: OAuthPort {
  private let answers: Mutex<[Result<HTTPResponse, HTTPError>]>
  private let requests = Mutex<[HTTPRequest]>([])

  init(_ answers: [Result<HTTPResponse, HTTPError>]) { self.answers = Mutex(answers.reversed()) }

  convenience init(_ answer: HTTPResponse) { self.init([.success(answer)]) }

  var sent: [HTTPRequest] { requests.withLock { $0 } }
  var form: String? { sent.last?.body?.bytes.text }

  func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    requests.withLock { $0.append(request) }
    let answer = answers.withLock { $0.popLast() } ?? .success(HTTPResponse(status: 500))
    return try answer.get()
  }
}
