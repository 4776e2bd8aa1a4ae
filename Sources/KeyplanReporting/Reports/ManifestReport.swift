package import KeyplanCore

/// What reading a manifest found.
package struct ManifestReport: Sendable {
  package let diagnostics: [Diagnostic]
  /// The command that read it.
  package let command: String
  package let environment: String?
  /// How much a valid manifest declares, as a line of text; nil where that is not shown.
  package let declared: String?

  package init(_ diagnostics: [Diagnostic], of command: String, environment: String?, declared: String? = nil) {
    (self.diagnostics, self.command, self.environment, self.declared) = (diagnostics, command, environment, declared)
  }
}
