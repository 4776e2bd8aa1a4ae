internal import FoundationEssentials
package import KeyplanApply
package import KeyplanModel
package import KeyplanPlanning

/// An event of a run, reported to programs during the run. Uses Terraform's terms if the meaning is the same; `schemas/events.schema.json`
/// has the form. Never contains a value.
package enum Event: Sendable {
  /// The first line: which program speaks, and in which version of the form.
  case version(String)
  case plannedChange(Step)
  case resourceDrift(Finding)
  /// The number of steps of each action: planned before an apply, done after it.
  case changeSummary(Operation, [String: Int])
  /// The number of findings of each level.
  case driftSummary([String: Int])
  /// An apply that begins: the command, and who runs it.
  case applyRun(Invocation, planId: String?)
  case applyStart(Step)
  /// A step that ended, well or not.
  case applyEnd(StepReport)
  case diagnostic(Diagnostic)
  /// The error that ended the command early.
  case failure(summary: String, detail: String, hint: String?)

  package enum Operation: String, Sendable, Encodable { case plan, apply, drift }

  /// Whether bytes begin as a log of events does.
  package static func isLog(_ bytes: [UInt8]) -> Bool {
    struct Head: Decodable {
      let type: String
      let keyplan: String
    }
    let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
    return (try? JSONDecoder().decode(Head.self, from: Data(line)))?.type == "version"
  }

  /// The event as a line of NDJSON, with its line feed.
  package func line(at now: Moment) throws -> String { try Document.text(EventDocument(self, at: now)) }

  /// The text for people.
  fileprivate var message: String {
    switch self {
    case .version(let version): "keyplan \(version)"
    case .plannedChange(let step): "\(step.address): planned to \(step.effect.action.verb)"
    case .resourceDrift(let finding): "\(finding.address): drift (\(finding.kind.rawValue))"
    case .changeSummary(.apply, let counts): "Applied: \(Self.sum(counts))."
    case .changeSummary(_, let counts): "Plan: \(Self.sum(counts))."
    case .driftSummary(let counts): "Drift: \(Self.sum(counts))."
    case .applyRun(let invocation, _): invocation.sentence
    case .applyStart(let step): "\(step.address): \(step.effect.action.gerund)"
    case .applyEnd(let report):
      "\(report.step.address): \(report.result.reason ?? report.step.effect.participle)"
    case .diagnostic(let diagnostic): "\(diagnostic.summary): \(diagnostic.detail)"
    case .failure(let summary, let detail, _): "\(summary): \(detail)"
    }
  }

  private static func sum(_ counts: [String: Int]) -> String {
    counts.isEmpty
      ? "nothing" : counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
  }
}

private struct EventDocument: Encodable {
  private var level = "info"
  private let message: String
  private let timestamp: String
  private let type: String
  private var formatVersion: Int?
  private var keyplan: String?
  private var change: Change?
  private var changes: Changes?
  private var hook: Hook?
  private var run: Run?
  private var diagnostic: DiagnosticFields?

  // The names of Terraform's log; sorted, they come first on every line.
  private enum CodingKeys: String, CodingKey {
    case level = "@level"
    case message = "@message"
    case timestamp = "@timestamp"
    case type, formatVersion, keyplan, change, changes, hook, run, diagnostic
  }

  private struct Change: Encodable {
    let address: Address
    var action: String?
    var cause: Cause?
    var kind: Finding.Kind?
    var level: Finding.Level?
    var since: String?
    var detail: String?
  }

  private struct Changes: Encodable {
    let operation: Event.Operation
    let total: Int
    var byAction: [String: Int]?
    var byLevel: [String: Int]?
  }

  private struct Run: Encodable {
    let id: String?
    let by: Identifier<Recipient>?
    let command: String
    let ci: JobFields?
  }

  private struct Hook: Encodable {
    let address: Address
    let action: String
    var result: String?
    var reason: String?
    /// The kind of a failure outside.
    var failure: AccessFailure.Kind?

    init(_ step: Step) { (address, action) = (step.address, step.effect.action.rawValue) }
  }

  init(_ event: Event, at now: Moment) {
    message = event.message
    timestamp = now.description
    switch event {
    case .version(let version): (type, formatVersion, keyplan) = ("version", 1, version)
    case .plannedChange(let step):
      type = "planned_change"
      change = Change(address: step.address, action: step.effect.action.rawValue, cause: step.cause)
    case .resourceDrift(let finding):
      type = "resource_drift"
      change = Change(
        address: finding.address, kind: finding.kind, level: finding.level, since: finding.since?.description,
        detail: finding.detail)
    case .changeSummary(let operation, let counts):
      type = "change_summary"
      changes = Changes(operation: operation, total: counts.values.reduce(0, +), byAction: counts)
    case .driftSummary(let counts):
      type = "change_summary"
      changes = Changes(operation: .drift, total: counts.values.reduce(0, +), byLevel: counts)
    case .applyRun(let invocation, let id):
      type = "apply_run"
      run = Run(
        id: id, by: invocation.recipient, command: invocation.command, ci: invocation.job.map(JobFields.init))
    case .applyStart(let step):
      type = "apply_start"
      hook = Hook(step)
    case .applyEnd(let report):
      var ended = Hook(report.step)
      if report.result != .done {
        (ended.result, ended.reason) = (report.result.name, report.result.reason)
        ended.failure = report.result.failure
      }
      type = ended.result == nil ? "apply_complete" : "apply_errored"
      if ended.result != nil { level = "error" }
      hook = ended
    case .diagnostic(let reported):
      type = "diagnostic"
      level = reported.code.severity == .error ? "error" : "warn"
      diagnostic = DiagnosticFields(reported)
    case .failure(let summary, let detail, let hint):
      (type, level) = ("diagnostic", "error")
      diagnostic = DiagnosticFields(summary: summary, detail: detail, hint: hint)
    }
  }
}
