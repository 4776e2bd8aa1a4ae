package import KeyplanModel
package import KeyplanPlanning

/// The result of reading a manifest, in one environment or in several.
package struct ManifestReport {
  package let parts: [Part]
  /// The command that read it.
  package let command: String
  /// The environment if there is only one.
  package let environment: String?
  /// The number of declarations of a valid manifest, as lines of text; nil if they are not shown.
  package let declared: String?

  /// The diagnostics of the same environments.
  package struct Part {
    /// Their names; nil for the diagnostics of all.
    package let environments: [String]?
    package let diagnostics: [Diagnostic]
    /// The line of the manifest at a place, as these environments permit to show it; nil for the presenter's own.
    package let source: ((FileLocation) -> String?)?

    package init(
      _ diagnostics: [Diagnostic], in environments: [String]? = nil,
      source: ((FileLocation) -> String?)? = nil
    ) {
      (self.diagnostics, self.environments, self.source) = (diagnostics, environments, source)
    }

    /// `staging, production`
    var names: String? { environments?.joined(separator: ", ") }
  }

  package init(_ diagnostics: [Diagnostic], of command: String, environment: String?, declared: String? = nil) {
    self.init(
      [Part(diagnostics)], of: command, environment: environment, declared: declared)
  }

  package init(_ parts: [Part], of command: String, environment: String? = nil, declared: String? = nil) {
    (self.parts, self.command, self.environment, self.declared) = (parts, command, environment, declared)
  }
}
