package import KeyplanModel

/// What became of one account.
package struct RefreshRow {
  package let id: Identifier<Account>
  /// Whether a new token was given.
  package let isRefreshed: Bool
  /// Why there is none.
  package let failure: Failure?
  /// Since when its service has not been reached and from when on that counts, where that is still to come.
  package var outage: (since: Moment, counts: Moment)?

  package init(_ id: Identifier<Account>, isRefreshed: Bool, _ failure: Failure?) {
    self.id = id
    self.isRefreshed = isRefreshed
    self.failure = failure
  }
}
