extension Document {
  /// The JSON of `doctor`; `schemas/doctor.schema.json`.
  package static func examination(_ checks: [Check]) throws -> String { try text(ExaminationDocument(checks)) }
}

private struct ExaminationDocument: Encodable {
  let formatVersion = 1
  let checks: [CheckFields]
  let summary: Summary

  struct CheckFields: Encodable {
    let subject: Check.Subject
    let level: Check.Level
    let detail: String
    let hint: String?
  }

  struct Summary: Encodable {
    let ok: Int
    let warnings: Int
    let errors: Int
  }

  init(_ checks: [Check]) {
    self.checks = checks.map { CheckFields(subject: $0.subject, level: $0.level, detail: $0.detail, hint: $0.hint) }
    summary = Summary(
      ok: checks.count { $0.level == .ok }, warnings: checks.count { $0.level == .warning },
      errors: checks.count { $0.level == .error })
  }
}
