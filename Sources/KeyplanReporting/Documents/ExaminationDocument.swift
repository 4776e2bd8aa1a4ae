extension Document {
  /// The JSON of `doctor`; `schemas/doctor.schema.json`.
  package static func examination(_ checks: [Check]) throws -> String { try text(ExaminationDocument(checks)) }
}

private struct ExaminationDocument: Encodable {
  let formatVersion = 1
  let checks: [CheckFields]
  let summary: CheckSummary

  init(_ checks: [Check]) {
    self.checks = checks.map(CheckFields.init)
    summary = CheckSummary(checks)
  }
}

/// One check of a document.
struct CheckFields: Encodable {
  let subject: Check.Subject
  let level: Check.Level
  let detail: String
  let hint: String?

  init(_ check: Check) { (subject, level, detail, hint) = (check.subject, check.level, check.detail, check.hint) }
}

/// The number of checks of each level.
struct CheckSummary: Encodable {
  let ok: Int
  let warnings: Int
  let errors: Int

  init(_ checks: [Check]) {
    ok = checks.count { $0.level == .ok }
    warnings = checks.count { $0.level == .warning }
    errors = checks.count { $0.level == .error }
  }
}
