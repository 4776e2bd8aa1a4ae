internal import KeyplanApply
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanPlanning
internal import KeyplanPorts
internal import KeyplanReporting

/// Shows a plan, asks for confirmation, applies it, and shows the outcome.
struct Approval {
  /// Whether to ask for confirmation.
  let asks: Bool
  /// The way to approve the plan without a terminal.
  let hint: String
  /// The command shown to others while this process holds the lock.
  let command: String
  var events: Events?
  var question = "Apply this plan?"
  /// The sentence shown if the question is declined.
  var declined = "Nothing was changed."

  static let hint = "Pass --yes or --expect ID, or apply a plan saved with `keyplan plan --out FILE`."

  /// The maximum number of new plans when the state changes while waiting for the lock.
  private static let renewals = 3

  /// - Parameter renew: makes a new plan if this one is stale; nil if only this plan was approved.
  func carryOut(
    _ planning: PlanRun, on terminal: Terminal, renew: (() async throws -> PlanRun)? = nil
  ) async throws -> ExitStatus {
    var (planning, isAsked, renewals) = (planning, asks, Self.renewals)
    while true {
      let renew = renewals > 0 ? renew : nil
      let (status, isStale) = try await carryOut(planning, on: terminal, asking: isAsked, isLast: renew == nil)
      guard isStale, let renew else { return status }
      planning = try await renew()
      (isAsked, renewals) = (false, renewals - 1)
      events?.log(planning)
      if !terminal.isJSON, !terminal.isQuiet {
        terminal.out.write("\nState changed since this plan was made. Planning again:\n\n")
      }
    }
  }

  /// - Parameter isLast: false if the rest of a stale plan is planned and applied next. Then only the completed steps are shown.
  private func carryOut(
    _ planning: PlanRun, on terminal: Terminal, asking: Bool, isLast: Bool
  ) async throws -> (ExitStatus, isStale: Bool) {
    let (_, identities) = try planning.needStore()
    let isJSON = terminal.isJSON
    if !isJSON {
      // A confirmation requires that the plan was shown.
      if terminal.isQuiet, !asking { terminal.showErrors(of: planning) } else { try terminal.show(planning, as: .text) }
    }
    guard !planning.isHeldBack, !planning.plan.isEmpty else {
      if !planning.isHeldBack { try planning.settlePins() }
      if isJSON { terminal.out.write(try Document.applied(planning.report, nil)) }
      return (ExitStatus.worst(planning.statuses), false)
    }
    // Every step requires a sign-in: nothing to confirm, and no lock is needed.
    if planning.plan.steps.allSatisfy(\.effect.needsPerson), planning.grants.isEmpty {
      if isJSON { terminal.out.write(try Document.applied(planning.report, planning.waiting)) }
      return (ExitStatus.worst(planning.statuses + [.personNeeded]), false)
    }
    if asking {
      try terminal.confirm(
        question, orSay: hint, declined: Failure(.interrupted, "Not applied", declined))
    }
    let result: ApplyResult
    do {
      result = try await apply(planning, identities, on: terminal)
    } catch let failure as Failure where failure.storeCode == .stale && !isLast {
      // Nothing was begun.
      return (failure.status, true)
    }
    try show(result, on: terminal, isLast: isLast || !result.hasStaleSteps)
    return (result.status, result.isStale)
  }

  private func apply(_ planning: PlanRun, _ identities: Identities, on terminal: Terminal) async throws -> ApplyResult {
    let listener = Progress(planning.plan, on: terminal).listener(logging: events)
    let run = ApplyRun(
      planning, identities, timeout: planning.workspace.world.settings.lockTimeout, as: command, notifying: listener)
    events?.log(.applyRun(run.invocation, planId: planning.id?.description))
    let result = try await run.run()
    events?.log(result.outcome)
    return result
  }

  private func show(_ result: ApplyResult, on terminal: Terminal, isLast: Bool) throws {
    // A run that continues writes a single JSON document at its end, and as text only the steps done so far.
    if isLast || !terminal.isJSON && result.outcome.reports.contains(where: { $0.result == .done }) {
      try terminal.show(result)
    }
    if let unpinned = result.unpinned { terminal.report(unpinned) }
  }
}

extension RecordEdit {
  /// Shows the plan, asks for confirmation, applies it, and reports the number of steps that remain for the next apply.
  func carryOut(_ confirmation: ConfirmOptions, as command: String, on terminal: Terminal) async throws -> Int32 {
    let approval = Approval(
      asks: !confirmation.yes, hint: "Pass --yes.", command: command,
      question: removalQuestion ?? "Apply this plan?")
    let status = try await approval.carryOut(planning, on: terminal)
    if status == .done { terminal.noteRest(rest) }
    return status.rawValue
  }

  /// Nil if every name keeps a usable value.
  private var removalQuestion: String? {
    guard !removed.isEmpty else { return nil }
    let names = removed.sorted { $0.key < $1.key }.map {
      "target.\($0.key) without \($0.value.joined(separator: ", "))"
    }
    return "Apply this plan? It leaves \(names.joined(separator: ", "))."
  }
}

extension Terminal {
  /// Reports the number of steps that remain for the next apply.
  func noteRest(_ count: Int) {
    guard count > 0, !isQuiet, !isJSON else { return }
    err.write("\(count) more step\(count == 1 ? " waits" : "s wait"): \(self.command("keyplan apply"))\n")
  }

  /// - Parameter consequence: a sentence about the work that is not done without confirmation.
  /// - Throws: `Failure` without a terminal.
  func requireAttendance(_ consequence: String, orSay hint: String) throws(Failure) {
    guard !mayAsk else { return }
    throw Failure(
      .usage, "Confirmation required",
      "Standard input is not a terminal, or --no-input is set. \(consequence)", hint: hint)
  }

  /// Asks for confirmation by typing `yes`.
  /// - Throws: `Failure` without a terminal; `declined` for any other answer.
  func confirm(_ question: String, orSay hint: String, declined: Failure) throws(Failure) {
    try requireAttendance(declined.detail, orSay: hint)
    guard try Prompt.confirms(question) else { throw declined }
  }
}
