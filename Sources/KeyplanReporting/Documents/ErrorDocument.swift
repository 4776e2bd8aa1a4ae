internal import KeyplanModel
package import KeyplanPlanning

/// The document that programs get if a command cannot make its own: the error and the exit code. `$defs/error` in each schema.
package struct ErrorDocument: Encodable {
  package let formatVersion = 1
  /// Only this document has it.
  package let exitCode: Int32
  package let diagnostics: [DiagnosticFields]
  package let summary: Summary

  package struct Summary: Encodable {
    package let errors: Int
    package let warnings: Int
  }

  /// A command that ended early.
  package init(_ failure: Failure) {
    exitCode = failure.status.rawValue
    diagnostics = [DiagnosticFields(summary: failure.summary, detail: failure.detail, hint: failure.hint)]
    summary = Summary(errors: 1, warnings: 0)
  }

  /// A manifest that has errors.
  package init(_ status: ExitStatus, _ all: [Diagnostic]) {
    exitCode = status.rawValue
    diagnostics = all.map { DiagnosticFields($0) }
    let errors = all.count { $0.code.severity == .error }
    summary = Summary(errors: errors, warnings: all.count - errors)
  }
}
