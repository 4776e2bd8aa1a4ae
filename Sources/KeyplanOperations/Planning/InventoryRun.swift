internal import KeyplanModel
internal import KeyplanPlanning
package import KeyplanReporting

/// Observes everything that `report` and `metrics` show. Read-only.
package struct InventoryRun {
  package let report: InventoryReport

  /// - Throws: `Failure` if there is no store.
  package init(_ workspace: Workspace) async throws(Failure) {
    guard workspace.store != nil else { throw Failure.noStore(workspace.place) }
    let (observation, world) = (try await workspace.observe(), workspace.world)
    let drift = Finding.drift(of: workspace.manifest, in: observation, at: world.now)
    let declared = DeclaredPlaces(workspace.manifest, workspace.recorded.targets, file: workspace.project.shown)
    report = InventoryReport(
      DriftReport(
        drift.findings, diagnostics: drift.diagnostics, environment: workspace.place.environment,
        store: workspace.recorded.store, declared: declared, left: drift.left),
      workspace.manifest, observation.recorded,
      accounts: AccountStatus.all(of: workspace.manifest, in: observation, at: world.now),
      file: workspace.project.shown, at: world.now)
  }
}
