/// A provider that manifests can name without a declaration.
package struct KnownProvider: Sendable {
  package let name: String
  /// The usual name of the variable that holds a key; nil for `generic`.
  package let variable: String?
  /// Other usual names, which imports know.
  package let otherVariables: [String]
  /// The pattern that a new value is compared with; nil if keys have no distinctive form.
  package let format: String?
  /// The beginnings of keys, for people: `sk-proj-…`. Empty if they are not distinctive.
  package let beginnings: [String]
  package let check: Check
  package let keys: Keys

  /// Whether `keyplan verify` can ask whether a key is accepted.
  package enum Check: Sendable {
    case none
    /// By requests that were judged in full by neither the provider nor its own client.
    case preview
    case judged
  }

  /// Whether keys can be made.
  package enum Keys: Sendable {
    /// By keyplan, through connections of this type.
    case made(String)
    /// By a person, on this page. The type of connections has the instructions.
    case manual(String, page: String)
    /// Unknown to keyplan.
    case elsewhere
  }

  package init(
    name: String, variable: String?, otherVariables: [String] = [], format: String? = nil, beginnings: [String] = [],
    check: Check, keys: Keys
  ) {
    (self.name, self.variable, self.otherVariables, self.format) = (name, variable, otherVariables, format)
    (self.beginnings, self.check, self.keys) = (beginnings, check, keys)
  }
}
