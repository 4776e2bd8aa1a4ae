package import KeyplanModel

/// The result for one account.
package struct RefreshRow {
  package let id: Identifier<Account>
  /// Whether a new token was granted.
  package let isRefreshed: Bool
  /// The reason that there is none.
  package let failure: Failure?
  /// The start of its service's outage, and the time from which it counts, if that is in the future.
  package var outage: (since: Moment, counts: Moment)?

  package init(_ id: Identifier<Account>, isRefreshed: Bool, _ failure: Failure?) {
    self.id = id
    self.isRefreshed = isRefreshed
    self.failure = failure
  }
}
