package import KeyplanModel

/// Makes one format of the reports that have several. Each format is a presenter of its own, chosen by `ReportFormat`.
package protocol Presenter {
  func plan(_ report: PlanReport) throws -> Presentation
  func drift(_ report: DriftReport) throws -> Presentation
  func manifest(_ report: ManifestReport) throws -> Presentation
}

/// A report in one format.
package struct Presentation {
  /// For the output that the user chose.
  package var text = ""
  /// Workflow commands for a CI service, to be written without changes.
  package var commands = ""
  /// Markdown for the summary of a CI job; nil for formats without one.
  package var summary: String?
  /// Outputs for later steps of a CI job. The values have no line feeds.
  package var outputs: [(name: String, value: String)] = []
}

/// The input of presenters other than the report.
package struct PresentationContext {
  package let style: Style
  package let now: Moment
  /// The line of the manifest at a place, with secrets masked; nil shows none.
  package let source: (FileLocation) -> String?
  /// A file's path from the repository's root.
  package let path: (String) -> String
  /// keyplan's version.
  package let version: String
  /// SHA-256.
  package let digest: ([UInt8]) -> [UInt8]

  package init(
    style: Style = Style(), now: Moment, source: @escaping (FileLocation) -> String? = { _ in nil },
    path: @escaping (String) -> String = { $0 }, version: String = "0.0.0",
    digest: @escaping ([UInt8]) -> [UInt8]
  ) {
    (self.style, self.now, self.source, self.path) = (style, now, source, path)
    (self.version, self.digest) = (version, digest)
  }
}

/// The formats of a report.
package enum ReportFormat: String, CaseIterable, Sendable {
  case text, json, markdown, github, sarif, junit

  /// Whether programs read it: then it is written even if it is empty.
  package var isForPrograms: Bool {
    switch self {
    case .json, .sarif, .junit: true
    case .text, .markdown, .github: false
    }
  }

  package func presenter(_ context: PresentationContext) -> any Presenter {
    switch self {
    case .text: TextPresenter(context: context)
    case .json: JSONPresenter()
    case .markdown: MarkdownPresenter(context: context)
    case .github: GitHubPresenter(context: context)
    case .sarif: SARIFPresenter(context: context)
    case .junit: JUnitPresenter()
    }
  }
}
