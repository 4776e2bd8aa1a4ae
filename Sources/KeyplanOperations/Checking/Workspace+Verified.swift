package import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanReporting
internal import KeyplanServices

extension Workspace {
  /// The workspace after providers have checked the recorded keys, as `keyplan verify` does.
  /// - Parameters:
  ///   - chosen: the addresses of the keys to check; none for all.
  ///   - warns: whether to warn of keys without an answer; otherwise only `unanswered` has them.
  package func verified(only chosen: [Address] = [], warns: Bool = true) async throws -> Workspace {
    guard store != nil else { return self }
    try requireKnown(chosen)
    let selection = chosen.isEmpty ? nil : Selection(chosen, in: manifest, recorded: recorded)
    let isChosen = { selection?.contains(.key($0)) ?? true }
    return try await verified(try VerifyRun(self, only: selection), warns: warns, isOverdue: isChosen)
  }

  /// The same for the keys whose check is due according to the manifest. An obstacle is in `unanswered`; an outage only when the last
  /// answer is twice as old as it should be, because cron mails all output.
  package func verifiedIfDue() async throws -> Workspace {
    guard let interval = manifest.verifiedEvery, store != nil, checkout == .trusted else { return self }
    do {
      let patience = world.now - interval - interval
      return try await verified(try VerifyRun(self, unlessSince: world.now - interval), warns: false) { id in
        recorded.keys[id].map { ($0.version.check?.at ?? $0.version.storedAt) < patience } ?? true
      }
    } catch let failure as Failure where failure.status != .interrupted {
      world.console.warn(Warning("Keys not checked", failure.detail, hint: failure.hint))
      return self
    }
  }

  /// - Parameter isOverdue: whether to warn that there was no answer about a key.
  private func verified(
    _ run: VerifyRun, warns: Bool, isOverdue: (Identifier<Key>) -> Bool
  ) async throws -> Workspace {
    let report = try await run.run(timeout: world.settings.lockTimeout)
    warnOfPreviews(Set(report.previews))
    let unclear = report.unclear(isOverdue)
    if warns, let first = unclear.first {
      let names = Spans.list(unclear.map(\.key.name), showing: 8)
      world.console.warn(Warning("Keys not checked", "\(names): \(first.detail)", hint: first.hint))
    }
    var checked = report.rows.contains(where: \.isRecorded) ? try await Workspace(in: world, as: checkout) : self
    checked.unanswered = unclear.map { key, detail, hint in
      Diagnostic(.key(key, .notChecked(reason: detail, hint: hint)), at: manifest.keys[key]?.place)
    }
    return checked
  }
}

extension Workspace {
  /// Warns of checks that are previews, as long as the store has no answer of their providers. The permission names those that the
  /// manifest declares.
  func warnOfPreviews(_ providers: Set<String>) {
    let answered = Set(recorded.keys.values.filter { $0.version.check != nil }.map(\.facts.provider))
    let previews = providers.subtracting(answered).filter {
      manifest.providers[$0]?.check == nil && project.checks.isPreview($0)
    }
    guard !previews.isEmpty else { return }
    world.console.warn(Warning("Check is a preview", PreviewMessages.checks(of: previews.sorted())))
  }

  /// The same of the checks that a plan's new values need.
  /// - Parameter isVerified: whether the recorded keys were checked just before.
  func warnOfPreviews(in plan: Plan, isVerified: Bool) {
    let providers = plan.steps.compactMap { step -> String? in
      guard case .store(.key(_, let effect)) = step.effect, let write = effect.write, write.isChecked else {
        return nil
      }
      return write.facts.provider
    }
    guard !providers.isEmpty else { return }
    warnOfPreviews(Set(providers).subtracting(isVerified ? recorded.keys.values.map(\.facts.provider) : []))
  }
}

extension VerifyReport {
  /// The keys with a check and without an answer, each with the reason.
  fileprivate func unclear(
    _ isOverdue: (Identifier<Key>) -> Bool
  ) -> [(key: Identifier<Key>, detail: String, hint: String?)] {
    rows.compactMap { row in
      switch row.result {
      case .asked(let answer):
        guard !answer.outcome.isVerdict, isOverdue(row.key) else { return nil }
        return (row.key, answer.reason, "To ask again: keyplan verify")
      case .notAsked(.noCheck): return nil
      case .notAsked(let obstacle):
        let message = obstacle.message(provider: row.provider)
        return (row.key, message.detail, message.hint)
      }
    }
  }
}
