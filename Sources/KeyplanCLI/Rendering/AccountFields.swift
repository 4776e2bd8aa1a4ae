import KeyplanCore

/// A calendar account's record as JSON; no token is in it.
struct AccountFields: Encodable {
  let revision: Int64
  let facts: AccountFacts
  let calendar: AccountCalendar?
  let signIn: SignInFields?

  struct SignInFields: Encodable {
    let signedInAt: Moment
    let refreshedAt: Moment?
    let hasAccessToken: Bool
    let accessUntil: Moment?
    let refreshAt: Moment?
    let isRefreshable: Bool
    let isTesting: Bool
    let missing: [String]
    let endsAt: Moment?
    let epoch: Int64
    let refreshBegan: Moment?
    let unanswered: Moment?
    let ended: End?

    struct End: Encodable {
      let reason: AccountEnd.Reason
      let code: String
      let at: Moment
    }

    init(_ record: SignInRecord) {
      (signedInAt, refreshedAt) = (record.signedInAt, record.refreshedAt)
      switch record.access {
      case .absent: (hasAccessToken, accessUntil) = (false, nil)
      case .until(let end): (hasAccessToken, accessUntil) = (true, end)
      case .unlimited: (hasAccessToken, accessUntil) = (true, nil)
      }
      refreshAt = record.refreshAt
      (isRefreshable, isTesting) = (record.isRefreshable, record.isTesting)
      (missing, endsAt, epoch) = (record.missing, record.endsAt, record.epoch)
      (refreshBegan, unanswered) = (record.refreshBegan, record.unanswered)
      ended = record.ended.map { End(reason: $0.reason, code: $0.code, at: $0.at) }
    }
  }

  init(_ record: AccountRecord) {
    (revision, facts, calendar) = (record.revision, record.facts, record.calendar)
    signIn = record.signIn.map(SignInFields.init)
  }
}
