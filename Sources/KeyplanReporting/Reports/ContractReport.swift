/// The result of checking a target's service with test names.
package struct ContractReport {
  /// The target's address and its place, for people.
  package let target: String
  package let place: String
  package let checks: [ContractCheck]
  /// The names that are still there, because removing them failed.
  package let leftovers: [String]

  package init(target: String, place: String, checks: [ContractCheck], leftovers: [String]) {
    (self.target, self.place, self.checks, self.leftovers) = (target, place, checks, leftovers)
  }

  package var isPassed: Bool { leftovers.isEmpty && checks.allSatisfy { $0.result != .failed } }
}

/// One rule that every target keeps.
package struct ContractCheck {
  package enum Result: String, Encodable {
    case passed, failed
    /// The service cannot show it.
    case skipped
  }

  package let rule: String
  package let result: Result
  /// The deviation, or the reason that it was skipped; nil if passed.
  package let detail: String?

  package init(_ rule: String, _ result: Result, _ detail: String? = nil) {
    (self.rule, self.result, self.detail) = (rule, result, detail)
  }
}
