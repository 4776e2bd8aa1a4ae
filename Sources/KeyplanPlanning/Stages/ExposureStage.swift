package import KeyplanModel

/// Reports values that are known to recipients who can no longer open the store.
struct ExposureStage: PlanningStage {
  let context: PlanningContext
  var decisions = Decisions()

  init(_ context: PlanningContext, _ states: PlannedKeyStates) {
    self.context = context
    for (id, record) in recorded.keys where !record.version.exposures.isEmpty && record.revocation == nil {
      if let state = states[id], let planned = state.fingerprint, planned != record.version.fingerprint { continue }
      report(.key(id, .exposed(context.exposed(record.version.exposures))), at: manifest.keys[id]?.place)
    }
    for (id, record) in recorded.accounts {
      guard let exposures = record.signIn?.exposures, !exposures.isEmpty else { continue }
      report(.account(id, .exposed(context.exposed(exposures))), at: manifest.accounts[id]?.place)
    }
  }
}

/// A value that is known to recipients who can no longer open the store.
package struct ExposedValue: Hashable, Sendable {
  /// The recipients who know it.
  package let exposures: [Exposure]
  /// The time by which it should be replaced.
  package let end: Moment
  /// Whether that time has passed.
  package let isLate: Bool

  package init(_ exposures: [Exposure], end: Moment, at now: Moment) {
    self.exposures = exposures.sorted { $0.recipient < $1.recipient }
    self.end = end
    isLate = now >= end
  }

  /// Since when.
  package var since: Moment? { exposures.map(\.since).min() }
}

extension PlanningContext {
  fileprivate func exposed(_ exposures: [Exposure]) -> ExposedValue {
    ExposedValue(exposures, end: exposures.end(after: manifest.exposedFor) ?? now, at: now)
  }
}
