package import KeyplanModel
internal import KeyplanPlanning

extension AppliedPlan {
  /// `2 stored, 1 synced`, in the order of a plan; `nothing done` if no step was, and `no step completed` if some may be in part.
  package var sum: String {
    let known = Action.allCases.compactMap { action in done[action.rawValue].map { "\($0) \(action.participle)" } }
    // Those of a later version.
    let others = done.filter { Action(rawValue: $0.key) == nil }.sorted { $0.key < $1.key }.map {
      "\($0.value) \($0.key)"
    }
    let all = known + others
    return all.isEmpty ? (isIncomplete ? "no step completed" : "nothing done") : all.joined(separator: ", ")
  }

  /// `by ada`; nil if it is not known who applied it.
  package var byWhom: String? { invocation?.who.map { "by \($0)" } }

  package static let notCompleted = "(not completed)"
}

extension Invocation {
  /// The recipient, and in CI who started the job: `ci (octocat)`. The latter is foreign text.
  package var who: String? {
    switch (recipient, job?.actor) {
    case (let name?, let actor?): "\(name) (\(actor))"
    case (let name?, nil): name.name
    case (nil, let actor): actor
    }
  }

  /// `Applied by ci (octocat) with keyplan apply; GitHub: …`.
  var sentence: String {
    "Applied" + (who.map { " by \($0)" } ?? "") + " with \(command)" + (job.map { "; \($0.words)" } ?? "")
  }
}

extension JobFacts {
  /// The service's words on one line; foreign text.
  package var words: String {
    let parts = [actor, workflow, commit.map { "commit \($0)" }, url].compactMap(\.self)
    return parts.isEmpty ? service : "\(service): " + parts.joined(separator: ", ")
  }
}

extension StoreState {
  /// The last apply, for headings: `2026-11-21 05:22Z by ada`; nil before the first.
  package func lastApply(_ style: Style) -> String? {
    guard let plan = lastPlan, plan.invocation != nil else { return appliedAt.map(style.time) }
    return [style.time(plan.at), plan.byWhom, plan.isIncomplete ? AppliedPlan.notCompleted : nil]
      .compactMap(\.self).joined(separator: " ")
  }
}
