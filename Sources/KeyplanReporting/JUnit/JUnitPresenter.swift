internal import KeyplanModel
internal import KeyplanPlanning

/// For the test reports of CI services, in the form that Ant's JUnit task writes: one test case for each address. A finding that counts is a
/// *failure*; a failed check is an *error*, or *skipped* if that is only a warning. What was not looked at is *skipped*, too.
struct JUnitPresenter: Presenter {
  func plan(_ report: PlanReport) -> Presentation {
    Presentation(text: Self.render(report.diagnostics, of: "plan", report.environment))
  }

  func drift(_ report: DriftReport) -> Presentation {
    var cases: [String: [Outcome]] = [:]
    for address in report.declared?.addresses ?? [] { cases[address.description] = [] }
    for finding in report.findings {
      let words = FindingMessages(finding)
      let fix = [words.command, words.fix].compactMap(\.self).joined(separator: " ")
      let lines = [words.headline, words.consequence, fix].compactMap(\.self)
      cases[finding.address.description, default: []].append(
        Outcome(
          finding.level < report.failsFrom ? .passed : .failure, finding.kind.rawValue, words.headline,
          lines.joined(separator: "\n")))
    }
    for diagnostic in report.diagnostics { Self.add(diagnostic, to: &cases, as: .skipped) }
    for part in report.left.uncheckedParts {
      for address in part.addresses {
        cases[address.description, default: []].append(
          Outcome(.skipped, part.name, part.summary, "\(part.summary)."))
      }
    }
    return Presentation(text: Self.render(cases, of: "drift", report.environment))
  }

  func manifest(_ report: ManifestReport) -> Presentation {
    Presentation(text: Self.render(report.parts.flatMap(\.diagnostics), of: report.command, report.environment))
  }

  private struct Outcome {
    /// In the order of importance: a test case has one outcome.
    enum Kind: Int { case failure, error, skipped, passed }

    let kind: Kind
    let type: String
    let message: String
    let text: String

    init(_ kind: Kind, _ type: String, _ message: String, _ text: String) {
      (self.kind, self.type, self.message, self.text) = (kind, type, message, text)
    }
  }

  private static func render(_ diagnostics: [Diagnostic], of command: String, _ environment: String?) -> String {
    // Some readers reject a report without a test case.
    var cases: [String: [Outcome]] = diagnostics.isEmpty ? [command: []] : [:]
    for diagnostic in diagnostics.sorted() { add(diagnostic, to: &cases, as: .passed) }
    return render(cases, of: command, environment)
  }

  private static func add(_ diagnostic: Diagnostic, to cases: inout [String: [Outcome]], as warning: Outcome.Kind) {
    let message = diagnostic.message
    let name = diagnostic.address?.description ?? diagnostic.place?.file ?? diagnostic.code.rawValue
    let place = diagnostic.place.map { "\($0): " } ?? ""
    cases[name, default: []].append(
      Outcome(
        diagnostic.code.severity == .error ? .error : warning, diagnostic.code.rawValue, diagnostic.summary,
        place + [message.detail, message.hint].compactMap(\.self).joined(separator: "\n")))
  }

  private static func render(
    _ cases: [String: [Outcome]], of command: String, _ environment: String?
  ) -> String {
    let suite = "keyplan \(command)" + (environment.map { " (\($0))" } ?? "")
    var counts: [Outcome.Kind: Int] = [:]
    var body = ""
    for (name, outcomes) in cases.sorted(by: { $0.key < $1.key }) {
      let kind = outcomes.map(\.kind).min { $0.rawValue < $1.rawValue } ?? .passed
      counts[kind, default: 0] += 1
      let text = Markup.lines(outcomes.map(\.text).joined(separator: "\n"))
      body += "    <testcase classname=\"\(Markup.escaped(suite))\" name=\"\(Markup.escaped(name))\""
      let first = outcomes.first { $0.kind == kind }
      let attributes = first.map { " type=\"\(Markup.escaped($0.type))\" message=\"\(Markup.escaped($0.message))\"" }
      switch (kind, outcomes.isEmpty) {
      case (_, true): body += "/>\n"
      case (.failure, _): body += "><failure\(attributes ?? "")>\(text)</failure></testcase>\n"
      case (.error, _): body += "><error\(attributes ?? "")>\(text)</error></testcase>\n"
      case (.skipped, _):
        body +=
          "><skipped message=\"\(Markup.escaped(first?.message ?? ""))\"/><system-out>\(text)</system-out></testcase>\n"
      case (.passed, _): body += "><system-out>\(text)</system-out></testcase>\n"
      }
    }
    let sums =
      "tests=\"\(cases.count)\" failures=\"\(counts[.failure] ?? 0)\" errors=\"\(counts[.error] ?? 0)\" skipped=\"\(counts[.skipped] ?? 0)\""
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites name="\(Markup.escaped(suite))" \(sums)>
        <testsuite name="\(Markup.escaped(suite))" \(sums)>
      \(body)  </testsuite>
      </testsuites>

      """
  }
}

extension Markup {
  /// Text of several lines, which `escaped` would write as one.
  static func lines(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { escaped(String($0)) }.joined(separator: "\n")
  }
}
