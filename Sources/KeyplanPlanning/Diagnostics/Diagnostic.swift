package import KeyplanModel

/// An error or a warning as data, with its place. The text is made where it is shown.
/// Never contains a value.
package struct Diagnostic: Hashable, Sendable {
  /// The finding and its subject.
  package let issue: Issue
  /// The location in the manifest.
  package let place: FileLocation?
  /// Whether keyplan generates the value of the key in question, so that hints name `keys rotate` and not the provider.
  package let isGenerated: Bool
  /// The keys that the value of the key in question is made of, so that hints name them; empty for a value that is not composed.
  package let parts: [Identifier<Key>]

  package init(
    _ issue: Issue, at place: FileLocation? = nil, isGenerated: Bool = false, parts: [Identifier<Key>] = []
  ) {
    self.parts = parts
    self.issue = issue
    self.place = place
    self.isGenerated = isGenerated
  }

  /// A diagnostic with the text of a caller, such as the manifest's reader.
  /// - Parameter detail: whole sentences about this one case.
  package init(
    _ code: Code, _ detail: String, hint: String? = nil, at place: FileLocation? = nil, of address: Address? = nil,
    because cause: Cause? = nil, failure: AccessFailure.Kind? = nil
  ) {
    let report = Issue.Report(code: code, detail: detail, hint: hint, cause: cause, failure: failure)
    self.init(.reported(report, of: address), at: place)
  }

  /// The code, for programs; the summary is constant for each code.
  package var code: Code { issue.code }
  /// The address that it blocks or concerns.
  package var address: Address? { issue.address }
  /// The cause that it shares with others; nil if each is a case of its own.
  package var cause: Cause? { issue.cause }
  /// The reason that a place was unreachable or unusable, if the diagnostic is about that.
  package var failure: AccessFailure.Kind? { issue.failure }

  /// An external fault that leads to a diagnostic for each affected key or name, such as a file that cannot be parsed.
  package struct Cause: Hashable, Sendable, Codable {
    /// The faulty thing, such as `dotenv://.env`.
    package let subject: String
    /// A sentence of the edge that met it, or more.
    package let reason: String

    package init(_ subject: String, _ reason: String) {
      self.subject = subject
      self.reason = reason
    }
  }

  package enum Severity: String, Sendable, Codable {
    /// It blocks something.
    case error
    /// It blocks nothing.
    case warning
  }

  /// The part of the plan that an error blocks.
  package enum Reach: Sendable {
    /// Nothing is planned or applied.
    case everything
    /// Its own address, and its dependents.
    case itself
  }
}

extension Diagnostic: Comparable {
  /// Errors first, then by place, address, code and distinguishing text: the same order on every machine.
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
