/// A plan that was applied to its end.
package struct AppliedPlan: Hashable, Sendable, Codable {
  /// `kp1-…`.
  package let id: String
  /// The time at which its last step was recorded.
  package let at: Moment

  package init(id: String, at: Moment) {
    self.id = id
    self.at = at
  }

  /// The number of plans that a store remembers.
  package static let limit = 100
}

extension [AppliedPlan] {
  /// Adds the latest one; a plan that was applied before counts once.
  package mutating func note(_ plan: AppliedPlan) {
    removeAll { $0.id == plan.id }
    append(plan)
    if count > AppliedPlan.limit { removeFirst(count - AppliedPlan.limit) }
  }
}
