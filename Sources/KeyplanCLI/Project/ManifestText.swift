internal import KeyplanCore
internal import KeyplanManifest
internal import KeyplanReporting

/// What reading a manifest has to say.
enum ManifestText {
  /// Writes the diagnostics, or that all is well.
  static func tell(
    _ project: Project, _ options: GlobalOptions, as format: ReportFormat, in world: World, to output: Output
  ) throws {
    let diagnostics = project.diagnostics
    switch format {
    case .text: tellPeople(project, diagnostics, options, in: world, to: output)
    case .json: output.write(try Document.diagnostics(diagnostics))
    case .markdown:
      output.write(DriftMarkdown.render(diagnostics, of: "validate", environment: project.environment))
    case .github: GitHub(world: world).tell(diagnostics, of: "validate", environment: project.environment)
    }
  }

  private static func tellPeople(
    _ project: Project, _ diagnostics: [Diagnostic], _ options: GlobalOptions, in world: World, to output: Output
  ) {
    output.write(
      DiagnosticText.render(
        diagnostics, style: options.style(for: output, in: world), source: project.sourceLine))
    guard let manifest = project.reading.manifest, manifest.brokenRules.isEmpty, !options.isQuiet(in: world)
    else { return }
    let counts = [
      (manifest.keys.count, "key"), (manifest.slots.count, "slot"), (manifest.targets.count, "target"),
      (manifest.accounts.count, "calendar account"),
    ]
    let words = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }.joined(separator: ", ")
    output.write("\(project.shown) is valid: \(words.isEmpty ? "nothing is declared yet" : words).\n")
  }
}

extension Project {
  /// What reading has to say, and which of its own rules the manifest breaks by itself.
  var diagnostics: [Diagnostic] { (reading.diagnostics + (reading.manifest?.brokenRules ?? [])).sorted() }

  /// The line that a place is on, with everything masked that must not be shown. The files are searched for lines once, when the
  /// first place is asked for.
  var sourceLine: (FileLocation) -> String? {
    var lines: RedactedLines?
    return { place in
      let found = lines ?? RedactedLines(texts, of: reading, by: reader)
      lines = found
      return found[place]
    }
  }
}
