/// The JSON body of a request, with templates for texts.
package indirect enum BodyTree: Hashable, Sendable {
  case literal(JSONLiteral)
  case text(Template)
  case array([BodyTree])
  case object([Named<BodyTree>])
  /// `$each`: an array with an item for each element of a set; `removed` is the item of a name that is deleted.
  case each(ItemSet, item: BodyTree, removed: BodyTree?)
  /// `$map`: an object with a member for each element of a set.
  case map(ItemSet, key: Template, value: BodyTree, removed: BodyTree?)

  /// The sets that `$each` and `$map` iterate over.
  package enum ItemSet: String, Hashable, Sendable, CaseIterable {
    /// The names that one request sets and removes.
    case writes
    /// The names that one request asks for.
    case names
    /// Everything that the place holds, as it will be: members that do not change are sent as they were read.
    case all
  }

  /// The names of all variables.
  package var variables: Set<String> {
    switch self {
    case .literal: []
    case .text(let template): template.variables
    case .array(let items): items.reduce(into: []) { $0.formUnion($1.variables) }
    case .object(let members): members.reduce(into: []) { $0.formUnion($1.value.variables) }
    case .each(_, let item, let removed): item.variables.union(removed?.variables ?? [])
    case .map(_, let key, let value, let removed):
      key.variables.union(value.variables).union(removed?.variables ?? [])
    }
  }

  /// The sets that it iterates over.
  package var sets: Set<ItemSet> {
    switch self {
    case .literal, .text: []
    case .array(let items): items.reduce(into: []) { $0.formUnion($1.sets) }
    case .object(let members): members.reduce(into: []) { $0.formUnion($1.value.sets) }
    case .each(let set, _, _), .map(let set, _, _, _): [set]
    }
  }

  /// Whether it has a form for a name that is removed.
  package var takesRemovals: Bool {
    switch self {
    case .literal, .text: false
    case .array(let items): items.contains(where: \.takesRemovals)
    case .object(let members): members.contains { $0.value.takesRemovals }
    case .each(_, _, let removed), .map(_, _, _, let removed): removed != nil
    }
  }
}
