internal import KeyplanModel

/// The page of the documents that checks and formats of keys come from, in Markdown.
package enum CheckSourcesPage {
  package static func render(_ checks: [CheckSources], _ formats: [FormatSource]) -> String {
    var lines = [
      "# Sources of checks", "",
      "This page is generated from the descriptions of providers. It lists the documents that the [checks of keys](checks.md)",
      "come from. A *preview* was \(PreviewMessages.meaning).", "",
      "| provider | document | for |", "|---|---|---|",
    ]
    for check in checks.filter({ !$0.isPreview }) + checks.filter(\.isPreview) {
      let names = check.providers.map { "`\($0)`" }.joined(separator: ", ") + (check.isPreview ? " (preview)" : "")
      for (index, document) in check.documents.enumerated() {
        lines.append("| \(index == 0 ? names : "") | \(document.name) | \(document.subjectWords) |")
      }
    }
    lines += ["", "## Formats of keys", "", "| provider | document |", "|---|---|"]
    lines += formats.map { "| `\($0.provider)` | \($0.document) |" }
    return (lines + [""]).joined(separator: "\n")
  }
}
