package import KeyplanModel

extension SecretAPI {
  /// A request that shows whether a provider accepts a key, with rules that have the classes of checks.
  package struct Check: Hashable, Sendable {
    package var request: Request
    /// The credential that contains the key, unless it is part of the request.
    package var auth: Credential?
    package var facts: [Named<Fact>] = []
    /// The form of the keys that the request is for; others would be refused, valid or not. Nil for any.
    package var keys: FormatPattern?
    /// The addresses of further regions, asked in this order: a key of one region is unknown to the others.
    package var regions: [Template] = []
    /// The time after issuing during which a new key may still be refused.
    package var activation: Interval?

    package init(_ request: Request) { self.request = request }
  }

  /// The location of a fact in an answer.
  package enum Fact: Hashable, Sendable {
    case body(Extract)
    case header(String)
  }

  /// The facts that a check may read from an answer.
  package enum CheckFact: String, CaseIterable, Sendable {
    /// A date, a date with a time, or seconds since 1970.
    case expires
    case account
    /// A list, or words separated by blanks or commas.
    case scopes
    case remaining
  }
}
