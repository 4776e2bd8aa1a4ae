internal import KeyplanCore
internal import KeyplanReporting

/// What drift finds, with all it stands on.
struct DriftRun {
  let workspace: Workspace
  /// What counts.
  let findings: [Finding]
  let diagnostics: [Diagnostic]
  private let parted: DriftFilter.Parted
  private let passing: [Outage]
  private let isPatient: Bool

  /// - Throws: `Failure` where there is no store: then nothing can have drifted.
  init(_ workspace: Workspace, _ filter: DriftFilter) async throws(Failure) {
    guard workspace.store != nil else { throw Failure.noStore(workspace.place) }
    self.workspace = workspace
    try workspace.requireKnown(filter.ignored.sorted())
    let observation = try await workspace.observe()
    let (all, told) = Finding.drift(of: workspace.manifest, in: observation, at: workspace.world.now)
    parted = filter.part(all, at: workspace.world.now)
    findings = parted.counted
    (diagnostics, passing) = Self.part(told, filter, workspace)
    isPatient = filter.unreachableAfter != nil
  }

  /// Lets what cannot be reached pass for a while.
  private static func part(
    _ told: [Diagnostic], _ filter: DriftFilter, _ workspace: Workspace
  ) -> (told: [Diagnostic], passing: [Outage]) {
    guard let patience = filter.unreachableAfter, let store = workspace.recorded.store else { return (told, []) }
    let world = workspace.world
    let outages = Outages.noting(at: Outages.path(of: store, in: world), in: world) { earlier in
      Outages(told, after: earlier, at: world.now)
    }
    return outages?.part(told, after: patience, at: world.now, style: workspace.options.timeStyle(in: world)) ?? (
      told, []
    )
  }

  var statuses: [ExitStatus] {
    let errors = diagnostics.filter { $0.code.severity == .error }
    // Nobody knows how the account is, and that for longer than was allowed.
    let isUnasked = isPatient && diagnostics.contains { $0.code == .accountNotAsked }
    return errors.map { $0.code.isUnreachable ? .unreachable : .failed } + (isUnasked ? [.unreachable] : [])
  }

  /// Writes the findings; with `--quiet` nothing at all when all is well.
  /// - Parameter output: nil for standard output.
  func show(as format: ReportFormat, to output: Output? = nil) throws {
    let (options, world) = (workspace.options, workspace.world)
    let output = output ?? world.out
    let report = DriftReport(
      findings, diagnostics: diagnostics, environment: workspace.place.environment,
      store: workspace.recorded.store, leftOut: parted.leftOut, passing: passing)
    tellBaseline()
    tellPassing()
    guard format == .json || !findings.isEmpty || !diagnostics.isEmpty || !options.isQuiet(in: world) else { return }
    switch format {
    case .json: output.write(try Document.drift(report))
    case .text:
      output.write(
        DriftText.render(
          report, style: options.style(for: output, in: world), source: workspace.project.sourceLine))
    case .markdown: output.write(DriftMarkdown.render(report))
    case .github:
      let github = GitHub(world: world)
      github.tell(
        GitHubText.annotations(findings) + GitHubText.annotations(diagnostics, path: github.path),
        summary: DriftMarkdown.render(report))
    }
  }

  /// Says what may pass for now.
  private func tellPassing() {
    let world = workspace.world
    guard !workspace.options.isQuiet(in: world) else { return }
    let style = workspace.options.style(for: world.err, in: world)
    for outage in passing {
      let address = outage.diagnostic.address?.description ?? ""
      world.err.write(
        "\(address): not reached since \(style.time(outage.since)); counts from \(style.time(outage.until)).\n")
    }
  }

  /// Says where the baseline no longer says what is so.
  private func tellBaseline() {
    let world = workspace.world
    guard !workspace.options.isQuiet(in: world) else { return }
    let style = workspace.options.style(for: world.err, in: world)
    for entry in parted.overdue {
      world.err.write(
        "\(entry.address): the baseline knew this until \(entry.end.map(style.dateOrTime) ?? entry.until); it counts again.\n"
      )
    }
    for entry in parted.unknown {
      world.err.write("\(entry.address): the baseline knows this, and it is no longer found.\n")
    }
  }
}
