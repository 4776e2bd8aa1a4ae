import KeyplanYAML

extension YAMLDocument {
  /// Replaces the string or null at `name`, or adds it, with the mappings on the way that are missing.
  ///
  /// - Throws: ``DocumentError/Code/notEditable`` where something else stands at `name` or on the way, or in a form that is not
  ///   edited; ``DocumentError/Code/invalidValue`` for a value that is not UTF-8.
  package mutating func set(_ name: String, to value: [UInt8]) throws(DocumentError) {
    guard invalidUTF8(in: value) == nil else { throw DocumentError(.invalidValue, "The value is not UTF-8.") }
    let names = try JSONPointer(name).names
    guard let last = names.last else { throw DocumentError(.notEditable, "The whole file cannot be one string.") }
    guard names.count < DocumentLimit.depth else {
      throw DocumentError(.tooDeep, "The name is nested deeper than 64 levels.")
    }
    let (container, missing) = tree.follow(names.dropLast()[...])
    if missing.isEmpty, let slot = tree.slot(of: last, in: container), let place = tree.values[slot].place {
      guard tree.values[slot].current != .text(value) else { return }
      try checkWay(to: container, opensEmpty: false)
      try checkReplaceable(place)
      tree.change(slot, to: .text(value))
    } else {
      try checkWay(to: container, opensEmpty: true)
      guard tree.values[container].current == .other(.object) else {
        throw refusal(tree.values[container].place, "Names cannot be added to this value.")
      }
      if missing.isEmpty, let slot = tree.slot(of: last, in: container) {
        tree.change(slot, to: .text(value))
      } else {
        try tree.add(value, at: missing + [last], in: container)
      }
    }
  }

  /// Removes the line of `name`, with a comment on it. Mappings that become empty stay.
  ///
  /// - Throws: ``DocumentError/Code/notEditable`` where the value is a mapping or a sequence, stands in a sequence, or in a
  ///   form that is not edited.
  package mutating func remove(_ name: String) throws(DocumentError) {
    let names = try JSONPointer(name).names
    guard let slot = tree.find(names) else { return }
    guard let place = tree.values[slot].place else {
      guard case .text = tree.values[slot].current else { throw isContainer(nil) }
      return tree.change(slot, to: nil)
    }
    guard case .scalar(let scalar) = place.node.content else { throw isContainer(place) }
    try checkWay(to: tree.values[slot].container, opensEmpty: false)
    try checkForm(place, scalar)
    guard let key = place.key else {
      throw refusal(place, "An element is not taken out of a sequence: the others would move.")
    }
    guard lines.isFirst(key.start.offset), key.origin == .written else {
      throw refusal(place, "This name does not begin its line, so that the line cannot be taken out.")
    }
    tree.change(slot, to: nil)
  }

  private func refusal(_ place: YAMLPlace?, _ detail: StaticString) -> DocumentError {
    DocumentError(.notEditable, at: place.map { YAMLLines.place($0.node.start) }, detail)
  }

  private func isContainer(_ place: YAMLPlace?) -> DocumentError {
    refusal(place, "This name has a mapping or a sequence, not a single value.")
  }

  /// Everything from the top down to `container` must be written by indentation, here and only here.
  private func checkWay(to container: Int, opensEmpty: Bool) throws(DocumentError) {
    var index = container
    while true {
      let value = tree.values[index]
      if let place = value.place {
        guard place.node.origin == .written, !lines.hasProperties(place.node) else {
          throw refusal(
            place, "There is an anchor, an alias or a tag here: an edit below it could change more than one place.")
        }
        let isScalar = if case .scalar = place.node.content { true } else { false }
        if place.node.layout == .flow, !isScalar, !(opensEmpty && index == container && isOpenable(place)) {
          throw refusal(place, "What is in brackets is not edited. Written with indentation, it would be.")
        }
        if tree.slot(of: Array("<<".utf8), in: index) != nil {
          throw refusal(place, "This mapping has a merge key (<<), which readers take in different ways.")
        }
      }
      if index == ValueTree<YAMLPlace>.root { return }
      index = value.container
    }
  }

  /// `{}` can become a mapping by indentation, where it stands behind its key or alone.
  private func isOpenable(_ place: YAMLPlace) -> Bool {
    guard case .mapping(let entries) = place.node.content, entries.isEmpty,
      !lines.bytes[place.node.start.offset..<place.node.end.offset].contains(where: { $0 == .hash || $0.isBreak })
    else { return false }
    guard let key = place.key else { return lines.isFirst(place.node.start.offset) }
    return lines.isFirst(key.start.offset) && key.end.line == place.node.start.line
  }

  private func checkForm(_ place: YAMLPlace, _ scalar: Scalar) throws(DocumentError) {
    guard place.node.origin == .written, !lines.hasProperties(place.node) else {
      throw refusal(place, "This value has an anchor or a tag, or is an alias.")
    }
    guard place.node.layout == .flow else {
      throw refusal(place, "A value written behind | or > is not edited. In quotes, it would be.")
    }
  }

  private func checkReplaceable(_ place: YAMLPlace) throws(DocumentError) {
    guard case .scalar(let scalar) = place.node.content else { throw isContainer(place) }
    try checkForm(place, scalar)
    switch scalar.resolved {
    case .string: break
    case .null where place.node.start.offset < place.node.end.offset: break
    case .null:
      guard let key = place.key, lines.colon(behind: key, of: place.node) != nil else {
        throw refusal(place, "Behind this name there is no colon for a value to follow.")
      }
    default: throw refusal(place, "This name has neither a string nor null.")
    }
  }
}
