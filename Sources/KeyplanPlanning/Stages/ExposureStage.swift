package import KeyplanModel

/// Reports values that are known to recipients who can no longer open the store.
struct ExposureStage: PlanningStage {
  let context: PlanningContext
  var decisions = Decisions()

  init(_ context: PlanningContext, _ states: PlannedKeyStates) {
    self.context = context
    for (id, record) in recorded.keys where record.isExposed && record.revocation == nil {
      // The next value may be made of the same exposed ones.
      let isStill = record.exposedParts.contains { states[$0]?.isWritten != true }
      if !isStill, let state = states[id], let planned = state.fingerprint, planned != record.version.fingerprint {
        continue
      }
      let exposed = context.exposed(record.exposures, parts: record.exposedParts)
      report(.key(id, .exposed(exposed)), at: manifest.keys[id]?.place)
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
  /// The keys whose value they know and that this value is made of, sorted.
  package let parts: [Identifier<Key>]

  package init(_ exposures: [Exposure], end: Moment, at now: Moment, parts: [Identifier<Key>] = []) {
    self.parts = parts
    self.exposures = exposures.sorted { $0.recipient < $1.recipient }
    self.end = end
    isLate = now >= end
  }

  /// Since when.
  package var since: Moment? { exposures.map(\.since).min() }
}

extension PlanningContext {
  fileprivate func exposed(_ exposures: [Exposure], parts: [Identifier<Key>] = []) -> ExposedValue {
    ExposedValue(exposures, end: exposures.end(after: manifest.exposedFor) ?? now, at: now, parts: parts)
  }
}
