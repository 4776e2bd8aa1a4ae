import KeyplanModel

extension ManifestValidator {
  /// The rules for this environment. All are validated, so that an error is found in every environment.
  mutating func rules() -> [Rule] {
    raw.rules.flatMap { written -> [Rule] in
      let rule = written.value
      var keys: Set<Identifier<Key>>?
      if let names = rule.keys { keys = Set(names.compactMap { declaredKey($0) }) }
      for provider in rule.allowProviders ?? [] where !isDeclared(provider: provider.value) {
        undeclared("provider", provider, among: { $0.reader.catalog.names + $0.declaredProviders })
      }
      if let environments = rule.environments {
        guard let environment, environments.contains(environment) else { return [] }
      }
      let demands: [Rule.Demand?] = [
        rule.maxAge.map { .age(below: $0) }, rule.allowSources.map { .sources(of: Set($0.map(\.value))) },
        rule.forbidSources.map { .noSources(of: Set($0.map(\.value))) },
        rule.allowProviders.map { .provider(among: Set($0.map(\.value))) },
      ]
      return demands.compactMap { demand in
        demand.map { Rule(written.name, $0, keys: keys, place: written.place) }
      }
    }
  }

  private mutating func declaredKey(_ name: Located<String>) -> Identifier<Key>? {
    if let key = Identifier<Key>(name.value), keys[key] != nil { return key }
    undeclared("key", name, among: { $0.keys.keys.map(\.name) })
    return nil
  }
}
