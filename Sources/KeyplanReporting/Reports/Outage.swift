package import KeyplanModel
package import KeyplanPlanning

/// What was unreachable, and does not count before a moment.
package struct Outage: Hashable, Sendable {
  package let diagnostic: Diagnostic
  package let since: Moment
  package let until: Moment

  package init(_ diagnostic: Diagnostic, since: Moment, until: Moment) {
    self.diagnostic = diagnostic
    self.since = since
    self.until = until
  }
}
