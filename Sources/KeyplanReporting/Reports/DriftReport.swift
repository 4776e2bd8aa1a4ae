package import KeyplanCore

/// What drift found, with all that is shown beside it.
package struct DriftReport: Sendable {
  /// The findings, the most urgent first.
  package let findings: [Finding]
  /// What could not be asked, errors first.
  package let diagnostics: [Diagnostic]
  /// The environment; nil for the one without a name.
  package let environment: String?
  /// The store.
  package let store: StoreState?
  /// What was found and does not count.
  package let leftOut: [LeftOut]
  /// What could not be reached and may pass for now.
  package let passing: [Outage]
  /// The manifest's declarations; nil where nothing shows them.
  package let declared: DeclaredPlaces?
  /// The lowest level of findings that counts as a failure.
  package let failsFrom: Finding.Level

  package init(
    _ findings: [Finding], diagnostics: [Diagnostic] = [], environment: String? = nil, store: StoreState? = nil,
    leftOut: [LeftOut] = [], passing: [Outage] = [], declared: DeclaredPlaces? = nil,
    failsFrom: Finding.Level = .pending
  ) {
    (self.declared, self.failsFrom) = (declared, failsFrom)
    self.findings = findings.sorted()
    self.diagnostics = diagnostics.sorted()
    self.environment = environment
    self.store = store
    self.leftOut = leftOut.sorted { $0.finding < $1.finding }
    self.passing = passing.sorted { $0.diagnostic < $1.diagnostic }
  }

  /// `Left out: 1 by --ignore, 2 by --baseline.`; nil where nothing is.
  package var leftOutSum: String? {
    let words = leftOut.map(\.reason.word) + passing.map { _ in "unreachable-after" }
    let counts = ["ignore", "since", "baseline", "unreachable-after"].map { word in (word, words.count { $0 == word }) }
    let parts = counts.filter { $0.1 > 0 }.map { "\($0.1) by --\($0.0)" }
    return parts.isEmpty ? nil : "Left out: \(parts.joined(separator: ", "))."
  }

  /// `3 findings`, `1 warning`, `1 error`. What only expires soon is a warning.
  package var counts: [String] {
    let soon = findings.count { $0.level == .soon }
    let errors = diagnostics.count { $0.code.severity == .error }
    let all = [
      (findings.count - soon, "finding"), (diagnostics.count - errors + soon, "warning"), (errors, "error"),
    ]
    return all.filter { $0.0 > 0 }.map { Spans.count($0.0, $0.1) }
  }
}
