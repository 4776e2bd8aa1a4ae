package import KeyplanModel

/// A calendar account's record as JSON; no token is in it.
package struct AccountFields: Encodable {
  package let revision: Int64
  package let facts: AccountFacts
  package let calendar: AccountCalendar?
  package let signIn: SignInFields?
  package let refusal: Refusal?

  package struct Refusal: Encodable {
    package let reason: AccountRefusal.Reason
    package let code: String
    package let since: Moment
  }

  package struct SignInFields: Encodable {
    package let signedInAt: Moment
    package let refreshedAt: Moment?
    package let hasAccessToken: Bool
    package let accessUntil: Moment?
    package let refreshAt: Moment?
    package let isRefreshable: Bool
    package let isTesting: Bool
    package let missing: [String]
    package let endsAt: Moment?
    package let epoch: Int64
    package let refreshBegan: Moment?
    package let unanswered: Moment?
    package let ended: End?

    package struct End: Encodable {
      package let reason: AccountEnd.Reason
      package let code: String
      package let at: Moment
    }

    package init(_ record: SignInRecord) {
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

  package init(_ record: AccountRecord) {
    (revision, facts, calendar) = (record.revision, record.facts, record.calendar)
    signIn = record.signIn.map(SignInFields.init)
    refusal = record.refusal.map { Refusal(reason: $0.reason, code: $0.code, since: $0.since) }
  }
}
