internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanProviders
package import KeyplanReporting
internal import KeyplanServices

/// The providers that manifests can name without a declaration.
package enum KnownProviders {
  /// By name.
  package static var all: [KnownProvider] {
    let (checked, issuers) = (Set(BuiltInProviders.names), Set(BuiltInIssuers.names))
    return ProviderCatalog.builtIn.names.sorted().compactMap { provider($0, checked, issuers) }
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
      beginnings: SecretPrefixes.beginnings(of: name).map { $0 + "…" }, isChecked: checked.contains(name),
      keys: issuers.contains(name) ? keys(name) : .elsewhere)
  }

  private static func keys(_ name: String) -> KnownProvider.Keys {
    let type = name + "-keys"
    guard let issuer = KnownBackends.issuer(type) else { return .elsewhere }
    return issuer.manual.map { .manual(type, page: $0.page) } ?? .made(type)
  }
}
