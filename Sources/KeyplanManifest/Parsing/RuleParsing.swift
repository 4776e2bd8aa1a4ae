import KeyplanCore

extension ManifestParser {
  /// `{ environments: [production], forbidSources: [env] }`: who it is about, and at least one demand.
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
      notes.note(
        .missingField, "What the rule demands is missing.", hint: "Add \(ManifestMessages.alternatives(demands)).",
        at: tree.place)
    }
    return rule
  }

  private mutating func environments(_ tree: LayeredNode?) -> [String]? {
    words(tree, "environments")?.compactMap { name in
      if Identifier<Manifest>(name.value) != nil { return name.value }
      notes.note(.invalidValue, "An environment's name is made of a-z, 0-9, - and _.", at: name.place)
      return nil
    }
  }

  /// The kinds of sources that the design knows, and the manifest's own connections.
  private mutating func kinds(_ tree: LayeredNode?, _ field: String) -> [Located<String>]? {
    words(tree, field)?.filter { kind in
      let name = kind.value
      if reader.backends.source(name) != nil || connections.contains(name) || name == Rule.storeKind { return true }
      notes.note(
        .invalidValue, "There is no kind of source of this name.",
        hint: ManifestMessages.didYouMean(notes.nearest(to: name, among: notes.suggests ? kinds : []))
          ?? "Such as \(ManifestMessages.alternatives(reader.backends.readable)).", at: kind.place)
      return false
    }
  }

  private var kinds: [String] {
    Set(reader.backends.sources).union(connections).union([Rule.storeKind]).sorted()
  }

  private mutating func words(_ tree: LayeredNode?, _ field: String) -> [Located<String>]? {
    guard let tree else { return nil }
    guard case .list(let items) = tree.content else {
      wrongType(tree, "\"\(field)\"", takes: "a list of names")
      return nil
    }
    if items.isEmpty {
      notes.note(
        .invalidValue, "The list is empty.", hint: "Leave \"\(field)\" out where it says nothing.", at: tree.place)
    }
    return items.compactMap { text($0, field) }
  }
}
