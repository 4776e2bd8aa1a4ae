internal import KeyplanApply
internal import KeyplanLocal
internal import KeyplanManifest
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanPlanning
internal import KeyplanPorts
internal import KeyplanReporting

extension Terminal {
  /// Writes a plan.
  /// - Parameter output: nil for standard output.
  func show(_ planning: PlanRun, as format: ReportFormat, to output: Output? = nil) throws {
    let (output, workspace) = (output ?? out, planning.workspace)
    let presenter = presenter(of: format, for: output, workspace.world, source: workspace.project.sourceLine)
    write(try presenter.plan(planning.report), to: output, workspace.world)
  }

  /// Writes a plan's errors to standard error.
  func showErrors(of planning: PlanRun) {
    let errors = planning.diagnostics.filter { $0.code.severity == .error }
    guard !errors.isEmpty else { return }
    err.write(
      DiagnosticText.render(errors, style: style(for: err), source: planning.workspace.project.sourceLine))
  }

  /// Writes the errors of an unusable manifest to standard error.
  func report(_ rejected: Project.Rejected) {
    let project = rejected.project
    err.write(DiagnosticText.render(project.diagnostics, style: style(for: err), source: project.sourceLine))
  }

  /// Writes findings; with `--quiet` nothing if there are none.
  /// - Parameter level: the lowest one that counts as a failure.
  func show(
    _ drift: DriftRun, as format: ReportFormat, to output: Output, failingFrom level: Finding.Level
  ) throws {
    noteBaseline(drift)
    noteOutages(drift)
    guard format.isForPrograms || !drift.findings.isEmpty || !drift.diagnostics.isEmpty || !isQuiet else { return }
    let workspace = drift.workspace
    let presenter = presenter(of: format, for: output, workspace.world, source: workspace.project.sourceLine)
    write(try presenter.drift(drift.report(failingFrom: level)), to: output, workspace.world)
  }

  /// Writes the diagnostics from reading a manifest.
  /// - Parameter command: the command that read it.
  func show(_ project: Project, as format: ReportFormat, of command: String = "validate", in world: World) throws {
    let report = ManifestReport(
      project.diagnostics, of: command, environment: project.environment, declared: isQuiet ? nil : project.declared)
    let presenter = presenter(of: format, for: out, world, source: project.sourceLine)
    write(try presenter.manifest(report), to: out, world)
  }

  /// Writes the diagnostics from reading a manifest in each of its environments.
  func show(_ every: EveryEnvironment, as format: ReportFormat, in world: World) throws {
    let declared = every.projects.map { project in
      project.declared.map { "\(EveryEnvironment.name(of: project)): \($0)" } ?? ""
    }
    let report = ManifestReport(every.parts, of: "validate", declared: isQuiet ? nil : declared.joined())
    let presenter = presenter(of: format, for: out, world) { _ in nil }
    write(try presenter.manifest(report), to: out, world)
  }

  private func presenter(
    of format: ReportFormat, for output: Output, _ world: World, source: @escaping (FileLocation) -> String?
  ) -> any Presenter {
    format.presenter(
      PresentationContext(
        style: style(for: output), now: world.now, source: source,
        path: { GitHub(terminal: self, world: world).path($0) }, version: Keyplan.version,
        digest: ContentDigest.sha256))
  }

  private func write(_ presentation: Presentation, to output: Output, _ world: World) {
    guard let summary = presentation.summary else { return output.write(presentation.text) }
    let github = GitHub(terminal: self, world: world)
    github.show(presentation.text, presentation.commands, summary: summary)
    if !presentation.outputs.isEmpty { github.set(presentation.outputs) }
  }

  /// Writes the result of a plan.
  func show(_ result: ApplyResult) throws {
    let reports = result.outcome.reports
    if isJSON {
      out.write(try Document.applied(result.plan, reports))
    } else {
      out.write(
        OutcomeText.render(reports, isRecorded: result.outcome.storeError == nil, style: style(for: out)))
    }
  }

  /// Outages that do not count yet.
  private func noteOutages(_ drift: DriftRun) {
    guard !isQuiet else { return }
    let style = style(for: err)
    for outage in drift.passing {
      let address = outage.diagnostic.address?.description ?? ""
      err.write("\(address): unreachable since \(style.time(outage.since)); counts from \(style.time(outage.until)).\n")
    }
  }

  /// Warns of entries of the baseline that no longer match a finding.
  private func noteBaseline(_ drift: DriftRun) {
    guard !isQuiet else { return }
    let style = style(for: err)
    for entry in drift.overdue {
      err.write(
        "\(entry.address): its baseline entry expired on \(entry.end.map(style.dateOrTime) ?? entry.until); it counts again.\n"
      )
    }
    for entry in drift.unmatched {
      err.write("\(entry.address): listed in the baseline but no longer found.\n")
    }
  }
}

extension Project {
  /// The numbers of declarations of a valid manifest; nil for one with errors.
  fileprivate var declared: String? {
    guard let manifest = reading.manifest, manifest.brokenRules.isEmpty, futureDates.isEmpty else { return nil }
    let counts = [
      (manifest.keys.count, "key"), (manifest.slots.count, "slot"), (manifest.targets.count, "target"),
      (manifest.accounts.count, "calendar account"),
    ]
    let words = counts.filter { $0.0 > 0 }.map { Spans.count($0.0, $0.1) }.joined(separator: ", ")
    return "\(shown) is valid: \(words.isEmpty ? "nothing is declared yet" : words).\n"
  }
}
