import KeyplanJSON
import KeyplanYAML

extension YAMLDocument {
  /// Replaces the string or null at `name`, or adds it together with the missing mappings above it.
  ///
  /// - Throws: ``DocumentError/Code/notEditable`` if another kind of value is at `name` or above it, or one in a form
  ///   that cannot be edited; ``DocumentError/Code/invalidValue`` for a value that is not UTF-8.
  package mutating func set(_ name: String, to value: [UInt8]) throws(DocumentError) {
    guard invalidUTF8(in: value) == nil else { throw DocumentError(.invalidValue, "The value is not UTF-8.") }
    let names = try JSONPointer(name).names
    guard let last = names.last else {
      throw DocumentError(.notEditable, "The name is empty: the whole file cannot be replaced by a string.")
    }
    guard names.count < DocumentLimit.depth else {
      throw DocumentError(.tooDeep, "The name is nested deeper than 64 levels.")
    }
    let (container, missing) = tree.follow(names.dropLast()[...])
    if missing.isEmpty, let slot = tree.slot(of: last, in: container), let place = tree.values[slot].place {
      guard tree.values[slot].current != .text(value) else { return }
      try checkParents(to: container, opensEmpty: false)
      try checkReplaceable(place)
      tree.change(slot, to: .text(value))
    } else {
      try checkParents(to: container, opensEmpty: true)
      guard tree.values[container].current == .other(.object) else {
        throw refusal(tree.values[container].place, "Names can only be added to a mapping.")
      }
      if missing.isEmpty, let slot = tree.slot(of: last, in: container) {
        tree.change(slot, to: .text(value))
      } else {
        try tree.add(value, at: missing + [last], in: container)
      }
    }
  }

  /// Removes the line of `name`, including a comment on it. Empty mappings are kept.
  ///
  /// - Throws: ``DocumentError/Code/notEditable`` if the value is a mapping or a sequence, an item of a sequence, or in
  ///   a form that cannot be edited.
  package mutating func remove(_ name: String) throws(DocumentError) {
    let names = try JSONPointer(name).names
    guard let slot = tree.find(names) else {
      let (above, _) = tree.follow(names[...])
      guard tree.values[above].current != .other(.tagged) else { throw isTagged(tree.values[above].place) }
      return
    }
    guard let place = tree.values[slot].place else {
      guard case .text = tree.values[slot].current else { throw isContainer(nil) }
      return tree.change(slot, to: nil)
    }
    guard !place.node.hasForeignTag else { throw isTagged(place) }
    guard case .scalar(let scalar) = place.node.content else { throw isContainer(place) }
    try checkParents(to: tree.values[slot].container, opensEmpty: false)
    try checkForm(place, scalar)
    guard let key = place.key else {
      throw refusal(place, "An item cannot be removed from a sequence: the others would move.")
    }
    guard lines.isFirst(key.start.offset), key.origin == .written else {
      throw refusal(place, "This name is not the first on its line, so the line cannot be removed.")
    }
    tree.change(slot, to: nil)
  }

  private func refusal(_ place: YAMLPlace?, _ detail: StaticString) -> DocumentError {
    DocumentError(.notEditable, at: place.map { YAMLLines.place($0.node.start) }, detail)
  }

  private func isTagged(_ place: YAMLPlace?) -> DocumentError {
    refusal(place, "A value with a tag cannot be edited: only its own program understands it.")
  }

  private func isContainer(_ place: YAMLPlace?) -> DocumentError {
    refusal(place, "The value is a mapping or a sequence, not a single value.")
  }

  /// Requires that all parents of a value are in block style, without anchors, aliases and tags.
  private func checkParents(to container: Int, opensEmpty: Bool) throws(DocumentError) {
    var index = container
    while true {
      let value = tree.values[index]
      if let place = value.place {
        guard place.node.origin == .written, !lines.hasProperties(place.node) else {
          throw refusal(
            place, "A value below an anchor, an alias or a tag cannot be edited: the edit could change several places.")
        }
        let isScalar = if case .scalar = place.node.content { true } else { false }
        if place.node.layout == .flow, !isScalar, !(opensEmpty && index == container && isOpenable(place)) {
          throw refusal(place, "Values in brackets cannot be edited. Write them with indentation instead.")
        }
        if tree.slot(of: Array("<<".utf8), in: index) != nil {
          throw refusal(place, "This mapping has a merge key (<<), which parsers interpret differently.")
        }
      }
      if index == ValueTree<YAMLPlace>.root { return }
      index = value.container
    }
  }

  /// Whether `{}` can be replaced by an indented mapping: if it follows its key or is the only thing on its line.
  private func isOpenable(_ place: YAMLPlace) -> Bool {
    guard case .mapping(let entries) = place.node.content, entries.isEmpty,
      !lines.bytes[place.node.start.offset..<place.node.end.offset].contains(where: { $0 == .hash || $0.isBreak })
    else { return false }
    guard let key = place.key else { return lines.isFirst(place.node.start.offset) }
    return lines.isFirst(key.start.offset) && key.end.line == place.node.start.line
  }

  private func checkForm(_ place: YAMLPlace, _ scalar: Scalar) throws(DocumentError) {
    guard place.node.origin == .written, !lines.hasProperties(place.node) else {
      throw refusal(place, "Values with anchors or tags, and aliases, cannot be edited.")
    }
    guard place.node.layout == .flow else {
      throw refusal(place, "A value written with | or > cannot be edited. Write it in quotes instead.")
    }
  }

  private func checkReplaceable(_ place: YAMLPlace) throws(DocumentError) {
    guard !place.node.hasForeignTag else { throw isTagged(place) }
    guard case .scalar(let scalar) = place.node.content else { throw isContainer(place) }
    try checkForm(place, scalar)
    switch scalar.resolved {
    case .string: break
    case .null where place.node.start.offset < place.node.end.offset: break
    case .null:
      guard let key = place.key, lines.colon(after: key, of: place.node) != nil else {
        throw refusal(place, "Expected \":\" after this key.")
      }
    default: throw refusal(place, "The value is neither a string nor null.")
    }
  }
}
