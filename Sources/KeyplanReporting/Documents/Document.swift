internal import FoundationEssentials
package import KeyplanApply
package import KeyplanModel
package import KeyplanPlanning

/// The JSON output of commands: one object on one line, keys sorted, lists in a stable order, without values. Each has its schema in
/// `schemas/`; `formatVersion` grows when a reader of the older form would misread it.
package enum Document {
  /// The JSON of `plan`; `schemas/plan.schema.json`.
  package static func plan(_ report: PlanReport) throws -> String { try text(PlanDocument(report)) }

  /// The JSON of `drift`; `schemas/drift.schema.json`.
  package static func drift(_ report: DriftReport) throws -> String { try text(DriftDocument(report)) }

  /// The JSON of `validate`; `schemas/diagnostics.schema.json`.
  package static func diagnostics(_ diagnostics: [Diagnostic]) throws -> String {
    try self.diagnostics(of: [ManifestReport.Part(diagnostics)])
  }

  package static func diagnostics(of parts: [ManifestReport.Part]) throws -> String {
    try text(DiagnosticsDocument(parts))
  }

  /// The JSON of `keys`; `schemas/keys.schema.json`.
  package static func keys(_ listing: KeyListing, environment: String?, store: StoreState?) throws -> String {
    try text(KeysDocument(listing, environment: environment, store: store))
  }

  /// The JSON of `show` and `records` for the whole store, or for one record; `schemas/show.schema.json`. Nil for an unknown record.
  package static func recorded(
    _ recorded: Recorded, of kinds: RecordKinds = .all, only address: Address? = nil
  ) throws -> String? {
    guard let document = RecordedDocument(recorded, of: kinds, only: address) else { return nil }
    return try text(document)
  }

  /// The JSON of `apply`; `schemas/apply.schema.json`.
  package static func applied(_ report: PlanReport, _ reports: [StepReport]?) throws -> String {
    try text(ApplyDocument(report, reports))
  }

  /// One object on one line. It contains foreign names: they are escaped so that they mean the same to a program and cannot control a
  /// terminal.
  package static func text(_ document: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let text = Glyphs.visible(inJSON: String(decoding: try encoder.encode(document), as: UTF8.self))
    // Without this, CI services that look for `##[` and `##vso[` in a log could mistake the text for a command.
    return text.replacing("##", with: "#\\u0023") + "\n"
  }
}

private struct PlanDocument: Encodable {
  let formatVersion = 1
  let environment: String?
  let store: StoreFields?
  let id: String?
  /// Absent if there are none.
  let newVariables: [VariableFields]?
  let steps: [StepDocument]
  let summary: Summary
  let diagnostics: [DiagnosticFields]

  struct Summary: Encodable {
    let steps: Int
    let byAction: [String: Int]
    let errors: Int
    let warnings: Int
    let isHeldBack: Bool
  }

  struct VariableFields: Encodable {
    let name: String
    let setBy: [Address]
  }

  init(_ report: PlanReport) {
    environment = report.environment
    store = report.store.map(StoreFields.init)
    id = report.id
    let variables = NewVariables(report).names.map { VariableFields(name: $0.name, setBy: $0.owners) }
    newVariables = variables.isEmpty ? nil : variables
    steps = report.reading.map(StepDocument.init)
    diagnostics = report.diagnostics.map { DiagnosticFields($0) }
    let errors = report.diagnostics.count { $0.code.severity == .error }
    summary = Summary(
      steps: steps.count, byAction: Tally(report.plan.steps).byAction, errors: errors,
      warnings: diagnostics.count - errors,
      isHeldBack: report.isHeldBack)
  }
}

struct DriftDocument: Encodable {
  let formatVersion = 1
  let environment: String?
  let store: StoreFields?
  /// Absent if no plan is known to have been applied.
  let lastApply: RunFields?
  let findings: [FindingFields]
  /// Absent where everything that was found counts.
  let leftOut: [LeftOutFields]?
  let summary: Summary
  let diagnostics: [DiagnosticFields]

  struct Summary: Encodable {
    let broken: Int
    let pending: Int
    let soon: Int
    let errors: Int
    let warnings: Int
    let notCompared: Int
    let notRead: Int
    let noValue: Int
  }

  /// A finding, or an unreachable place.
  struct LeftOutFields: Encodable {
    var finding: FindingFields?
    var diagnostic: DiagnosticFields?
    let by: String
    var since: String?
    let until: String?
  }

  struct FindingFields: Encodable {
    let level: Finding.Level
    let kind: Finding.Kind
    let address: Address
    let since: String?
    let detail: String?

    init(_ finding: Finding) {
      (level, kind, address) = (finding.level, finding.kind, finding.address)
      (since, detail) = (finding.since?.description, finding.detail)
    }
  }

