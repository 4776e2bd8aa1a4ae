import KeyplanModel

extension LayeredNode {
  /// Merges an overlay: mappings are merged, scalars and lists replaced, null removes. Every part keeps its location in
  /// its own file.
  func overlaid(with upper: LayeredNode) -> LayeredNode {
    guard case .mapping(var fields) = content, case .mapping(let others) = upper.content else { return upper }
    var positions: [String: Int] = [:]
    for (index, field) in fields.enumerated() { positions[field.name] = index }
    var removed: Set<Int> = []
    for other in others {
      let position = positions[other.name]
      if other.value.isNull {
        if let position { removed.insert(position) }
      } else if let position {
        let merged = fields[position].value.overlaid(with: other.value)
        fields[position] = Field(name: other.name, place: other.place, value: merged)
      } else {
        fields.append(Field(name: other.name, place: other.place, value: other.value.withoutNulls))
      }
    }
    if !removed.isEmpty { fields = fields.indices.filter { !removed.contains($0) }.map { fields[$0] } }
    return LayeredNode(content: .mapping(fields), place: place)
  }

  /// A copy without a field, for sections that environments do not inherit.
  func without(_ name: String) -> LayeredNode {
    guard case .mapping(let fields) = content else { return self }
    return LayeredNode(content: .mapping(fields.filter { $0.name != name }), place: place)
  }

  /// A new value has nothing to remove.
  var withoutNulls: LayeredNode {
    guard case .mapping(let fields) = content else { return self }
    let kept = fields.filter { !$0.value.isNull }
    return LayeredNode(
      content: .mapping(kept.map { Field(name: $0.name, place: $0.place, value: $0.value.withoutNulls) }), place: place)
  }
}
