import KeyplanModel
import KeyplanPlanning

extension ManifestParser {
  /// `{ environments: [production], forbidSources: [env] }`: the scope, and at least one demand.
  mutating func rule(_ tree: LayeredNode) -> RawRule {
    var rule = RawRule()
    guard let fields = fields(tree, .rule) else { return rule }
    rule.environments = environments(fields["environments"])
    rule.keys = words(fields["keys"], "keys")
    rule.maxAge = interval(fields["maxAge"], "maxAge")
    rule.allowSources = kinds(fields["allowSources"], "allowSources")
    rule.forbidSources = kinds(fields["forbidSources"], "forbidSources")
    rule.allowProviders = words(fields["allowProviders"], "allowProviders")
    let demands = ["maxAge", "allowSources", "forbidSources", "allowProviders"]
    if demands.allSatisfy({ fields[$0] == nil }) {
      notes.report(
        .missingField, "The rule demands nothing.", hint: "Add \(ManifestMessages.alternatives(demands)).",
        at: tree.place)
    }
    return rule
  }

  private mutating func environments(_ tree: LayeredNode?) -> [String]? {
    words(tree, "environments")?.compactMap { name in
      if Identifier<Manifest>(name.value) != nil { return name.value }
      notes.report(.invalidValue, "An environment's name consists of a-z, 0-9, - and _.", at: name.place)
      return nil
    }
  }

  /// All kinds of sources, and the manifest's own connections.
  private mutating func kinds(_ tree: LayeredNode?, _ field: String) -> [Located<String>]? {
    words(tree, field)?.filter { kind in
      let name = kind.value
      if reader.backends.source(name) != nil || connections[name] != nil || Rule.ownKinds.contains(name) {
        return true
      }
      notes.report(
        .invalidValue, "Unknown kind of source.",
        hint: ManifestMessages.didYouMean(notes.nearest(to: name, among: notes.suggests ? kinds : []))
          ?? "For example, \(ManifestMessages.alternatives(reader.backends.readable)).", at: kind.place)
      return false
    }
  }

  private var kinds: [String] {
    Set(reader.backends.sources).union(connections.keys).union(Rule.ownKinds).sorted()
  }

  mutating func words(_ tree: LayeredNode?, _ field: String) -> [Located<String>]? {
    guard let tree else { return nil }
    guard case .list(let items) = tree.content else {
      wrongType(tree, "\"\(field)\"", mustBe: "a list of names")
      return nil
    }
    if items.isEmpty {
      notes.report(
        .invalidValue, "The list is empty.", hint: "Leave out \"\(field)\" if it is not needed.", at: tree.place)
    }
    return items.compactMap { text($0, field) }
  }
}
