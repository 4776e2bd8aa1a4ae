import KeyplanHTTP

/// Google's words for what is wrong, in the shape that its interfaces share.
struct GoogleFault: Decodable {
  /// From the most specific one on.
  let reasons: [String]

  private enum Top: CodingKey { case error }
  private enum Key: CodingKey { case errors, details, status }
  private struct Part: Decodable { let reason: String }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Top.self).nestedContainer(keyedBy: Key.self, forKey: .error)
    let errors = fields.tolerant(.errors, [Tolerant<Part>].self) ?? []
    let details = fields.tolerant(.details, [Tolerant<Part>].self) ?? []
    let said = (details + errors).compactMap { $0.value?.reason } + [fields.text(.status)].compactMap(\.self)
    reasons = said.map(shownCode).filter { !$0.isEmpty }
  }

  /// What an answer means that is not what was asked for.
  static func error(of response: HTTPResponse) -> CalendarError {
    guard let fault = response.json(GoogleFault.self) else { return CalendarError(unspoken: response) }
    let known = fault.reasons.first { codes[$0] != nil }
    let code = known.flatMap { codes[$0] } ?? CalendarError.Code(status: response.status)
    return CalendarError(
      code, status: response.status, said: known ?? fault.reasons.first ?? "", pause: response.pauseInHeader)
  }

  /// Google tells by 403 that too much was asked in a short time, without saying how long a time that is.
  static func pause(of response: HTTPResponse) -> Duration? {
    guard response.status == 403, let fault = response.json(GoogleFault.self),
      !passing.isDisjoint(with: fault.reasons)
    else { return nil }
    return response.pauseInHeader ?? .seconds(1)
  }

  /// Quotas of a day or a project are not among them: those are not over in a second.
  private static let passing: Set = ["rateLimitExceeded", "userRateLimitExceeded", "RATE_LIMIT_EXCEEDED"]

  private static let codes: [String: CalendarError.Code] = [
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
