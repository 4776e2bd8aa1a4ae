/// The permitted external accesses of a manifest, with their terms: the variables that a command runs with, the credential that a host gets,
/// the contents of the files that a command names, the key or target that sets a variable.
package struct Surface: Hashable, Sendable {
  private var granted: [ExternalAccess: Set<String>] = [:]

  /// Empty.
  package init() {}

  /// - Parameter granted: the terms of each item.
  package init(_ granted: [ExternalAccess: Set<String>]) { self.granted = granted }

  package var isEmpty: Bool { granted.isEmpty }

  /// The permitted items.
  package var items: Dictionary<ExternalAccess, Set<String>>.Keys { granted.keys }

  /// The terms under which an item was allowed; nil for one that is not. Setting nil ends it.
  package subscript(item: ExternalAccess) -> Set<String>? {
    get { granted[item] }
    set { granted[item] = newValue }
  }

  /// Whether an item is permitted, whatever its terms.
  package func contains(_ item: ExternalAccess) -> Bool { granted[item] != nil }

  /// Whether an item was allowed with all of these terms, and all of them can be determined.
  package func permits(_ item: ExternalAccess, with terms: Set<String>) -> Bool {
    guard let allowed = granted[item], terms.isSubset(of: allowed) else { return false }
    return !terms.contains { FileTerm($0)?.content.reason != nil }
  }

  /// Whether a variable may be set to a key's value, by itself or as a name of a target. Most variables need no permission.
  package func permits(
    variable name: String, from key: Identifier<Key>, under target: Identifier<Target>? = nil
  ) -> Bool {
    guard VariableName.isUnsafe(name) else { return true }
    let item = ExternalAccess(.variable, name)
    return permits(item, with: [Self.term(of: key)]) || target.map { permits(item, with: [Self.term(of: $0)]) } ?? false
  }

  static func term(of key: Identifier<Key>) -> String { "key \(key)" }
  static func term(of target: Identifier<Target>) -> String { "target \(target)" }
}

/// The permission that an `allow` step grants.
package struct AccessGrant: Hashable, Sendable, Codable {
  /// The terms, sorted: `variable GH_TOKEN`, `timeout 30s`, `directory tools`, `file ./vault.sh hmac:…`,
  /// `credential env://CALDAV_PASSWORD`, `connection bao: address https://bao.internal:8200, token env://BAO_TOKEN`,
  /// `key proxy`, `target app`.
  package let terms: [String]
  /// The terms that were recorded before, sorted; nil for a new item.
  package let was: [String]?

  /// Sorts the terms.
  package init(_ terms: Set<String>, was: Set<String>? = nil) {
    self.terms = terms.sorted()
    self.was = was?.sorted()
  }
}
