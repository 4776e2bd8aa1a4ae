import KeyplanHTTP

/// Graph's error object.
struct GraphFault: Decodable {
  /// The error codes, the most specific (innermost) one first.
  let codes: [String]
  /// The requested pause in the body, in seconds.
  let pause: Double?

  private enum Top: CodingKey { case error }

  private struct Layer: Decodable {
    let codes: [String]
    let pause: Double?

    private enum Key: String, CodingKey {
      case code, innerError, innererror, retryAfterSeconds, retryAfter
    }

    init(from decoder: any Decoder) throws {
      let fields = try decoder.container(keyedBy: Key.self)
      // Both spellings occur. The decoder limits the depth.
      let inner = fields.tolerant(.innerError, Layer.self) ?? fields.tolerant(.innererror, Layer.self)
      codes = (inner?.codes ?? []) + [fields.text(.code)].compactMap { $0.map(shownCode) }.filter { !$0.isEmpty }
      pause =
        inner?.pause
        ?? [Key.retryAfterSeconds, .retryAfter].lazy.compactMap { key in
          fields.tolerant(key, Double.self) ?? fields.text(key).flatMap { Double($0) }
        }.first
    }
  }

  init(from decoder: any Decoder) throws {
    let layer = try decoder.container(keyedBy: Top.self).decode(Layer.self, forKey: .error)
    codes = layer.codes
    pause = layer.pause
  }

  /// The error for an unexpected response.
  static func error(of response: HTTPResponse) -> CalendarError {
    // A claims challenge comes with 401 or 403: the token is valid, but the user must authenticate further.
    let isChallenge = response.header("WWW-Authenticate")?.lowercased().contains("insufficient_claims") ?? false
    guard let fault = response.json(GraphFault.self) else {
      // A moved delta feed responds without an error object: with 410 and the address at which to start again.
      let isMoved = response.status == 410 && response.header("Location") != nil
      return isMoved ? CalendarError(.resyncNeeded, status: 410) : CalendarError(withoutCode: response)
    }
    let known = fault.codes.first { meanings[$0.lowercased()] != nil }
    let meaning = known.flatMap { meanings[$0.lowercased()] } ?? CalendarError.Code(status: response.status)
    return CalendarError(
      isChallenge ? .personNeeded : meaning, status: response.status, detail: known ?? fault.codes.first ?? "",
      pause: pause(of: response) ?? response.pauseInHeader)
  }

  /// The pause that a throttling response requests in its body.
  static func pause(of response: HTTPResponse) -> Duration? {
    guard [429, 503].contains(response.status), response.header("Retry-After") == nil,
      let seconds = response.json(GraphFault.self)?.pause, seconds >= 0
    else { return nil }
    return .seconds(min(seconds, 86_400))
  }

  /// In lower case, since Microsoft uses several spellings.
  private static let meanings: [String: CalendarError.Code] = [
    "invalidauthenticationtoken": .tokenRefused, "unauthenticated": .tokenRefused, "tokenexpired": .tokenRefused,
    "insufficient_claims": .personNeeded, "insufficientclaims": .personNeeded,
    "erroraccessdenied": .scopeMissing, "accessdenied": .scopeMissing, "authorization_requestdenied": .scopeMissing,
    "errorinsufficientpermissionsinaccesstoken": .scopeMissing,
    "erroritemnotfound": .notFound, "itemnotfound": .notFound, "errorfoldernotfound": .notFound,
    "errorinvalididmalformed": .notFound,
    "syncstatenotfound": .resyncNeeded, "resyncrequired": .resyncNeeded, "syncstateinvalid": .resyncNeeded,
    "toomanyrequests": .busy, "applicationthrottled": .busy, "mailboxconcurrency": .busy,
    "activitylimitreached": .busy, "servicenotavailable": .busy, "serviceunavailable": .busy,
    "generalexception": .busy,
    "mailboxnotenabledforrestapi": .refused, "mailboxnotsupportedforrestapi": .refused,
  ]
}
