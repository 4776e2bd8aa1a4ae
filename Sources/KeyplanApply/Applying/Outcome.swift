public import KeyplanCore

/// What became of a plan: one report for every step, in the plan's order.
public struct Outcome: Sendable {
  /// One for every step.
  public let reports: [StepReport]
  /// Why the store would not go on, where that ended the run.
  public let storeError: StoreError?

  /// Whether every step was done.
  public var isComplete: Bool { reports.allSatisfy { $0.result == .done } }
}

/// What became of one step.
public struct StepReport: Hashable, Sendable {
  /// The step.
  public let step: Step
  /// How it ended.
  public let result: StepResult
  /// What a person must know although it is done; a sentence without a value.
  public let note: String?

  /// Nothing is checked.
  public init(_ step: Step, _ result: StepResult, note: String? = nil) {
    self.step = step
    self.result = result
    self.note = note
  }
}

/// How a step ended.
public enum StepResult: Hashable, Sendable {
  /// It is done and recorded.
  case done
  /// It was tried and is not done, or only in part; the reason is a sentence without a value. The kind is that of a failure outside.
  case failed(reason: String, isUnreachable: Bool, kind: AccessFailure.Kind? = nil)
  /// Only a person can do it: somebody must sign in. The reason is a sentence.
  case needsPerson(String)
  /// What it was planned against has moved; it was not carried out.
  case stale(String)
  /// It was not tried, because of what stands before it or because the run was interrupted.
  case notTried(String)

  /// A place outside did not take it, or could not be asked.
  static func failed(_ failure: AccessFailure) -> StepResult {
    .failed(
      reason: [failure.reason, failure.hint].compactMap(\.self).joined(separator: " "),
      isUnreachable: failure.kind.isOutage, kind: failure.kind)
  }

  /// The store did not take it.
  static func failed(_ error: StoreError) -> StepResult {
    error.code == .interrupted
      ? .notTried(error.detail) : .failed(reason: error.detail, isUnreachable: error.code == .unreachable)
  }
}
