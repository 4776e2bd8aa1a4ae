/// The fields that name a place in a reference: the first ones by position, separated by `/`, the others as `?name=value&…`.
package struct PlaceFields: Hashable, Sendable {
  /// The fields whose values come first, in this order; the last one includes the rest, with `/`. They can all be left out if none of them
  /// is required: `?group=shop`.
  package let positional: [BackendField]
  /// The fields that follow with their names.
  package let named: [BackendField]

  /// Trusts its arguments: no name is in both.
  package init(_ positional: [BackendField], named: [BackendField] = []) {
    self.positional = positional
    self.named = named
  }

  /// An error in a location.
  package enum Fault: Error, Hashable, Sendable {
    /// Values are missing: the names of all required ones.
    case missing([String])
    /// No field has this name.
    case unknown(String)
    case duplicate(String)
  }

  /// The values by field, with defaults.
  package func values(at location: String) throws(Fault) -> [String: String] {
    var values: [String: String] = [:]
    for field in named { values[field.name] = field.defaultText }
    let parts = location.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let first = parts[0].split(
      separator: "/", maxSplits: max(0, positional.count - 1), omittingEmptySubsequences: false)
    let count = parts[0].isEmpty ? 0 : first.count
    let isLeftOut = count == 0 && parts.count == 2 && !positional.contains(where: \.isRequired)
    guard isLeftOut || (count == positional.count && !first.prefix(count).contains(where: \.isEmpty)) else {
      throw .missing(positional.map(\.name))
    }
    for (field, text) in zip(positional, first.prefix(count)) { values[field.name] = String(text) }
    guard parts.count == 2 else { return values }
    var given: Set<String> = []
    for pair in parts[1].split(separator: "&", omittingEmptySubsequences: false) {
      let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(sides[0])
      guard sides.count == 2, named.contains(where: { $0.name == name }) else { throw .unknown(name) }
      guard given.insert(name).inserted else { throw .duplicate(name) }
      values[name] = String(sides[1])
    }
    return values
  }

  /// The form of a location: `PROJECT/CONFIG`.
  package var form: String { positional.map { $0.name.uppercased() }.joined(separator: "/") }
}
