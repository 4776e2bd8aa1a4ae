package import KeyplanModel
package import KeyplanPlanning
package import KeyplanPorts

/// The result of a plan: one report for every step, in the plan's order.
package struct Outcome: Sendable {
  package let reports: [StepReport]
  /// The error of the store that ended the run.
  package let storeError: StoreError?

  /// Whether every step was done.
  package var isComplete: Bool { reports.allSatisfy { $0.result == .done } }
}

/// The result of one step.
package struct StepReport: Hashable, Sendable {
  package let step: Step
  package let result: StepResult
  /// A note for people about a step that is done.
  package let note: StepNote?

  package init(_ step: Step, _ result: StepResult, note: StepNote? = nil) {
    self.step = step
    self.result = result
    self.note = note
  }
}

/// A note for people about a step that is done.
package enum StepNote: Hashable, Sendable {
  /// The service cannot revoke single tokens.
  case cannotRevoke
  /// The service did not revoke the tokens, for a reason in its edge's words.
  case notRevoked(reason: String)
  /// These keys appeared at the provider while a key was made whose answer was lost. They may be anybody's.
  case unexplainedKeys([String], at: Destination)
  /// These keys, whose ids a person gave, were not found at the provider: they were revoked there, or the ids are wrong.
  case keysNotFound([String], at: Destination)
  /// The value was read at apply only, and does not look like a key of its provider. It is stored.
  case unexpectedFormat(provider: String)
  /// Nothing had to be written at the target, so that its hook was not run.
  case nothingChanged
}

/// The end of a step.
package enum StepResult: Hashable, Sendable {
  /// It is done and recorded.
  case done
  /// It was tried and is not done, or only in part.
  case failed(StepFailure)
  /// Only a person can do it: somebody must sign in.
  case needsPerson(AccountNeed)
  /// Only a person can do it: somebody must make a key at its provider.
  case needsKey(ManualMint, of: Identifier<Key>)
  /// The state that it was planned against has changed; it was not carried out.
  case stale(StaleReason)
  /// It was not tried.
  case notTried(StepObstacle)

  /// Whether it is not done, and some of its names are: these are recorded.
  package var isPartlyDone: Bool {
    let names: StepFailure.NamesDone? =
      switch self {
      case .failed(.nameRefused(_, _, _, let names)), .failed(.unconfirmed(_, _, _, let names, _)): names
      case .failed(.closed(_, let names)), .failed(.tooLarge(_, _, _, let names)): names
      case .stale(.entryChanged(_, _, let names)): names
      case .done, .failed, .needsPerson, .needsKey, .stale, .notTried: nil
      }
    return names.map { $0.done > 0 } ?? false
  }

  /// A place outside did not take it, or could not be asked.
  static func failed(_ failure: AccessFailure) -> StepResult { .failed(.outside(failure)) }

  /// The store did not take it.
  static func failed(_ error: StoreError) -> StepResult {
    error.code == .interrupted ? .notTried(.store(error)) : .failed(.store(error))
  }
}
