internal import KeyplanModel
internal import KeyplanPlanning

struct TextPresenter: Presenter {
  let context: PresentationContext

  func plan(_ report: PlanReport) -> Presentation {
    Presentation(text: PlanText.render(report, style: context.style, at: context.now, source: context.source))
  }

  func drift(_ report: DriftReport) -> Presentation {
    Presentation(text: DriftText.render(report, style: context.style, source: context.source))
  }

  func manifest(_ report: ManifestReport) -> Presentation {
    var text = ""
    for part in report.parts where !part.diagnostics.isEmpty {
      if !text.isEmpty { text += "\n" }
      if let names = part.names { text += "In \(Glyphs.visible(names)):\n\n" }
      text += DiagnosticText.render(part.diagnostics, style: context.style, source: part.source ?? context.source)
    }
    return Presentation(text: text + (report.declared ?? ""))
  }
}

struct JSONPresenter: Presenter {
  func plan(_ report: PlanReport) throws -> Presentation { Presentation(text: try Document.plan(report)) }
  func drift(_ report: DriftReport) throws -> Presentation { Presentation(text: try Document.drift(report)) }

  func manifest(_ report: ManifestReport) throws -> Presentation {
    Presentation(text: try Document.diagnostics(of: report.parts))
  }
}

struct MarkdownPresenter: Presenter {
  let context: PresentationContext

  func plan(_ report: PlanReport) -> Presentation {
    Presentation(text: PlanMarkdown.render(report, at: context.now))
  }

  func drift(_ report: DriftReport) -> Presentation { Presentation(text: DriftMarkdown.render(report)) }

  func manifest(_ report: ManifestReport) -> Presentation {
    let found = report.parts.filter { !$0.diagnostics.isEmpty }
    let parts = found.isEmpty ? [ManifestReport.Part([])] : found
    return Presentation(
      text: parts.map { part in
        DriftMarkdown.render(part.diagnostics, of: report.command, environment: part.names ?? report.environment)
      }.joined(separator: "\n"))
  }
}

/// The report as text for the job's log, annotations on the manifest's lines, and Markdown for the job's summary.
struct GitHubPresenter: Presenter {
  let context: PresentationContext
  private var markdown: MarkdownPresenter { MarkdownPresenter(context: context) }
  private var text: TextPresenter { TextPresenter(context: context) }

  init(context: PresentationContext) { self.context = context }

  func plan(_ report: PlanReport) -> Presentation {
    Presentation(
      text: text.plan(report).text,
      commands: GitHubText.annotations(report.diagnostics, path: context.path), summary: markdown.plan(report).text,
      outputs: [("changes", "\(!report.plan.isEmpty)")] + (report.id.map { [("id", $0)] } ?? []))
  }

  func drift(_ report: DriftReport) -> Presentation {
    Presentation(
      text: text.drift(report).text,
      commands: GitHubText.annotations(report.findings, declared: report.declared, path: context.path)
        + GitHubText.annotations(report.diagnostics, path: context.path),
      summary: markdown.drift(report).text)
  }

  func manifest(_ report: ManifestReport) -> Presentation {
    Presentation(
      text: text.manifest(report).text,
      commands: report.parts.map { part in
        GitHubText.annotations(part.diagnostics, in: part.names, path: context.path)
      }.joined(),
      summary: markdown.manifest(report).text)
  }
}
