import KeyplanYAML

/// The content of a YAML text without its formatting, to determine what an edit has changed.
indirect enum Outline: Equatable {
  /// Numbers are compared by their source text.
  case scalar(String, isString: Bool, isNull: Bool)
  case list([Outline])
  case mapping([Pair])

  struct Pair: Equatable {
    var key: Outline
    var value: Outline
  }

  static func string(_ text: String) -> Outline { .scalar(text, isString: true, isNull: false) }
  static var empty: Outline { .mapping([]) }

  init(_ node: Node) {
    switch node.content {
    case .sequence(let items): self = .list(items.map(Outline.init))
    case .mapping(let entries):
      self = .mapping(entries.map { Pair(key: Outline($0.key), value: Outline($0.value)) })
    case .scalar(let scalar):
      switch scalar.resolved {
      // `null`, `~` and an absent value are equal.
      case .null: self = .scalar("", isString: false, isNull: true)
      case .string: self = .string(scalar.text)
      default: self = .scalar(scalar.text, isString: false, isNull: false)
      }
    }
  }

  init(_ value: YAMLText.Value) {
    switch value {
    case .scalar(let text): self = .string(text)
    case .list(let texts): self = .list(texts.map(Outline.string))
    }
  }

  // Swift's strings compare by canonical equivalence, but a normalized text is a change.
  static func == (one: Outline, other: Outline) -> Bool {
    switch (one, other) {
    case (.scalar(let text, let isString, let isNull), .scalar(let otherText, let otherIsString, let otherIsNull)):
      text.utf8.elementsEqual(otherText.utf8) && isString == otherIsString && isNull == otherIsNull
    case (.list(let items), .list(let others)): items == others
    case (.mapping(let pairs), .mapping(let others)): pairs == others
    default: false
    }
  }

  /// Changes the value at `path`, which must exist.
  func changed(at path: ArraySlice<String>, _ change: (Outline) -> Outline) -> Outline {
    guard let name = path.first else { return change(self) }
    switch self {
    case .list(var items):
      guard let index = Int(name), items.indices.contains(index) else { return self }
      items[index] = items[index].changed(at: path.dropFirst(), change)
      return .list(items)
    case .mapping(var pairs):
      guard let index = pairs.firstIndex(where: { $0.key.text == name }) else { return self }
      pairs[index].value = pairs[index].value.changed(at: path.dropFirst(), change)
      return .mapping(pairs)
    case .scalar: return self
    }
  }

  /// Changes the entries of a mapping; anything else is treated as an empty one.
  func withEntries(_ change: (inout [Pair]) -> Void) -> Outline {
    var pairs: [Pair] = if case .mapping(let pairs) = self { pairs } else { [] }
    change(&pairs)
    return .mapping(pairs)
  }

  var text: String? { if case .scalar(let text, _, _) = self { text } else { nil } }
}
