import KeyplanModel

/// Finds the provider for the name of a variable, to import files that existed before the manifest.
package struct VariableIndex: Sendable {
  private let providers: [[UInt8]: String]
  private let names: [[UInt8]: String]
  private let patterns: [(provider: String, format: String)]

  /// Indexes the whole catalog; too slow for the start of every command.
  package init(_ catalog: ProviderCatalog) {
    var providers: [[UInt8]: String] = [:]
    let entries = catalog.entries.filter { $0.key != "generic" }.sorted { $0.key < $1.key }
    // If several providers have the same variable, the one after which it is named wins: GEMINI_API_KEY belongs to
    // gemini.
    for isNamesake in [true, false] {
      for (name, entry) in entries {
        guard let variable = entry.variable.map(Self.folded) else { continue }
        guard variable.starts(with: Self.folded(name)) == isNamesake, providers[variable] == nil else { continue }
        providers[variable] = name
      }
    }
    for (name, entry) in entries {
      for other in entry.others.map(Self.folded) where providers[other] == nil { providers[other] = name }
      for ending in ["KEY", "APIKEY", "TOKEN", "APITOKEN"] {
        let other = Self.folded(name) + Array(ending.utf8)
        if providers[other] == nil { providers[other] = name }
      }
    }
    self.providers = providers
    names = Dictionary(entries.map { (Self.folded($0.key), $0.key) }) { first, _ in first }
    patterns = entries.compactMap { name, entry in entry.format.map { (name, $0) } }
  }

  /// The provider whose key a variable holds by convention: the variable has its documented name, another usual one, or consists of the
  /// provider's name and *key* or *token*. Case, `_` and `-` are ignored: property lists contain `openAIKey`.
  package func provider(of variable: String) -> String? { providers[Self.folded(variable)] }

  /// The provider that has just this name, which alone does not say that the value is a key.
  package func provider(named name: String) -> String? { names[Self.folded(name)] }

  /// The providers whose documented format a value has. Only a suggestion: formats change, and several providers share
  /// one.
  package func providers(fitting value: [UInt8]) -> [String] {
    patterns.filter { (try? FormatPattern($0.format))?.matches(value) ?? false }.map(\.provider)
  }

  private static func folded(_ name: String) -> [UInt8] {
    name.utf8.compactMap { byte in
      switch byte {
      case UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: " "): nil
      case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - 0x20
      default: byte
      }
    }
  }
}
