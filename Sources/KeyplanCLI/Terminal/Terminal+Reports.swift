internal import KeyplanApply
internal import KeyplanCore
internal import KeyplanManifest
internal import KeyplanOperations
internal import KeyplanReporting

extension Terminal {
  /// Writes a plan.
  /// - Parameter output: nil for standard output.
  func show(_ planning: PlanRun, as format: ReportFormat, to output: Output? = nil) throws {
    let (output, report, now) = (output ?? out, planning.report, planning.workspace.world.now)
    switch format {
    case .text:
      output.write(
        PlanText.render(report, style: style(for: output), at: now, source: planning.workspace.project.sourceLine))
    case .markdown: output.write(PlanMarkdown.render(report, at: now))
    case .json: output.write(try Document.plan(report))
    case .github:
      let github = GitHub(terminal: self, world: planning.workspace.world)
      github.show(
        GitHubText.annotations(planning.diagnostics, path: github.path),
        summary: PlanMarkdown.render(report, at: now))
      github.set([("changes", "\(!planning.plan.isEmpty)")] + (planning.id.map { [("id", "\($0)")] } ?? []))
    }
  }

  /// Writes what became of a plan.
  func show(_ result: ApplyResult) throws {
    let reports = result.outcome.reports
    if isJSON {
      out.write(try Document.applied(result.plan, reports))
    } else {
      out.write(
        OutcomeText.render(reports, isRecorded: result.outcome.storeError == nil, style: style(for: out)))
    }
  }

  /// Writes findings; with `--quiet` nothing at all if there are none.
  func show(_ drift: DriftRun, as format: ReportFormat, to output: Output) throws {
    noteBaseline(drift)
    noteOutages(drift)
    let report = drift.report
    guard format == .json || !drift.findings.isEmpty || !drift.diagnostics.isEmpty || !isQuiet else { return }
    switch format {
    case .json: output.write(try Document.drift(report))
    case .text:
      output.write(
        DriftText.render(report, style: style(for: output), source: drift.workspace.project.sourceLine))
    case .markdown: output.write(DriftMarkdown.render(report))
    case .github:
      let github = GitHub(terminal: self, world: drift.workspace.world)
      github.show(
        GitHubText.annotations(drift.findings) + GitHubText.annotations(drift.diagnostics, path: github.path),
        summary: DriftMarkdown.render(report))
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

  /// Entries of the baseline that no longer match what is found.
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

  /// Writes what reading a manifest found.
  func show(_ project: Project, as format: ReportFormat, in world: World) throws {
    let diagnostics = project.diagnostics
    switch format {
    case .text:
      out.write(DiagnosticText.render(diagnostics, style: style(for: out), source: project.sourceLine))
      if !isQuiet, let summary = project.summary { out.write(summary) }
    case .json: out.write(try Document.diagnostics(diagnostics))
    case .markdown: out.write(DriftMarkdown.render(diagnostics, of: "validate", environment: project.environment))
    case .github:
      GitHub(terminal: self, world: world).show(diagnostics, of: "validate", environment: project.environment)
    }
  }
}

extension Project {
  /// How much a valid manifest declares; nil for one with errors.
  fileprivate var summary: String? {
    guard let manifest = reading.manifest, manifest.brokenRules.isEmpty else { return nil }
    let counts = [
      (manifest.keys.count, "key"), (manifest.slots.count, "slot"), (manifest.targets.count, "target"),
      (manifest.accounts.count, "calendar account"),
    ]
    let words = counts.filter { $0.0 > 0 }.map { Spans.count($0.0, $0.1) }.joined(separator: ", ")
    return "\(shown) is valid: \(words.isEmpty ? "nothing is declared yet" : words).\n"
  }
}
