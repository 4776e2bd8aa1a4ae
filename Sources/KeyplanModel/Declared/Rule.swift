/// Something that the manifest demands of its own keys, in force for the environment that was read. A plan that would leave
/// it broken is refused.
package struct Rule: Hashable, Sendable {
  /// Its name in the manifest; one name may demand several things.
  package let name: Identifier<Rule>
  /// The keys that it is about; nil for all.
  package let keys: Set<Identifier<Key>>?
  package let demand: Demand
  /// The location of the declaration.
  package let place: FileLocation?

  /// A requirement for a key.
  package enum Demand: Hashable, Sendable {
    /// It is younger than this, or under a policy of its own that ends it sooner.
    case age(below: Interval)
    /// All of its sources are of these kinds; `store` is the kind of a key without a source.
    case sources(of: Set<String>)
    /// None of its sources is of these kinds.
    case noSources(of: Set<String>)
    /// Its provider is one of these.
    case provider(among: Set<String>)
  }

  /// The kind of a key without a source.
  package static let storeKind = "store"
  /// The kind of a key whose value keyplan generates.
  package static let generatedKind = "generate"
  /// The kind of a key whose value is made of those of other keys.
  package static let composedKind = "compose"
  /// The kinds that no backend reads.
  package static let ownKinds: Set<String> = [storeKind, generatedKind, composedKind]

  /// The recorded form.
  package var guarded: Guards.Demand {
    func list(_ words: Set<String>) -> String { words.sorted().joined(separator: " or ") }
    let words =
      switch demand {
      case .age(let limit): "younger than \(limit.spoken)"
      case .sources(let kinds): "only from \(list(kinds))"
      case .noSources(let kinds): "not from \(list(kinds))"
      case .provider(let names): "of the provider \(list(names))"
      }
    return Guards.Demand(rule: name.name, keys: keys.map(Array.init), words: words)
  }

  package init(
    _ name: Identifier<Rule>, _ demand: Demand, keys: Set<Identifier<Key>>? = nil, place: FileLocation? = nil
  ) {
    self.name = name
    self.demand = demand
    self.keys = keys
    self.place = place
  }
}
