import CServices
package import KeyplanModel

/// The providers that need no declaration in the manifest: those whose description in `KeyplanServices/Providers/` names
/// a variable.
///
/// A format is given only if a literal prefix makes it distinctive: a mismatch causes a warning, and wrong warnings
/// teach people to ignore them.
package struct ProviderCatalog: Sendable {
  /// A variable and the text of a pattern, which is parsed only when it is needed, to keep the start of the program
  /// fast.
  struct Entry: Sendable {
    let variable: String?
    let format: String?
    /// Other usual names of the variable, for imports.
    let others: [String]
  }

  let entries: [String: Entry]

  /// The names of all providers, unordered.
  package var names: [String] { Array(entries.keys) }

  /// The provider with this name, with its pattern parsed. Nil if the catalog does not contain it.
  package func provider(named name: String) -> Provider? {
    guard let entry = entries[name] else { return nil }
    return Provider(format: entry.format.flatMap { try? FormatPattern($0) }, variable: entry.variable)
  }

  /// The same with the other usual names of its variable.
  package func entry(named name: String) -> (provider: Provider, otherVariables: [String])? {
    guard let entry = entries[name], let provider = provider(named: name) else { return nil }
    return (provider, entry.others)
  }

  /// The providers that every manifest may use. `generic` is for values of no particular provider.
  package static let builtIn: ProviderCatalog = {
    var entries = ["generic": Entry(variable: nil, format: nil, others: [])]
    EmbeddedProviders.forEach { provider in
      guard let variable = provider.variable else { return }
      entries[String(cString: provider.description.name)] = Entry(
        variable: String(cString: variable), format: provider.format.map { String(cString: $0) },
        others: EmbeddedProviders.words(provider.other_variables))
    }
    return ProviderCatalog(entries: entries)
  }()
}

/// The table of providers that `scripts/descriptions.py` makes.
enum EmbeddedProviders {
  static func forEach(_ body: (keyplan_provider) -> Void) {
    var index = 0
    while let provider = keyplan_provider_at(index)?.pointee {
      body(provider)
      index += 1
    }
  }

  static func words(_ text: UnsafePointer<CChar>?) -> [String] {
    guard let text else { return [] }
    return String(cString: text).utf8.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
  }
}
