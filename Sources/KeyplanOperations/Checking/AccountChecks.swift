internal import KeyplanModel
internal import KeyplanPlanning
import KeyplanReporting

extension WorkspaceChecks {
  /// One finding for each account that its service refuses, or whose sign-in cannot be refreshed. No service is queried.
  static func accounts(of manifest: Manifest, _ recorded: Recorded, at now: Moment) -> [Check] {
    manifest.accounts.sorted { $0.key < $1.key }.compactMap { id, account in
      check(PlannedAccount(id, account, in: recorded), at: now)
    }
  }

  private static func check(_ planned: PlannedAccount, at now: Moment) -> Check? {
    let (id, account) = (planned.id, planned.account)
    if let need = planned.need(nil, at: now) {
      guard need.reason != .never else { return nil }
      return .warning(
        .accounts, "calendar.\(id): \(AccountMessages.need(need)).", hint: AccountMessages.renewal(id, account))
    }
    if let refusal = planned.record?.refusal {
      return .error(
        .accounts, "calendar.\(id): \(AccountMessages.refused(refusal, account.facts.service)).",
        hint: refusal.reason.hint)
    }
    guard let signIn = planned.record?.signIn, let forecast = AccountForecast(account, signIn),
      forecast.cause == .noRefreshToken
    else { return nil }
    return .warning(
      .accounts, "calendar.\(id) has no refresh token: the sign-in ends at \(Style().time(forecast.end)).",
      hint: AccountMessages.refreshTokenHint(id))
  }
}
