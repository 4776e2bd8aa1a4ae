/// A document, and the subjects of the statements that come from it.
package struct CitedDocument: Hashable, Sendable {
  /// The subject of a statement about a service.
  package enum Subject: Hashable, Sendable, CaseIterable {
    case request
    /// The form of an answer.
    case answer
    /// The meaning of a status or an error.
    case outcome
    case names
    /// The values that are accepted.
    case limits
    /// The rate of requests.
    case pace
    case rights
    /// The time at which a written value takes effect.
    case effect
    case notice
    /// The steps for making a key by hand.
    case steps
  }

  /// Its name with its version or date: `openai 3.57.0 (PyPI): _exceptions.py`.
  package let name: String
  /// In the order of the cases.
  package let subjects: [Subject]

  package init(_ name: String, of subjects: Set<Subject>) {
    self.name = name
    self.subjects = Subject.allCases.filter(subjects.contains)
  }
}
