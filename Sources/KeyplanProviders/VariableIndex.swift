import KeyplanCore

/// Finds the provider by the name of a variable, for files that came before a manifest.
package struct VariableIndex: Sendable {
  private let providers: [[UInt8]: String]
  private let patterns: [(provider: String, format: String)]

  /// Reads a whole catalog: nothing for the start of every command.
  package init(_ catalog: ProviderCatalog) {
    var providers: [[UInt8]: String] = [:]
    let entries = catalog.entries.filter { $0.key != "generic" }.sorted { $0.key < $1.key }
    // Of several providers with one variable the one that the variable is named after counts: GEMINI_API_KEY is gemini's.
    for isNamesake in [true, false] {
      for (name, entry) in entries {
        guard let variable = entry.variable.map(Self.folded) else { continue }
        guard variable.starts(with: Self.folded(name)) == isNamesake, providers[variable] == nil else { continue }
        providers[variable] = name
      }
    }
    for (name, _) in entries {
      for ending in ["KEY", "APIKEY", "TOKEN", "APITOKEN"] {
        let other = Self.folded(name) + Array(ending.utf8)
        if providers[other] == nil { providers[other] = name }
      }
    }
    self.providers = providers
    patterns = entries.compactMap { name, entry in entry.format.map { (name, $0) } }
  }

  /// The provider whose key a variable holds by convention: under its documented name, or the provider's name and *key* or
  /// *token*. Case, `_` and `-` do not count: property lists write `openAIKey`.
  package func provider(of variable: String) -> String? { providers[Self.folded(variable)] }

  /// The providers whose documented format a value has. Only for telling: formats change, and several share one.
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
