import KeyplanCore

/// What a program gets in the place of a command's own document, where that cannot be made: why, and the exit code.
/// `$defs/error` in each schema.
struct ErrorDocument: Encodable {
  let formatVersion = 1
  /// Only this document has it.
  let exitCode: Int32
  let diagnostics: [DiagnosticFields]
  let summary: Summary

  struct Summary: Encodable {
    let errors: Int
    let warnings: Int
  }

  /// A command that ended early.
  init(_ failure: Failure) {
    exitCode = failure.status.rawValue
    diagnostics = [DiagnosticFields(summary: failure.summary, detail: failure.detail, hint: failure.hint)]
    summary = Summary(errors: 1, warnings: 0)
  }

  /// A manifest that has errors.
  init(_ status: ExitStatus, _ all: [Diagnostic]) {
    exitCode = status.rawValue
    diagnostics = all.map(DiagnosticFields.init)
    let errors = all.count { $0.code.severity == .error }
    summary = Summary(errors: errors, warnings: all.count - errors)
  }
}
