internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanProviders
package import KeyplanReporting
internal import KeyplanServices

/// The providers that manifests can name without a declaration.
package enum KnownProviders {
  /// In order. No description of a check is read for them.
  package static var names: [String] { ProviderCatalog.builtIn.names.sorted() }

  /// By name.
  package static var all: [KnownProvider] {
    let (checked, issuers) = (Set(BuiltInProviders.names), Set(BuiltInIssuers.names))
    return names.compactMap { provider($0, checked, issuers) }
  }

  /// - Throws: `Failure` for a name that no provider has.
  package static func named(_ name: String) throws(Failure) -> KnownProvider {
    if let provider = provider(name, Set(BuiltInProviders.names), Set(BuiltInIssuers.names)) { return provider }
    let near = Suggestion.nearest(to: name, among: ProviderCatalog.builtIn.names)
    throw Failure(
      .failed, "Unknown provider", "There is no provider \"\(name)\".",
      hint: near.map { "Did you mean \($0)?" } ?? "List them with `keyplan providers`.")
  }

  private static func provider(
    _ name: String, _ checked: Set<String>, _ issuers: Set<String>
  ) -> KnownProvider? {
    guard let (provider, others) = ProviderCatalog.builtIn.entry(named: name) else { return nil }
    return KnownProvider(
      name: name, variable: provider.variable, otherVariables: others, format: provider.format?.text,
      beginnings: SecretPrefixes.beginnings(of: name).map { $0 + "…" },
      check: checked.contains(name) ? check(name) : .none,
      keys: issuers.contains(name) ? keys(name) : .elsewhere)
  }

  private static func check(_ name: String) -> KnownProvider.Check {
    ((try? BuiltInProviders.api(name))?.isPreview ?? false) ? .preview : .judged
  }

  /// The documents that checks come from, in order of providers. A check that several providers share is one.
  package static var checkSources: [CheckSources] {
    let checks = BuiltInProviders.names.compactMap { name in
      (try? BuiltInProviders.api(name)).map { (provider: name, api: $0) }
    }
    return Dictionary(grouping: checks) { $0.api.name }.values.compactMap { shared in
      guard let api = shared.first?.api else { return nil }
      return CheckSources(of: shared.map { $0.provider }, isPreview: api.isPreview, documents: api.citations)
    }.sorted { $0.providers.lexicographicallyPrecedes($1.providers) }
  }

  /// The documents that the formats of keys come from.
  package static var formatSources: [FormatSource] {
    BuiltInProviders.formatSources.map { FormatSource(provider: $0.name, document: $0.value) }
  }

  private static func keys(_ name: String) -> KnownProvider.Keys {
    let type = name + "-keys"
    guard let issuer = KnownBackends.issuer(type) else { return .elsewhere }
    return issuer.manual.map { .manual(type, page: $0.page) } ?? .made(type)
  }
}
