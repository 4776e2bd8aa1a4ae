internal import KeyplanModel
internal import KeyplanPlanning

/// For code scanning: drift at the declarations that it is about, and diagnostics at their lines.
struct SARIFPresenter: Presenter {
  let context: PresentationContext

  /// The number of results that GitHub accepts in a run.
  static let limit = 25_000

  func plan(_ report: PlanReport) throws -> Presentation {
    try present(report.diagnostics.map { result($0, report.environment) }, of: "plan", report.environment)
  }

  func drift(_ report: DriftReport) throws -> Presentation {
    try present(
      report.findings.map { result($0, report) }, unknown: report.diagnostics, unchecked: report.left.uncheckedParts,
      of: "drift", report.environment)
  }

  func manifest(_ report: ManifestReport) throws -> Presentation {
    let results = report.parts.flatMap { part in
      part.diagnostics.sorted().map { result($0, part.names ?? report.environment) }
    }
    return try present(results, of: report.command, report.environment)
  }

  private struct Found {
    let rule: SARIFDocument.Rule
    let level: SARIFDocument.Level
    let message: String
    let location: SARIFDocument.Location
    /// The parts that are the same in the next run, even if the line has moved.
    let identity: [String]
  }

  private func result(_ finding: Finding, _ report: DriftReport) -> Found {
    let words = FindingMessages(finding)
    let fix = [words.command.map { "`\($0)`" }, words.fix].compactMap(\.self).joined(separator: " ")
    let sentences = [
      "\(finding.address): \(words.headline).", words.consequence.map { $0.capitalizedFirst + "." }, "Fix: \(fix).",
    ]
    return Found(
      rule: SARIFDocument.Rule(
        id: "drift/\(finding.kind.rawValue)", shortDescription: SARIFDocument.Text(finding.kind.summary)),
      level: finding.level.sarif, message: sentences.compactMap(\.self).joined(separator: " "),
      location: location(report.declared?.place(of: finding.address), finding.address),
      identity: [report.environment ?? "", finding.kind.rawValue, finding.address.description])
  }

  private func result(_ diagnostic: Diagnostic, _ environment: String?) -> Found {
    let message = diagnostic.message
    return Found(
      rule: rule(of: diagnostic), level: diagnostic.code.severity == .error ? .error : .warning,
      message: [message.detail, message.hint].compactMap(\.self).joined(separator: " "),
      location: location(diagnostic.place, diagnostic.address),
      identity: [
        environment ?? "", diagnostic.code.rawValue, diagnostic.address?.description ?? diagnostic.place?.file ?? "",
        message.detail,
      ])
  }

  private func rule(of diagnostic: Diagnostic) -> SARIFDocument.Rule {
    SARIFDocument.Rule(
      id: "check/\(diagnostic.code.rawValue)", shortDescription: SARIFDocument.Text(diagnostic.code.summary))
  }

  private func location(_ place: FileLocation?, _ address: Address?) -> SARIFDocument.Location {
    SARIFDocument.Location(
      physicalLocation: place.map { place in
        SARIFDocument.Location.Physical(
          artifactLocation: SARIFDocument.Location.Artifact(path: context.path(place.file)),
          region: SARIFDocument.Location.Region(
            startLine: place.line, startColumn: place.column, endColumn: place.column + place.width))
      },
      logicalLocations: address.map { [.init(fullyQualifiedName: Glyphs.visible($0.description))] })
  }

  private func present(
    _ all: [Found], unknown: [Diagnostic] = [], unchecked: [UncheckedPart] = [], of command: String,
    _ environment: String?
  ) throws -> Presentation {
    var seen: [[String]: Int] = [:]
    let found = all.prefix(Self.limit)
    let results = found.map { found in
      seen[found.identity, default: 0] += 1
      return SARIFDocument.Result(
        ruleId: found.rule.id, level: found.level, message: SARIFDocument.Text(found.message),
        locations: [found.location], partialFingerprints: fingerprints(found.identity, seen[found.identity] ?? 1))
    }
    var notifications = unknown.map { diagnostic in
      let message = diagnostic.message
      return SARIFDocument.Notification(
        descriptor: .init(id: rule(of: diagnostic).id), level: diagnostic.code.severity == .error ? .error : .warning,
        message: SARIFDocument.Text([message.detail, message.hint].compactMap(\.self).joined(separator: " ")),
        locations: [location(diagnostic.place, diagnostic.address)])
    }
    var kinds = Set(unknown.map { rule(of: $0) })
    for part in unchecked {
      let rule = SARIFDocument.Rule(id: "keyplan/\(part.name)", shortDescription: SARIFDocument.Text(part.summary))
      kinds.insert(rule)
      notifications.append(
        SARIFDocument.Notification(
          descriptor: .init(id: rule.id), level: .note, message: SARIFDocument.Text(part.sentence), locations: []))
    }
    if all.count > found.count {
      let left = SARIFDocument.Rule(id: "keyplan/leftOut", shortDescription: SARIFDocument.Text("Results left out"))
      kinds.insert(left)
      notifications.append(
        SARIFDocument.Notification(
          descriptor: .init(id: left.id), level: .warning,
          message: SARIFDocument.Text("\(Spans.number(all.count - found.count)) less urgent results are left out."),
          locations: []))
    }
    let run = SARIFDocument.Run(
      tool: SARIFDocument.Tool(
        driver: .init(
          semanticVersion: context.version, rules: Set(found.map(\.rule)).sorted { $0.id < $1.id },
          notifications: kinds.sorted { $0.id < $1.id })),
      automationDetails: .init(id: "keyplan-\(command)/\(environment.map { "\($0)/" } ?? "")"),
      invocations: [
        .init(
          executionSuccessful: !unknown.contains { $0.code.severity == .error },
          toolExecutionNotifications: notifications)
      ], results: results)
    return Presentation(text: try Document.text(SARIFDocument(runs: [run])))
  }

  /// `primaryLocationLineHash` is the one that GitHub compares. Without it GitHub hashes the line, so that an alert is closed and opened
  /// again when the declaration is edited.
  private func fingerprints(_ identity: [String], _ number: Int) -> [String: String] {
    let joined = identity.map { "\($0.utf8.count):\($0)" }.joined()
    let digits = context.digest(Array(joined.utf8)).hexadecimal
    return ["keyplan/v1": "\(digits):\(number)", "primaryLocationLineHash": "\(digits.prefix(32)):\(number)"]
  }
}

extension Finding.Level {
  fileprivate var sarif: SARIFDocument.Level {
    switch self {
    case .broken: .error
    case .pending: .warning
    case .soon: .note
    }
  }
}
