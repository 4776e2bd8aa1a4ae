package import KeyplanModel

/// Something a person must know: an error or a warning as a fact, with its place. Its words are made where it is shown.
/// Never holds a value.
package struct Diagnostic: Hashable, Sendable {
  /// What is so, and what it is about.
  package let issue: Issue
  /// Where in the manifest.
  package let place: FileLocation?
  /// Whether keyplan generates the value of the key in question, so that hints name `keys rotate` and not the provider.
  package let isGenerated: Bool

  package init(_ issue: Issue, at place: FileLocation? = nil, isGenerated: Bool = false) {
    self.issue = issue
    self.place = place
    self.isGenerated = isGenerated
  }

  /// What an edge, such as the manifest's reader, reports in its own words.
  /// - Parameter detail: whole sentences about this one case.
  package init(
    _ code: Code, _ detail: String, hint: String? = nil, at place: FileLocation? = nil, of address: Address? = nil,
    because cause: Cause? = nil, failure: AccessFailure.Kind? = nil
  ) {
    let report = Issue.Report(code: code, detail: detail, hint: hint, cause: cause, failure: failure)
    self.init(.reported(report, of: address), at: place)
  }

  /// What it is, for programs; the summary is the same words every time.
  package var code: Code { issue.code }
  /// What it blocks or concerns.
  package var address: Address? { issue.address }
  /// What it has in common with others; nil where each is a case of its own.
  package var cause: Cause? { issue.cause }
  /// Why a place could not be asked or used, where that is what it is about.
  package var failure: AccessFailure.Kind? { issue.failure }

  /// A fault outside that gives a diagnostic for each key or name that meets it: a file that cannot be parsed.
  package struct Cause: Hashable, Sendable, Codable {
    /// What is at fault, such as `dotenv://.env`.
    package let subject: String
    /// A sentence of the edge that met it, or more.
    package let reason: String

    package init(_ subject: String, _ reason: String) {
      self.subject = subject
      self.reason = reason
    }
  }

  /// How bad it is.
  package enum Severity: String, Sendable, Codable {
    /// Something does not happen because of it.
    case error
    /// Everything happens all the same.
    case warning
  }

  /// What an error means for the rest of the plan.
  package enum Reach: Sendable {
    /// Nothing is planned or applied.
    case everything
    /// Its own address, and what depends on that.
    case itself
  }
}

extension Diagnostic: Comparable {
  /// Errors first, then by place, address, code and what distinguishes two of one code: the same order on every machine.
  package static func < (left: Self, right: Self) -> Bool {
    let (code, otherCode) = (left.code, right.code)
    if code.severity != otherCode.severity { return code.severity == .error }
    if left.place != right.place {
      guard let place = left.place, let other = right.place else { return left.place != nil }
      return place < other
    }
    let (address, otherAddress) = (left.address, right.address)
    if address != otherAddress {
      guard let address, let otherAddress else { return address != nil }
      return address < otherAddress
    }
    if code != otherCode { return code.rawValue < otherCode.rawValue }
    return left.issue.order < right.issue.order
  }
}
