internal import KeyplanModel
package import KeyplanPlanning
package import KeyplanReporting

/// A drift run and its inputs.
package struct DriftRun {
  package let workspace: Workspace
  /// The findings that count.
  package let findings: [Finding]
  package let diagnostics: [Diagnostic]
  private let parted: DriftFilter.Parted
  /// Outages that do not count yet.
  package let passing: [Outage]
  private let isPatient: Bool
  private let left: LookedAt

  /// - Throws: `Failure` if there is no store: then there cannot be drift.
  package init(_ workspace: Workspace, _ filter: DriftFilter, timeStyle: Style = Style()) async throws(Failure) {
    guard workspace.store != nil else { throw Failure.noStore(workspace.place) }
    self.workspace = workspace
    try workspace.requireKnown(filter.ignored.sorted())
    let observation = try await workspace.observe()
    let drift = Finding.drift(of: workspace.manifest, in: observation, at: workspace.world.now)
    left = drift.left
    parted = filter.part(drift.findings, at: workspace.world.now)
    findings = parted.counted
    (diagnostics, passing) = Self.part(drift.diagnostics + workspace.unanswered, filter, workspace, timeStyle)
    isPatient = filter.unreachableAfter != nil
  }

  /// Ignores short outages.
  private static func part(
    _ counted: [Diagnostic], _ filter: DriftFilter, _ workspace: Workspace, _ style: Style
  ) -> (counted: [Diagnostic], passing: [Outage]) {
    guard let patience = filter.unreachableAfter, let store = workspace.recorded.store else { return (counted, []) }
    let world = workspace.world
    let outages = Outages.noting(at: Outages.path(of: store, in: world), in: world) { earlier in
      Outages(counted, after: earlier, at: world.now)
    }
    return outages?.part(counted, after: patience, at: world.now, style: style) ?? (
      counted, []
    )
  }

  package var statuses: [ExitStatus] {
    let errors = diagnostics.filter { $0.code.severity == .error }
    // The account's state has been unknown for longer than allowed.
    let isUnasked = isPatient && diagnostics.contains { $0.code == .accountNotAsked }
    return errors.map { $0.code.isUnreachable ? .unreachable : .failed } + (isUnasked ? [.unreachable] : [])
  }

  /// - Parameter level: the lowest one that counts as a failure.
  package func report(failingFrom level: Finding.Level = .pending) -> DriftReport {
    DriftReport(
      findings, diagnostics: diagnostics, environment: workspace.place.environment, store: workspace.recorded.store,
      leftOut: parted.leftOut, passing: passing,
      declared: DeclaredPlaces(workspace.manifest, workspace.recorded.targets, file: workspace.project.shown),
      failsFrom: level, left: left)
  }

  /// Entries of the baseline that have expired; their findings count again.
  package var overdue: [Baseline.Entry] { parted.overdue }
  /// Entries of the baseline without a finding.
  package var unmatched: [Baseline.Entry] { parted.unknown }
}
