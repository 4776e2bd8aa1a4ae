package import KeyplanApply
package import KeyplanModel
internal import KeyplanPlanning

/// The result of a plan, as JSON: the same shape whether it was applied, was empty or was blocked.
package struct ApplyDocument: Encodable {
  package let formatVersion = 1
  package let environment: String?
  package let store: StoreFields?
  package let id: String?
  package let steps: [Entry]
  package let summary: Summary
  package let diagnostics: [DiagnosticFields]

  package struct Entry: Encodable {
    package let address: Address
    package let action: String
    package let result: String
    package let reason: String?
    /// The kind of a failure outside.
    package let failure: AccessFailure.Kind?
    package let note: String?
  }

  package struct Summary: Encodable {
    package var done = 0
    package var failed = 0
    package var stale = 0
    package var notTried = 0
    package var needsPerson = 0
    package var errors = 0
    package var warnings = 0
    package var isHeldBack = false
  }

  /// - Parameter reports: nil if the plan was not applied.
  package init(_ report: PlanReport, _ reports: [StepReport]?) {
    environment = report.environment
    store = report.store.map(StoreFields.init)
    id = report.id
    diagnostics = report.diagnostics.map { DiagnosticFields($0) }
    var summary = Summary()
    summary.errors = report.diagnostics.count { $0.code.severity == .error }
    summary.warnings = report.diagnostics.count - summary.errors
    summary.isHeldBack = report.isHeldBack
    let reports = reports ?? report.plan.steps.map { StepReport($0, .notTried(.heldBack)) }
    steps = reports.map { report in
      switch report.result {
      case .done: summary.done += 1
      case .failed: summary.failed += 1
      case .needsPerson, .needsKey: summary.needsPerson += 1
      case .stale: summary.stale += 1
      case .notTried: summary.notTried += 1
      }
      return Entry(
        address: report.step.address, action: report.step.effect.action.rawValue, result: report.result.name,
        reason: report.result.reason, failure: report.result.failure, note: report.note?.sentence)
    }
    self.summary = summary
  }
}
