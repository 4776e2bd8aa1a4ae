internal import KeyplanModel

extension Document {
  /// The JSON of `verify`; `schemas/verify.schema.json`.
  package static func verified(_ report: VerifyReport) throws -> String { try text(VerifyDocument(report)) }
}

private struct VerifyDocument: Encodable {
  let formatVersion = 1
  let environment: String?
  let keys: [KeyFields]
  /// The providers whose check is a preview, among those that were asked.
  let previews: [String]
  let summary: Summary

  struct KeyFields: Encodable {
    let key: String
    let provider: String
    var outcome: CheckOutcome?
    let reason: String
    var notChecked: NotChecked?
    let isRecorded: Bool
    var checkedAt: String?
    var expires: String?
    var account: String?
    var scopes: [String]?
    var remaining: String?

    init(_ row: VerifyReport.Row) {
      (key, provider, isRecorded) = (Address.key(row.key).description, row.provider, row.isRecorded)
      switch row.result {
      case .asked(let answer):
        (outcome, reason, checkedAt) = (answer.outcome, answer.reason, answer.at.description)
        (expires, account) = (answer.facts.expires?.description, answer.facts.account)
        (scopes, remaining) = (answer.facts.scopes.isEmpty ? nil : answer.facts.scopes, answer.facts.remaining)
      case .notAsked(let obstacle):
        reason = obstacle.message(provider: row.provider).detail
        notChecked = NotChecked(obstacle)
      }
    }
  }

  enum NotChecked: String, Encodable {
    case noCheck, noAddress, undeclared, notApplied, composed, closed

    init(_ obstacle: VerifyReport.Obstacle) {
      switch obstacle {
      case .noCheck: self = .noCheck
      case .noAddress: self = .noAddress
      case .notPermitted(.undeclared): self = .undeclared
      case .notPermitted(.otherProvider), .notPermitted(.pending): self = .notApplied
      case .composed: self = .composed
      case .closed: self = .closed
      }
    }
  }

  struct Summary: Encodable {
    /// Valid, restricted, or too new to be known.
    let usable: Int
    let unusable: Int
    let unknown: Int
    let notChecked: Int
  }

  init(_ report: VerifyReport) {
    environment = report.environment
    keys = report.rows.map { KeyFields($0) }
    previews = report.previews
    let outcomes = keys.compactMap(\.outcome)
    let unusable = outcomes.count { $0.isUnusable || $0 == .noCredit }
    let unknown = outcomes.count { !$0.isVerdict }
    summary = Summary(
      usable: outcomes.count - unusable - unknown, unusable: unusable, unknown: unknown,
      notChecked: keys.count - outcomes.count)
  }
}
