internal import KeyplanModel
package import KeyplanPlanning

/// A diagnostic in a saved plan: with the words that it had when the plan was made.
package struct SavedDiagnostic: Hashable, Sendable, Codable {
  private let code: Diagnostic.Code
  private let detail: String
  private let hint: String?
  private let place: FileLocation?
  private let address: Address?
  private let cause: Diagnostic.Cause?
  private let failure: AccessFailure.Kind?

  /// - Parameter detail: whole sentences about this one case.
  package init(_ diagnostic: Diagnostic, detail: String, hint: String?) {
    code = diagnostic.code
    self.detail = detail
    self.hint = hint
    place = diagnostic.place
    address = diagnostic.address
    cause = diagnostic.cause
    failure = diagnostic.failure
  }

  /// The diagnostic in those words.
  package var diagnostic: Diagnostic {
    Diagnostic(code, detail, hint: hint, at: place, of: address, because: cause, failure: failure)
  }
}
