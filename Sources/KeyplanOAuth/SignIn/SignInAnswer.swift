import KeyplanHTTP
package import KeyplanSecrets

/// The parsed redirect address.
package enum SignInAnswer: Sendable {
  /// An authorization code, valid once and for a short time.
  case code(SecretBox)
  /// The service refused or the user declined.
  case refused(Refusal)
  /// The response belongs to another sign-in or service; it may be an attack.
  case foreign
  /// It contains no response.
  case none
}

extension SignIn {
  /// Parses the address at which the browser ended, as received by the loopback server or pasted by the user: complete
  /// or from the `?` on, possibly with white space, line breaks, quotes or angle brackets around or in it.
  package func answer(in pasted: String) -> SignInAnswer {
    let text = String(decoding: pasted.utf8.filter { $0 > 0x20 && !Self.wrapping.contains($0) }, as: UTF8.self)
    let start = text.firstIndex { $0 == "?" || $0 == "#" }
    var fields: [Substring: String] = [:]
    for part in (start.map { text[text.index(after: $0)...] } ?? text[...]).split(separator: "&") {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard pair.count == 2, let value = Self.decoded(pair[1]) else { continue }
      // Parsers disagree on duplicate fields.
      guard fields.updateValue(value, forKey: pair[0]) == nil else { return .none }
    }
    return answer(fields)
  }

  private func answer(_ fields: [Substring: String]) -> SignInAnswer {
    guard fields["code"] != nil || fields["error"] != nil else { return .none }
    guard let state = fields["state"], self.state.equals(SecretBox(Array(state.utf8))) else { return .foreign }
    if let issuer, let named = fields["iss"], named != issuer { return .foreign }
    if let error = fields["error"] {
      let code = ServiceAnswer.code(error)
      let request = TokenRequest.clientCredentials(scopes: [])
      return .refused(Refusal(Refusal.Reason(code, suberror: fields["error_subtype"], to: request), code: code))
    }
    guard let code = fields["code"], !code.isEmpty else { return .none }
    return .code(SecretBox(Array(code.utf8)))
  }

  private static let wrapping = Set("\"'<>`".utf8)

  private static func decoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "+"): bytes.append(0x20)
      case UInt8(ascii: "%"):
        guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
          return nil
        }
        bytes.append(value)
        rest = rest.dropFirst(2)
      default: bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
