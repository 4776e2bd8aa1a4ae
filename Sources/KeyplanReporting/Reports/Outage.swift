package import KeyplanModel
package import KeyplanPlanning

/// An unreachable place or service, which does not count before a certain time.
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
