internal import KeyplanCore

struct TextPresenter: Presenter {
  let context: PresentationContext

  func plan(_ report: PlanReport) -> Presentation {
    Presentation(text: PlanText.render(report, style: context.style, at: context.now, source: context.source))
  }

  func drift(_ report: DriftReport) -> Presentation {
    Presentation(text: DriftText.render(report, style: context.style, source: context.source))
  }

  func manifest(_ report: ManifestReport) -> Presentation {
    let diagnostics = DiagnosticText.render(report.diagnostics, style: context.style, source: context.source)
    return Presentation(text: diagnostics + (report.declared ?? ""))
  }
}

struct JSONPresenter: Presenter {
  func plan(_ report: PlanReport) throws -> Presentation { Presentation(text: try Document.plan(report)) }
  func drift(_ report: DriftReport) throws -> Presentation { Presentation(text: try Document.drift(report)) }

  func manifest(_ report: ManifestReport) throws -> Presentation {
    Presentation(text: try Document.diagnostics(report.diagnostics))
  }
}

struct MarkdownPresenter: Presenter {
  let context: PresentationContext

  func plan(_ report: PlanReport) -> Presentation {
    Presentation(text: PlanMarkdown.render(report, at: context.now))
  }

  func drift(_ report: DriftReport) -> Presentation { Presentation(text: DriftMarkdown.render(report)) }

  func manifest(_ report: ManifestReport) -> Presentation {
    Presentation(
      text: DriftMarkdown.render(report.diagnostics, of: report.command, environment: report.environment))
  }
}

/// Annotations on the manifest's lines, and Markdown for the job's summary.
struct GitHubPresenter: Presenter {
  let context: PresentationContext
  private var markdown: MarkdownPresenter { MarkdownPresenter(context: context) }

  init(context: PresentationContext) { self.context = context }

  func plan(_ report: PlanReport) -> Presentation {
    Presentation(
      commands: GitHubText.annotations(report.diagnostics, path: context.path), summary: markdown.plan(report).text,
      outputs: [("changes", "\(!report.plan.isEmpty)")] + (report.id.map { [("id", $0)] } ?? []))
  }

  func drift(_ report: DriftReport) -> Presentation {
    Presentation(
      commands: GitHubText.annotations(report.findings)
        + GitHubText.annotations(report.diagnostics, path: context.path),
      summary: markdown.drift(report).text)
  }

  func manifest(_ report: ManifestReport) -> Presentation {
    Presentation(
      commands: GitHubText.annotations(report.diagnostics, path: context.path),
      summary: markdown.manifest(report).text)
  }
}
