package import KeyplanApply
package import KeyplanCore

/// What became of a plan, as JSON: the same shape whether it was applied, was empty or was held back.
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

  /// - Parameter reports: nil where the plan was not applied.
  package init(_ report: PlanReport, _ reports: [StepReport]?) {
    environment = report.environment
    store = report.store.map(StoreFields.init)
    id = report.id
    diagnostics = report.diagnostics.map(DiagnosticFields.init)
    var summary = Summary()
    summary.errors = report.diagnostics.count { $0.code.severity == .error }
    summary.warnings = report.diagnostics.count - summary.errors
    summary.isHeldBack = report.isHeldBack
    let reports = reports ?? report.plan.steps.map { StepReport($0, .notTried("The plan is held back.")) }
    steps = reports.map { report in
      var (result, reason): (String, String?)
      var failure: AccessFailure.Kind?
      switch report.result {
      case .done:
        summary.done += 1
        (result, reason) = ("done", nil)
      case .failed(let words, _, let kind):
        summary.failed += 1
        (result, reason, failure) = ("failed", words, kind)
      case .needsPerson(let words):
        summary.needsPerson += 1
        (result, reason) = ("needsPerson", words)
      case .stale(let words):
        summary.stale += 1
        (result, reason) = ("stale", words)
      case .notTried(let words):
        summary.notTried += 1
        (result, reason) = ("notTried", words)
      }
      return Entry(
        address: report.step.address, action: report.step.effect.action, result: result, reason: reason,
        failure: failure, note: report.note)
    }
    self.summary = summary
  }
}
