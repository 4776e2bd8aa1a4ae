internal import KeyplanApply
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanPlanning
internal import KeyplanPorts
internal import KeyplanReporting

/// The changes that an apply would make.
public struct KeyplanPlan: Sendable {
  @Indirect private(set) var run: PlanRun

  init(_ run: PlanRun) { self.run = run }

  /// A step.
  public struct Step: Sendable {
    /// The address of the item that it changes, such as `key.openai-main`.
    public let address: String
    /// `store`, `replace`, `sync` …: the names of schemas/plan.schema.json.
    public let action: String
  }

  /// The steps in the order in which they are carried out.
  public var steps: [Step] {
    run.plan.steps.map { Step(address: $0.address.description, action: $0.effect.action.rawValue) }
  }

  /// Errors and warnings.
  public var problems: [KeyplanProblem] { run.diagnostics.map { KeyplanProblem($0) } }

  /// Whether there is nothing to do.
  public var isEmpty: Bool { run.plan.isEmpty }

  /// The plan's id, `kp1-…`: plans with the same steps for the same store have the same. Nil while there is no store.
  public var id: String? { run.id?.description }

  /// The plan as `keyplan plan` shows it, without colour. Values do not occur in it.
  public var text: String { PlanText.render(run.report, style: Style(), at: run.workspace.world.now) { _ in nil } }
}

/// The result of applying a plan.
public struct KeyplanOutcome: Sendable {
  @Indirect private var result: ApplyResult

  init(_ result: ApplyResult) { self.result = result }

  /// The result of a step.
  public struct Step: Sendable {
    /// The address of the item that it changes.
    public let address: String
    /// `done`, `failed`, `stale`, `notTried` or `needsPerson`.
    public let result: String
    /// The reason that it is not done; nil for a step that is.
    public let reason: String?
  }

  /// The steps in the order in which they ended.
  public var steps: [Step] {
    result.outcome.reports.map { report in
      Step(address: report.step.address.description, result: report.result.name, reason: report.result.reason)
    }
  }

  /// Whether everything that was planned is done and recorded.
  public var isComplete: Bool { result.status == .done }

  /// Whether state had changed since planning, so that a new plan can do the rest.
  public var isStale: Bool { result.isStale }

  /// The outcome as `keyplan apply` shows it, without colour.
  public var text: String {
    OutcomeText.render(result.outcome.reports, isRecorded: result.outcome.storeError == nil, style: Style())
  }
}

/// Changes outside keyplan, and upcoming expirations.
public struct KeyplanDrift: Sendable {
  @Indirect private var run: DriftRun

  init(_ run: DriftRun) { self.run = run }

  /// A finding.
  public struct Finding: Sendable {
    /// The address of the item that it concerns, such as `target.app.OPENAI_API_KEY`.
    public let address: String
    /// The kind of finding, such as `targetChanged`: the names of schemas/drift.schema.json.
    public let kind: String
    /// `broken`, `pending` or `soon`.
    public let level: String
    /// A description for people.
    public let headline: String
  }

  /// The most urgent first.
  public var findings: [Finding] {
    run.findings.map { finding in
      Finding(
        address: finding.address.description, kind: finding.kind.rawValue, level: finding.level.rawValue,
        headline: FindingMessages(finding).headline)
    }
  }

  /// The errors and warnings, such as those about sources and targets that could not be read.
  public var problems: [KeyplanProblem] { run.diagnostics.map { KeyplanProblem($0) } }

  /// The findings as `keyplan drift` shows them, without colour.
  public var text: String { DriftText.render(run.report(), style: Style()) { _ in nil } }
}
