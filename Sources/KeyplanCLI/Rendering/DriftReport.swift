import KeyplanCore

/// What drift found, with all that is shown beside it.
struct DriftReport: Sendable {
  /// The findings, the most urgent first.
  let findings: [Finding]
  /// What could not be asked, errors first.
  let diagnostics: [Diagnostic]
  /// The environment; nil for the one without a name.
  let environment: String?
  /// The store.
  let store: StoreState?
  /// What was found and does not count.
  let leftOut: [LeftOut]

  init(
    _ findings: [Finding], diagnostics: [Diagnostic] = [], environment: String? = nil, store: StoreState? = nil,
    leftOut: [LeftOut] = []
  ) {
    self.findings = findings.sorted()
    self.diagnostics = diagnostics.sorted()
    self.environment = environment
    self.store = store
    self.leftOut = leftOut.sorted { $0.finding < $1.finding }
  }

  /// `3 findings`, `1 warning`, `1 error`. What only nears its end is a warning.
  var counts: [String] {
    let soon = findings.count { $0.level == .soon }
    let errors = diagnostics.count { $0.code.severity == .error }
    let all = [
      (findings.count - soon, "finding"), (diagnostics.count - errors + soon, "warning"), (errors, "error"),
    ]
    return all.filter { $0.0 > 0 }.map { Spans.count($0.0, $0.1) }
  }
}