  init(_ report: DriftReport) {
    environment = report.environment
    store = report.store.map(StoreFields.init)
    lastApply = report.store?.lastPlan.map(RunFields.init)
    findings = report.findings.map(FindingFields.init)
    let all = report.leftOut.map { left in
      let until: Moment? = if case .baseline(let until) = left.reason { until } else { nil }
      return LeftOutFields(
        finding: FindingFields(left.finding), by: left.reason.word, until: until?.description)
    }
    let passing = report.passing.map { outage in
      LeftOutFields(
        diagnostic: DiagnosticFields(outage.diagnostic), by: "unreachable-after", since: outage.since.description,
        until: outage.until.description)
    }
    leftOut = all.isEmpty && passing.isEmpty ? nil : all + passing
    diagnostics = report.diagnostics.map { DiagnosticFields($0) }
    let errors = report.diagnostics.count { $0.code.severity == .error }
    summary = Summary(
      broken: report.findings.count { $0.level == .broken }, pending: report.findings.count { $0.level == .pending },
      soon: report.findings.count { $0.level == .soon }, errors: errors, warnings: diagnostics.count - errors,
      notCompared: report.left.notCompared.count, notRead: report.left.notRead.count,
      noValue: report.left.absent.count)
  }
}

private struct DiagnosticsDocument: Encodable {
  let formatVersion = 1
  let diagnostics: [DiagnosticFields]
  let summary: Summary

  struct Summary: Encodable {
    let errors: Int
    let warnings: Int
  }

  init(_ parts: [ManifestReport.Part]) {
    let found = parts.flatMap { part in part.diagnostics.map { ($0, part.environments) } }.sorted { $0.0 < $1.0 }
    diagnostics = found.map { DiagnosticFields($0, in: $1) }
    let all = found.map(\.0)
    let errors = all.count { $0.code.severity == .error }
    summary = Summary(errors: errors, warnings: all.count - errors)
  }
}

struct KeysDocument: Encodable {
  let formatVersion = 1
  let environment: String?
  let store: StoreFields?
  let keys: [Row]

  struct Row: Encodable {
    let fields: Fields
    let texts: KeyTexts

    func encode(to encoder: any Encoder) throws {
      try fields.encode(to: encoder)
      try texts.encode(to: encoder)
    }
  }

  struct Fields: Encodable {
    let name: Identifier<Key>
    let provider: String
    let variable: String?
    let isDeclared: Bool
    let isRecorded: Bool
    let isProtected: Bool
    let activeIn: [Identifier<Slot>]
    let version: Int64?
    let storedAt: String?
    let issuedAt: String?
    let endsAt: String?
    let state: String?
    let retiredAt: String?
    let revokedAt: String?
    let revocationReason: String?
    let exposedTo: [ExposureFields]?
    let composedOf: [Identifier<Key>]?
    let unusablePart: Identifier<Key>?
    let standings: [KeyStanding]?
    let labels: [String: String]
  }

  init(_ listing: KeyListing, environment: String?, store: StoreState?) {
    self.environment = environment
    self.store = store.map(StoreFields.init)
    keys = listing.rows.map { row in
      let (state, end): (String?, Moment?) =
        switch row.expiry {
        case .fresh(let end): ("fresh", end)
        case .soon(let end): ("soon", end)
        case .over(let end): ("over", end)
        case nil: (nil, nil)
        }
      let fields = Fields(
        name: row.name, provider: row.facts.provider, variable: row.facts.variable,
        isDeclared: row.isDeclared, isRecorded: row.version != nil, isProtected: row.facts.isProtected,
        activeIn: row.slots, version: row.version?.number, storedAt: row.version?.storedAt.description,
        issuedAt: row.issuedAt?.description, endsAt: end?.description, state: state,
        retiredAt: row.retiredAt?.description, revokedAt: row.revocation?.at.description,
        revocationReason: row.revocation?.reason, exposedTo: ExposureFields.list(row.exposures),
        composedOf: row.parts.isEmpty ? nil : row.parts, unusablePart: row.serving?.part,
        standings: row.standings.isEmpty ? nil : row.standings, labels: row.facts.labels)
      return Row(fields: fields, texts: row.facts.texts)
    }
  }
}

/// A removed recipient who could read a value.
package struct ExposureFields: Encodable {
  package let recipient: Identifier<Recipient>
  package let since: String

  /// Nil for none.
  package static func list(_ exposures: [Exposure]) -> [ExposureFields]? {
    exposures.isEmpty ? nil : exposures.map { ExposureFields(recipient: $0.recipient, since: $0.since.description) }
  }
}

/// The store of a document.
package struct StoreFields: Encodable {
  package let id: String
  package let serial: Int64
  package let epoch: Int64
  package let appliedAt: String?

  package init(_ store: StoreState) {
    id = store.id
    serial = store.serial
    epoch = store.epoch
    appliedAt = store.appliedAt?.description
  }
}
