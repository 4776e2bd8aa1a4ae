import KeyplanApply
import KeyplanCore

/// What became of a plan, as JSON: the same shape whether it was applied, was empty or was held back.
struct ApplyDocument: Encodable {
  let formatVersion = 1
  let environment: String?
  let store: StoreFields?
  let id: String?
  let steps: [Entry]
  let summary: Summary
  let diagnostics: [DiagnosticFields]

  struct Entry: Encodable {
    let address: Address
    let action: String
    let result: String
    let reason: String?
    /// The kind of a failure outside.
    let failure: AccessFailure.Kind?
    let note: String?
  }

  struct Summary: Encodable {
    var done = 0
    var failed = 0
    var stale = 0
    var notTried = 0
    var needsPerson = 0
    var errors = 0
    var warnings = 0
    var isHeldBack = false
  }

  /// - Parameter reports: nil where the plan was not applied.
  init(_ report: PlanReport, _ reports: [StepReport]?) {
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
