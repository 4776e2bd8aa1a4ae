import KeyplanHTTP
import KeyplanModel
import KeyplanSecrets

@testable import KeyplanOAuth

extension FuzzEntry {
  static let signIns = [
    FuzzEntry(name: "imported-tokens", longest: 2048, check: importTokens),
    FuzzEntry(name: "token-answer", longest: 2048, check: answer),
    FuzzEntry(name: "redirect", longest: 1024, check: redirect),
  ]

  /// Another program's tokens: JSON, dumps.
  private static func importTokens(_ input: [UInt8]) throws(Violation) {
    let tokens: ImportedTokens
    do throws(ImportedTokenError) {
      tokens = try ImportedTokens(SecretBox(input))
    } catch {
      return
    }
    let facts = AccountFacts(service: .google, account: "ada@example.com", client: "c")
    guard let id = Identifier<Account>("ada"), let token = try? tokens.token(for: id, facts) else { return }
    let isVisible = token.withBytes { $0.allSatisfy { (0x20...0x7E).contains($0) } }
    try require(token.count > 0 && isVisible, "a token that no service issues")
  }

  /// The answers of token and device endpoints.
  private static func answer(_ input: [UInt8]) throws(Violation) {
    let body = SecretBox(input)
    for status in [200, 400, 401, 503] {
      let response = HTTPResponse(status: status, body: body)
      for request in [
        TokenRequest.refresh(SecretBox([0x52]), scopes: []), .device(SecretBox([0x44])),
        .clientCredentials(scopes: ["s"]),
      ] {
        switch TokenOutcome(response, to: request) {
        case .granted(let grant):
          try require(status == 200 && grant.accessToken.count > 0, "a grant in an answer with \(status)")
          _ = grant.missing(of: ["https://www.googleapis.com/auth/calendar.events.readonly"])
        case .refused(let refusal): try isShown(refusal.code)
        case .unavailable: break
        }
      }
      switch DeviceOutcome(response) {
      case .begun(let signIn):
        try require(
          [signIn.address, signIn.userCode].allSatisfy { $0.utf8.allSatisfy { (0x20...0x7E).contains($0) } },
          "control characters")
      case .refused(let refusal): try isShown(refusal.code)
      case .unavailable: break
      }
    }
    _ = try? ServiceAccount(body)
  }

  /// A code of a service is shown: it can neither quote a request nor control a terminal.
  private static func isShown(_ code: String) throws(Violation) {
    let isCode = code.utf8.allSatisfy {
      (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || [0x5F, 0x2D, 0x2E].contains($0)
    }
    try require(isCode && code.utf8.count <= 64, "the code \(code.debugDescription)")
  }

  /// What a browser sends, and what a person pastes.
  private static func redirect(_ input: [UInt8]) throws(Violation) {
    if let request = BrowserRequest(input), request.refusal(at: 80) == nil {
      try require(request.method == "GET" && request.target.hasPrefix("/"), "a request that is none")
    }
    guard let service = try? OAuthService(AccountFacts(service: .google, account: "ada@example.com")) else {
      throw Violation("no service")
    }
    let client = OAuthClient(id: "c", at: service)
    let signIn = SignIn(client, scopes: ["s"], redirect: "http://127.0.0.1:49152")
    switch signIn.answer(in: String(decoding: input, as: UTF8.self)) {
    case .code: throw Violation("a code for a state that nobody knows")
    case .refused, .foreign, .none: break
    }
  }
}
