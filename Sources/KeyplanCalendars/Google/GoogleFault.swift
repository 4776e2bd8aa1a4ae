import KeyplanHTTP

/// The error object that Google's APIs share.
struct GoogleFault: Decodable {
  /// The reasons, the most specific one first.
  let reasons: [String]

  private enum Top: CodingKey { case error }
  private enum Key: CodingKey { case errors, details, status }
  private struct Part: Decodable { let reason: String }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Top.self).nestedContainer(keyedBy: Key.self, forKey: .error)
    let errors = fields.tolerant(.errors, [Tolerant<Part>].self) ?? []
    let details = fields.tolerant(.details, [Tolerant<Part>].self) ?? []
    let codes = (details + errors).compactMap { $0.value?.reason } + [fields.text(.status)].compactMap(\.self)
    reasons = codes.map(shownCode).filter { !$0.isEmpty }
  }

  /// The error for an unexpected response.
  static func error(of response: HTTPResponse) -> CalendarError {
    guard let fault = response.json(GoogleFault.self) else { return CalendarError(withoutCode: response) }
    let known = fault.reasons.first { meanings[$0] != nil }
    let code = known.flatMap { meanings[$0] } ?? CalendarError.Code(status: response.status)
    return CalendarError(
      code, status: response.status, detail: known ?? fault.reasons.first ?? "", pause: response.pauseInHeader)
  }

  /// Google uses 403 for short-term rate limits, without a `Retry-After`.
  static func pause(of response: HTTPResponse) -> Duration? {
    guard response.status == 403, let fault = response.json(GoogleFault.self),
      !passing.isDisjoint(with: fault.reasons)
    else { return nil }
    return response.pauseInHeader ?? .seconds(1)
  }

  /// Without daily and project quotas, which do not end after a second.
  private static let passing: Set = ["rateLimitExceeded", "userRateLimitExceeded", "RATE_LIMIT_EXCEEDED"]

  private static let meanings: [String: CalendarError.Code] = [
    "rateLimitExceeded": .busy, "userRateLimitExceeded": .busy, "RATE_LIMIT_EXCEEDED": .busy, "quotaExceeded": .busy,
    "dailyLimitExceeded": .busy, "backendError": .busy, "internalError": .busy,
    "authError": .tokenRefused, "required": .tokenRefused, "expired": .tokenRefused,
    "ACCESS_TOKEN_EXPIRED": .tokenRefused, "ACCESS_TOKEN_TYPE_UNSUPPORTED": .tokenRefused,
    "insufficientPermissions": .scopeMissing, "insufficientScopes": .scopeMissing,
    "ACCESS_TOKEN_SCOPE_INSUFFICIENT": .scopeMissing,
    "accessNotConfigured": .interfaceOff, "SERVICE_DISABLED": .interfaceOff,
    "notFound": .notFound, "deleted": .notFound,
    "fullSyncRequired": .resyncNeeded, "updatedMinTooLongAgo": .resyncNeeded,
  ]
}
