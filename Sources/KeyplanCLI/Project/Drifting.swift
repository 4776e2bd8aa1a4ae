internal import KeyplanCore

/// What drift finds, with all it stands on.
struct Drifting {
  let surroundings: Surroundings
  let findings: [Finding]
  let diagnostics: [Diagnostic]

  init(_ surroundings: Surroundings) async {
    self.surroundings = surroundings
    let observation = await surroundings.observe()
    (findings, diagnostics) = Finding.drift(of: surroundings.manifest, in: observation, at: surroundings.world.now)
  }

  func needStore() throws(Failure) {
    guard surroundings.store != nil else { throw Failure.noStore(surroundings.place) }
  }

  var statuses: [ExitStatus] {
    diagnostics.filter { $0.code.severity == .error }.map { $0.code.isUnreachable ? .unreachable : .failed }
  }

  /// Writes the findings; with `--quiet` nothing at all when all is well.
  func show(as format: ReportFormat) throws {
    let (options, world) = (surroundings.options, surroundings.world)
    let report = DriftReport(
      findings, diagnostics: diagnostics, environment: surroundings.place.environment,
      store: surroundings.recorded.store)
    guard format == .json || !findings.isEmpty || !diagnostics.isEmpty || !options.isQuiet(in: world) else { return }
    switch format {
    case .json: world.out.write(try Document.drift(report))
    case .text:
      world.out.write(
        DriftText.render(
          report, style: options.style(for: world.out, in: world), source: surroundings.project.sourceLine))
    case .markdown: world.out.write(DriftMarkdown.render(report))
    case .github:
      let hub = GitHub(world: world)
      hub.tell(
        GitHubText.annotations(findings) + GitHubText.annotations(diagnostics, path: hub.path),
        summary: DriftMarkdown.render(report))
    }
  }
}
