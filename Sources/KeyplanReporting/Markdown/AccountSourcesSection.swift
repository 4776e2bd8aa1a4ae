package import KeyplanModel

/// The last section of the page about calendar accounts, in Markdown: the documents that keyplan's knowledge of the
/// services comes from.
package enum AccountSourcesSection {
  package static func render(_ services: [AccountFacts.Service]) -> String {
    var lines = [
      "## Sources", "", "What keyplan sends to the services, and expects of them, comes from these documents.", "",
      "| service | document | for |", "|---|---|---|",
    ]
    for service in services {
      for (index, document) in service.sources.enumerated() {
        let name = index == 0 ? "`\(service.rawValue)`" : ""
        lines.append("| \(name) | \(document.name) | \(document.subjectWords) |")
      }
    }
    return (lines + [""]).joined(separator: "\n")
  }
}
