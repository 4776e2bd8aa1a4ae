package import KeyplanModel
package import KeyplanPlanning

/// A diagnostic as documents and events have it.
package struct DiagnosticFields: Encodable {
  package let severity: Diagnostic.Severity
  /// Absent where a command ended early for another reason than a diagnostic.
  package let code: Diagnostic.Code?
  package let summary: String
  package let detail: String
  package let hint: String?
  package let place: FileLocation?
  package let address: Address?
  /// The reason that a place was unreachable or unusable; absent if the diagnostic is not about that.
  package let failure: AccessFailure.Kind?
  /// The part that an error blocks; absent for warnings.
  package let blocks: String?
  /// The environments that it is about; absent if it is about all that were read.
  package let environments: [String]?

  package init(_ diagnostic: Diagnostic, in environments: [String]? = nil) {
    self.environments = environments
    severity = diagnostic.code.severity
    code = diagnostic.code
    let message = diagnostic.message
    summary = diagnostic.summary
    (detail, hint) = (message.detail, message.hint)
    place = diagnostic.place
    address = diagnostic.address
    failure = diagnostic.failure
    blocks =
      switch (diagnostic.code.severity, diagnostic.code.reach) {
      case (.warning, _): nil
      case (.error, .everything): "everything"
      case (.error, .itself): "itself"
      }
  }

  /// The error that ended a command early.
  package init(summary: String, detail: String, hint: String?) {
    (severity, code, place, address, failure, blocks) = (.error, nil, nil, nil, nil, "everything")
    environments = nil
    (self.summary, self.detail, self.hint) = (summary, detail, hint)
  }
}
